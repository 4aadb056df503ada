import { ChevronDown, ChevronUp } from "lucide-react";
import { useText } from "../../i18n/i18n.tsx";
import { IconButton } from "../button.tsx";
import { FilterField } from "../filter-fields.tsx";

type JsonSearchProps = {
  search: string;
  onSearch: (search: string) => void;
  found: string[];
  activePath: string;
  onGoTo: (path: string) => void;
};

/** The search of a document: how many hits, which of them is shown, and the way to the next. */
export function JsonSearch({ search, onSearch, found, activePath, onGoTo }: JsonSearchProps) {
  const t = useText();
  const current = found.indexOf(activePath);
  const isOff = found.length === 0;
  function step(by: 1 | -1): void {
    const start = current === -1 && by === -1 ? 0 : current;
    const path = found.at((start + by) % found.length);
    if (path !== undefined) onGoTo(path);
  }
  return (
    <>
      <FilterField label={t("json.search")} value={search} onChange={onSearch} isSearch className="min-w-40 flex-1 max-sm:basis-full" />
      <span role="status" className="min-w-16 pb-2 text-center text-xs text-muted tabular-nums">
        {search.trim() !== "" && (current === -1 ? t("json.found", { count: found.length }) : `${current + 1} / ${found.length}`)}
      </span>
      <IconButton
        label={t("json.previousHit")}
        aria-disabled={isOff}
        className="aria-disabled:opacity-40"
        onClick={() => !isOff && step(-1)}
      >
        <ChevronUp aria-hidden className="size-4" />
      </IconButton>
      <IconButton label={t("json.nextHit")} aria-disabled={isOff} className="aria-disabled:opacity-40" onClick={() => !isOff && step(1)}>
        <ChevronDown aria-hidden className="size-4" />
      </IconButton>
    </>
  );
}
