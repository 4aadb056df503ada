import type { RedirectCounts, RedirectVerdict, RedirectedMessage } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { stateLabels } from "../messages/message-states.ts";
import { Chip } from "../ui/chip.tsx";
import { DryRun, type Verdicts } from "./dry-run.tsx";
import { redirectQuery } from "./redirect-queries.ts";
import { unfitTexts } from "./texts.ts";

const verdicts: Verdicts<RedirectVerdict> = {
  fits: { label: "redirect.fits", tone: "ok" },
  superseded: { label: "redirect.superseded", tone: "neutral" },
  gone: { label: "redirect.gone", tone: "neutral" },
  mapping: { label: unfitTexts.mapping, tone: "bad" },
  "entity-type": { label: unfitTexts["entity-type"], tone: "bad" },
  subtenant: { label: unfitTexts.subtenant, tone: "bad" },
  environment: { label: unfitTexts.environment, tone: "bad" },
  origin: { label: unfitTexts.origin, tone: "bad" },
  "same-queue": { label: unfitTexts["same-queue"], tone: "neutral" },
  "target-closed": { label: unfitTexts["target-closed"], tone: "bad" },
};
const known = Object.keys(verdicts) as RedirectVerdict[];

type RedirectDryRunProps = { tenantCode: string; jobId: number; counts: RedirectCounts };

/** How many messages would go to the target, how many would not for which reason, and which those are. */
export function RedirectDryRun({ tenantCode, jobId, counts: { counts, isExact } }: RedirectDryRunProps) {
  return (
    <DryRun
      verdicts={verdicts}
      counts={counts}
      isExact={isExact}
      told={known.filter((verdict) => verdict === "fits" || counts[verdict])}
      read={(verdict) => redirectQuery(tenantCode, jobId, verdict)}
      listClass="max-h-60 rounded-card border border-line empty:hidden"
    >
      {(item) => <RedirectedItem key={item.messageId} item={item} />}
    </DryRun>
  );
}

function RedirectedItem({ item: { messageId, key, queueName, verdict, state, missing } }: { item: RedirectedMessage }) {
  const t = useText();
  const detail = missing ?? (state && t(stateLabels[state]));
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-3 py-2 first:border-t-0">
      <bdi className="min-w-0 truncate font-medium">{key ?? messageId}</bdi>
      <Chip tone={verdicts[verdict].tone}>{t(verdicts[verdict].label)}</Chip>
      {detail && <bdi className="min-w-0 text-xs break-words text-muted">{detail}</bdi>}
      <span className="ms-auto text-xs text-muted">{queueName}</span>
    </li>
  );
}
