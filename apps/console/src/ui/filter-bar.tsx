import { FilterX, SlidersHorizontal, X } from "lucide-react";
import { Fragment, useState, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "./button.tsx";

/** A filter in force: its name, the value as the operator reads it, and the way to take it away. */
type ActiveFilter = { id: string; name: string; value: string; onRemove: () => void };

/** The filters of a list, and below them those in force, each of which can be taken away. On a phone the first one stands for all until they are unfolded. */
export function FilterBar({ active, onClear, children }: { active: ActiveFilter[]; onClear: () => void; children: ReactNode }) {
  const t = useText();
  const { formatMessage } = useIntl();
  const [isUnfolded, setIsUnfolded] = useState(false);
  /** How often all was cleared: a field that holds more than the filter in force, such as half a time, begins anew with it. */
  const [round, setRound] = useState(0);
  const fold = isUnfolded ? "" : "max-sm:*:not-first:not-last:hidden";
  return (
    <search className="block border-b border-line px-4 py-3">
      <div className={`grid grid-cols-2 items-start gap-3 sm:grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] ${fold}`}>
        <Fragment key={round}>{children}</Fragment>
        <button
          type="button"
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
          className={buttonClass("quiet", "self-end nth-2:hidden sm:hidden")}
        >
          <SlidersHorizontal aria-hidden className="size-4" />
          {t("filter.all")}
        </button>
      </div>
      {active.length > 0 && (
        <ul aria-label={t("filter.active")} className="mt-3 flex flex-wrap items-center gap-2">
          {active.map(({ id, name, value, onRemove }) => (
            <li
              key={id}
              className="flex max-w-full min-w-0 items-center rounded-full bg-primary-soft ps-3 text-xs inset-ring inset-ring-line"
            >
              <span className="truncate text-muted">
                {formatMessage({ id: "text.labelled" }, { label: name, value: <bdi className="font-medium text-ink">{value}</bdi> })}
              </span>
              <button
                type="button"
                aria-label={t("filter.remove", { name })}
                title={t("filter.remove", { name })}
                onClick={onRemove}
                className="grid size-7 shrink-0 place-items-center rounded-full hover:bg-hover"
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              onClick={() => {
                setRound(round + 1);
                onClear();
              }}
              className="flex min-h-7 items-center gap-1.5 rounded-button px-2 text-xs font-medium text-primary-ink hover:bg-hover"
            >
              <FilterX aria-hidden className="size-3.5" />
              {t("filter.clearAll")}
            </button>
          </li>
        </ul>
      )}
    </search>
  );
}

/** The name of a filter, and the names of its values if these are fixed. */
type FilterNames = Record<string, { name: string; options?: { value: string; label: string }[] }>;

/** The filters that are set in the address, in the operator's words. */
export function activeFilters(
  search: Record<string, string | undefined>,
  names: FilterNames,
  remove: (id: string) => void,
): ActiveFilter[] {
  return Object.entries(names).flatMap(([id, { name, options }]) => {
    const value = search[id];
    if (!value) return [];
    return [{ id, name, value: options?.find((option) => option.value === value)?.label ?? value, onRemove: () => remove(id) }];
  });
}
