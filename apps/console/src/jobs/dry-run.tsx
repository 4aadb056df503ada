import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import type { dryRunPages } from "./queries.ts";

/** What may become of a message. */
export type Verdicts<Verdict extends string> = Record<Verdict, { label: TextKey; tone: Tone }>;

type DryRunProps<Verdict extends string, Item> = {
  verdicts: Verdicts<Verdict>;
  counts: Partial<Record<Verdict, number>>;
  /** False: so many were counted as a dry run counts at most. */
  isExact: boolean;
  /** Those that are told, also where no message meets them. */
  told: readonly Verdict[];
  /** Messages of which nothing more can be told than what has become of them. */
  gone?: { label: TextKey; count: number };
  read: (verdict: Verdict | "") => ReturnType<typeof dryRunPages<Item>>;
  listClass: string;
  children: (item: Item) => ReactNode;
};

/** What would become of how many messages, and which those are. */
export function DryRun<Verdict extends string, Item>(props: DryRunProps<Verdict, Item>) {
  const { verdicts, counts, isExact, told, gone, read, listClass, children } = props;
  const t = useText();
  const { formatNumber } = useIntl();
  const [verdict, setVerdict] = useState<Verdict | "">("");
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(read(verdict));
  const numberOf = (one: Verdict): number => counts[one] ?? 0;
  return (
    <section aria-label={t("patch.dryRun")} className="mt-4 grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        {told.map((one) => (
          <Chip key={one} tone={numberOf(one) === 0 ? "neutral" : verdicts[one].tone}>
            {t("text.labelled", { label: t(verdicts[one].label), value: formatNumber(numberOf(one)) })}
          </Chip>
        ))}
        {gone !== undefined && gone.count > 0 && (
          <Chip tone="neutral">{t("text.labelled", { label: t(gone.label), value: formatNumber(gone.count) })}</Chip>
        )}
        {!isExact && <span className="text-xs text-muted">{t("patch.firstOnly")}</span>}
      </p>
      <FilterSelect
        label={t("patch.shown")}
        value={verdict}
        onChange={(value) => setVerdict(told.find((one) => one === value) ?? "")}
        options={told.map((one) => ({ value: one, label: `${t(verdicts[one].label)} (${formatNumber(numberOf(one))})` }))}
        className="max-w-60"
      />
      {error && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul tabIndex={0} aria-label={t("patch.dryRun")} className={`grid overflow-y-auto ${listClass}`}>
        {data?.pages.flatMap(({ items }) => items.map(children))}
      </ul>
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("list.more")}
          </Button>
        </div>
      )}
    </section>
  );
}
