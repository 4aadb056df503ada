import { CircleCheck, CircleMinus, CircleX, Pause, Play, Undo2, X } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { Chip, type Tone } from "./chip.tsx";
import { ProgressBar } from "./progress-bar.tsx";

export type JobState = "running" | "paused" | "stopped" | "done" | "cancelled";
/** `reason` tells why an item failed or was skipped; without one it succeeded. */
export type JobResult = { id: string; label: string; reason?: string; isSkipped?: boolean };

type BulkJobProps = {
  title: string;
  state: JobState;
  /** Tells the state in other words than its own. */
  stateText?: TextKey | undefined;
  done: number;
  total: number;
  failed: number;
  skipped?: number;
  /** What else there is to know: who, why, how long. */
  note?: string;
  /** Why its operations can't be used. */
  disabledReason?: string | null;
  /** The latest ones, newest first. */
  results: readonly JobResult[];
  onPause?: () => void;
  onResume?: () => void;
  onCancel?: () => void;
  onUndo?: () => void;
  /** Ways to what it has to do with. */
  children?: ReactNode;
};

export const jobStateTexts: Record<JobState, TextKey> = {
  running: "job.running",
  paused: "job.paused",
  stopped: "job.stopped",
  done: "job.done",
  cancelled: "job.cancelled",
};
const tones: Record<JobState, Tone> = { running: "info", paused: "warn", stopped: "bad", done: "ok", cancelled: "neutral" };

/** How far an operation on many things has come, what became of each, and the way to stop it or take it back. */
export function BulkJob({
  title,
  state,
  stateText = jobStateTexts[state],
  done,
  total,
  failed,
  skipped = 0,
  note = "",
  disabledReason = null,
  results,
  onPause,
  onResume,
  onCancel,
  onUndo,
  children,
}: BulkJobProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const isOver = state === "done" || state === "cancelled";
  const progress = t("job.progress", { done: formatNumber(done), total: formatNumber(total) });
  const actions = [
    state === "running" && onPause && { label: t("job.pause"), Icon: Pause, run: onPause },
    onResume && { label: t("job.resume"), Icon: Play, run: onResume },
    !isOver && onCancel && { label: t("action.cancel"), Icon: X, run: onCancel },
    isOver && onUndo && done > failed && { label: t("action.undo"), Icon: Undo2, run: onUndo, isGuarded: true },
  ].filter((action) => typeof action === "object");
  return (
    <section aria-label={title} tabIndex={-1} className="rounded-card border border-line bg-paper p-4 text-ink">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="min-w-0 truncate font-semibold">{title}</h3>
        <Chip tone={tones[state]}>{t(stateText)}</Chip>
        {failed > 0 && <Chip tone="bad">{t("job.failed", { count: failed, shown: formatNumber(failed) })}</Chip>}
        {skipped > 0 && <Chip tone="neutral">{t("job.skipped", { count: skipped, shown: formatNumber(skipped) })}</Chip>}
        <span className="ms-auto text-muted tabular-nums">{progress}</span>
      </div>
      {note !== "" && (
        <p dir="auto" className="mt-1 text-xs break-words text-muted rtl:text-right">
          {note}
        </p>
      )}
      {children}
      <div className="mt-3">
        <ProgressBar label={title} text={progress} done={done} total={total} isBad={failed > 0} />
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        {actions.map((action) => (
          <Action key={action.label} disabledReason={disabledReason} {...action} />
        ))}
      </div>
      {results.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-muted">{t("job.results")}</summary>
          <ul tabIndex={0} aria-label={t("job.results")} className="mt-2 max-h-60 overflow-y-auto">
            {results.map((result) => (
              <Result key={result.id} result={result} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

type ActionProps = { label: string; Icon: typeof Pause; run: () => void; isGuarded?: boolean; disabledReason: string | null };

/** Longer than between the two clicks of a double click: the second would take back what the first has done where Undo comes under the pointer. */
const guardMs = 1000;

/** What was done takes its button away; the focus stays with the job. */
function Action({ label, Icon, run, isGuarded = false, disabledReason }: ActionProps) {
  const [isNew, setIsNew] = useState(isGuarded);
  useEffect(() => {
    const timer = setTimeout(() => setIsNew(false), guardMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Button
      isBusy={isNew}
      disabledReason={disabledReason}
      onClick={({ currentTarget }) => {
        currentTarget.closest("section")?.focus();
        run();
      }}
    >
      <Icon aria-hidden className="size-4" />
      {label}
    </Button>
  );
}

function Result({ result: { label, reason, isSkipped = false } }: { result: JobResult }) {
  const [Icon, tone] = reason === undefined ? [CircleCheck, "text-ok"] : isSkipped ? [CircleMinus, "text-muted"] : [CircleX, "text-bad"];
  return (
    <li className="flex min-w-0 items-start gap-2 py-1">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${tone}`} />
      <span className="min-w-0 break-words">
        {label}
        {reason !== undefined && <span className={`block text-xs ${tone}`}>{reason}</span>}
      </span>
    </li>
  );
}
