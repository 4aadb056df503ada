import type { Run, RunState, Schedule, ScheduleKind } from "@crossdock/contract";
import { useCallback } from "react";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
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
  import: "jobStatus.kind.import",
  rebuild: "jobStatus.kind.rebuild",
  reconciliation: "jobStatus.kind.reconciliation",
  resync: "jobStatus.kind.resync",
  export: "jobStatus.kind.export",
};

/** What a run is about; as it was kept where it is nothing that is known. */
export function typeText(t: ReturnType<typeof useText>, entityType: string): string {
  const known = entityTypes.find((type) => type === entityType);
  return known ? t(entityTypeLabels[known]) : entityType;
}

export const kindHints: Record<ScheduleKind, TextKey> = {
  poll: "jobStatus.newScheduleHint",
  reconciliation: "jobStatus.reconciliationHint",
  resync: "jobStatus.resyncHint",
  export: "jobStatus.exportHint",
};

/** What a run has done so far, in the words of its kind. */
export function useCountsText(): (run: Pick<Run, "kind" | "done" | "accepted" | "rejected" | "total" | "differing">) => string {
  const t = useText();
  return useCallback(
    ({ kind, done, accepted, rejected, total, differing }) => {
      if (kind === "reconciliation") return t("jobStatus.comparedCounts", { done, total: total ?? done, differing });
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
