import type { RedirectCounts, RedirectVerdict, RedirectedMessage } from "@crossdock/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { SelectField } from "../ui/field.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { redirectQuery } from "./redirect-queries.ts";
import { stateText, unfitTexts } from "./texts.ts";

const verdicts: Record<RedirectVerdict, { label: TextKey; tone: Tone }> = {
  fits: { label: "redirect.fits", tone: "ok" },
  superseded: { label: "message.state.superseded", tone: "neutral" },
  gone: { label: "redirect.gone", tone: "neutral" },
  mapping: { label: unfitTexts.mapping, tone: "bad" },
  "entity-type": { label: unfitTexts["entity-type"], tone: "bad" },
  subtenant: { label: unfitTexts.subtenant, tone: "bad" },
  environment: { label: unfitTexts.environment, tone: "bad" },
  origin: { label: unfitTexts.origin, tone: "bad" },
  "same-queue": { label: unfitTexts["same-queue"], tone: "neutral" },
  "target-closed": { label: unfitTexts["target-closed"], tone: "bad" },
};
const known = [
  "fits",
  "superseded",
  "gone",
  "mapping",
  "entity-type",
  "subtenant",
  "environment",
  "origin",
  "same-queue",
  "target-closed",
] as const;

type RedirectDryRunProps = { tenantCode: string; jobId: number; counts: RedirectCounts };

/** How many messages would go to the target, how many would not for which reason, and which those are. */
export function RedirectDryRun({ tenantCode, jobId, counts: { counts, isExact } }: RedirectDryRunProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const met = known.filter((verdict) => verdict === "fits" || (counts[verdict] ?? 0) > 0);
  const numberOf = (verdict: RedirectVerdict): string => formatNumber(counts[verdict] ?? 0);
  const [verdict, setVerdict] = useState<RedirectVerdict | "">("");
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    redirectQuery(tenantCode, jobId, verdict),
  );
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={t("patch.dryRun")} className="mt-4 grid gap-3">
      <p role="status" className="flex flex-wrap items-center gap-2">
        {met.map((value) => (
          <Chip key={value} tone={counts[value] ? verdicts[value].tone : "neutral"}>
            {t(verdicts[value].label)}: {numberOf(value)}
          </Chip>
        ))}
        {!isExact && <span className="text-xs text-muted">{t("patch.firstOnly")}</span>}
      </p>
      <SelectField
        label={t("patch.shown")}
        value={verdict}
        onChange={(value) => setVerdict(known.find((one) => one === value) ?? "")}
        options={[
          { value: "", label: t("filter.any") },
          ...met.map((value) => ({ value, label: `${t(verdicts[value].label)} (${numberOf(value)})` })),
        ]}
        className="max-w-60"
      />
      {error && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul
        tabIndex={0}
        aria-label={t("patch.dryRun")}
        className="grid max-h-60 overflow-y-auto rounded-card border border-line empty:hidden"
      >
        {items.map((item) => (
          <Item key={item.messageId} item={item} />
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

function Item({ item: { messageId, key, queueName, verdict, state, missing } }: { item: RedirectedMessage }) {
  const t = useText();
  const detail = missing ?? (state && t(stateText(state)));
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2 first:border-t-0">
      <bdi className="min-w-0 truncate font-medium">{key ?? messageId}</bdi>
      <Chip tone={verdicts[verdict].tone}>{t(verdicts[verdict].label)}</Chip>
      {detail && <bdi className="min-w-0 text-xs break-words text-muted">{detail}</bdi>}
      <span className="ms-auto text-xs text-muted">{queueName}</span>
    </li>
  );
}
