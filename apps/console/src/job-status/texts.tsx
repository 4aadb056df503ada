import type { Run, RunState, Schedule } from "@crossdock/contract";
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
    return everySeconds % 60 === 0
      ? t("jobStatus.every", { count: everySeconds / 60 })
      : t("jobStatus.everySeconds", { count: everySeconds });
  };
}
