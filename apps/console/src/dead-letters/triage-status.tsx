import type { Triage, TriageStatus } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { ExactTime, Time } from "../ui/time.tsx";

export const statuses = allOf<TriageStatus>()(["new", "investigating", "waiting-for-partner", "ignored", "resolved"]);

export const statusTexts: Record<TriageStatus, TextKey> = {
  new: "triage.new",
  investigating: "triage.investigating",
  "waiting-for-partner": "triage.waiting",
  ignored: "triage.ignored",
  resolved: "triage.resolved",
};

const tones: Record<TriageStatus, Tone> = {
  new: "bad",
  investigating: "info",
  "waiting-for-partner": "warn",
  ignored: "neutral",
  resolved: "ok",
};

/** How far an error has come and who looks into it, in one line. */
export function TriageLine({ triage }: { triage: Triage }) {
  const t = useText();
  const { status, ignoredUntil, owner, comment, changedBy, changedAt } = triage;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
      <Chip tone={tones[status]}>
        {ignoredUntil ? (
          <>
            {t("triage.ignoredUntil")} <ExactTime at={ignoredUntil} />
          </>
        ) : (
          t(statusTexts[status])
        )}
      </Chip>
      <span>{owner ? t("triage.ownedBy", { name: owner.name }) : t("triage.nobody")}</span>
      {comment && (
        <bdi className="max-w-full min-w-0 truncate text-ink" title={comment}>
          {comment}
        </bdi>
      )}
      {changedBy && changedAt && (
        <span>
          {changedBy}, <Time at={changedAt} />
        </span>
      )}
    </div>
  );
}
