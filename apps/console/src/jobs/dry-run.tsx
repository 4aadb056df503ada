import type { PatchCounts, PatchedMessage, PatchVerdict } from "@crossdock/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { SelectField } from "../ui/field.tsx";
import JsonDiffViewer from "../ui/json/json-diff-viewer.tsx";
import { parseJson } from "../ui/json/json-tree.ts";
import { ErrorState, Loading } from "../ui/states.tsx";
import { dryRunQuery } from "./patch-queries.ts";

const verdicts: Record<PatchVerdict, { label: TextKey; tone: Tone }> = {
  changed: { label: "patch.changed", tone: "ok" },
  unchanged: { label: "patch.unchanged", tone: "neutral" },
  invalid: { label: "patch.invalid", tone: "bad" },
};
const known = ["changed", "unchanged", "invalid"] as const;

type DryRunProps = { tenantCode: string; jobId: number; counts: PatchCounts };

/** What the patch would make of each message: how many would change, and the difference in each. */
export function DryRun({ tenantCode, jobId, counts }: DryRunProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const [verdict, setVerdict] = useState<PatchVerdict | "">("");
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    dryRunQuery(tenantCode, jobId, verdict),
  );
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const options = known.map((value) => ({ value, label: `${t(verdicts[value].label)} (${formatNumber(counts[value])})` }));
  return (
    <section aria-label={t("patch.dryRun")} className="mt-4 grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        {known.map((value) => (
          <Chip key={value} tone={counts[value] === 0 ? "neutral" : verdicts[value].tone}>
            {t(verdicts[value].label)}: {formatNumber(counts[value])}
          </Chip>
        ))}
        {!counts.isExact && <span className="text-xs text-muted">{t("patch.firstOnly")}</span>}
      </p>
      <SelectField
        label={t("patch.shown")}
        value={verdict}
        onChange={(value) => setVerdict(known.find((one) => one === value) ?? "")}
        options={[{ value: "", label: t("filter.any") }, ...options]}
        className="max-w-60"
      />
      {error && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul tabIndex={0} aria-label={t("patch.dryRun")} className="grid max-h-80 gap-2 overflow-y-auto">
        {items.map((item) => (
          <PatchedItem key={item.messageId} item={item} />
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("patch.more")}
          </Button>
        </div>
      )}
    </section>
  );
}

function PatchedItem({ item: { key, verdict, before, after, errors } }: { item: PatchedMessage }) {
  const t = useText();
  const [was, will] = [parseJson(before), after === null ? null : parseJson(after)];
  return (
    <li className="min-w-0 rounded-card border border-line">
      <p className="flex min-w-0 items-center gap-2 px-3 pt-2">
        <bdi className="min-w-0 truncate font-medium">{key}</bdi>
        <Chip tone={verdicts[verdict].tone}>{t(verdicts[verdict].label)}</Chip>
      </p>
      {errors.map(({ path, message }) => (
        <p key={`${path} ${message}`} dir="ltr" className="px-3 pt-1 text-xs break-words text-bad rtl:text-right">
          {path || "$"}: {message}
        </p>
      ))}
      {verdict !== "unchanged" && was && will && (
        <JsonDiffViewer before={was.value} after={will.value} label={t("patch.changesOf", { key })} />
      )}
    </li>
  );
}
