import type { Run, RunState, Schedule } from "@crossdock/contract";
import { useCallback } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";

const states: Record<RunState, { label: TextKey; tone: Tone }> = {
  waiting: { label: "jobStatus.state.waiting", tone: "neutral" },
  running: { label: "jobStatus.state.running", tone: "info" },
  paused: { label: "jobStatus.state.paused", tone: "warn" },
  done: { label: "jobStatus.state.done", tone: "ok" },
  failed: { label: "jobStatus.state.failed", tone: "bad" },
  cancelled: { label: "jobStatus.state.cancelled", tone: "neutral" },
};

export const kindTexts: Record<Run["kind"], TextKey> = {
  poll: "jobStatus.kind.poll",
  deletions: "jobStatus.kind.deletions",
  import: "jobStatus.kind.import",
  rebuild: "jobStatus.kind.rebuild",
  reconciliation: "jobStatus.kind.reconciliation",
  resync: "jobStatus.kind.resync",
  export: "jobStatus.kind.export",
};

/** What a run has done so far, in the words of its kind. */
export function useCountsText(): (run: Pick<Run, "kind" | "ofRun" | "done" | "accepted" | "rejected" | "total" | "differing">) => string {
  const t = useText();
  return useCallback(
    ({ kind, ofRun, done, accepted, rejected, total, differing }) => {
      if (kind === "deletions" && ofRun !== null) return t("jobStatus.deletedCounts", { done, total: total ?? done, accepted });
      if (kind === "reconciliation" || kind === "deletions")
        return t("jobStatus.comparedCounts", { done, total: total ?? done, differing });
      if (kind === "resync") return t("jobStatus.resyncCounts", { done, total: total ?? done, accepted });
      if (kind === "export") return t("jobStatus.exportCounts", { done, total: total ?? done });
      return t("jobStatus.counts", { done, accepted, rejected });
    },
    [t],
  );
}

function isRunState(state: string): state is RunState {
  return Object.hasOwn(states, state);
}

export function RunStateChip({ state }: { state: string }) {
  const t = useText();
  if (!isRunState(state)) return null;
  return <Chip tone={states[state].tone}>{t(states[state].label)}</Chip>;
}

/** When a schedule runs, in words where it is an interval. */
export function useTimingText(): (schedule: Pick<Schedule, "cron" | "everySeconds">) => string {
  const t = useText();
  return ({ cron, everySeconds }) => {
    if (everySeconds === null) return cron ?? "";
    if (everySeconds % 3_600 === 0) return t("jobStatus.everyHours", { count: everySeconds / 3_600 });
    return everySeconds % 60 === 0
      ? t("jobStatus.every", { count: everySeconds / 60 })
      : t("jobStatus.everySeconds", { count: everySeconds });
  };
}
