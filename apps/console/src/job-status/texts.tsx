import type { Run, RunState, Schedule } from "@crossdock/contract";
import { useCallback } from "react";
import { useIntl } from "react-intl";
import { entityTypeLabels } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { readCron } from "./cron-words.ts";

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

type Outcome = Pick<Run, "done" | "rejected"> & { state: string };

/** A run that came to its end is not well where something of it was rejected. */
export function RunStateChip({ run: { state, done, rejected } }: { run: Outcome }) {
  const t = useText();
  if (!isRunState(state)) return null;
  if (state !== "done" || rejected === 0) return <Chip tone={states[state].tone}>{t(states[state].label)}</Chip>;
  if (rejected < done) return <Chip tone="warn">{t("jobStatus.state.someRejected")}</Chip>;
  return <Chip tone="bad">{t("jobStatus.state.allRejected")}</Chip>;
}

/** What a schedule is called: what it does, with which system, and of which objects. */
export function useScheduleName(): (schedule: Pick<Schedule, "kind" | "integrationPointName" | "subtenantCode" | "entityType">) => string {
  const t = useText();
  return ({ kind, integrationPointName, subtenantCode, entityType }) =>
    `${t(kindTexts[kind])} · ${integrationPointName ?? subtenantCode} · ${t(entityTypeLabels[entityType])}`;
}

/** When a schedule runs, in words; a cron line that a few words can't tell as it is. */
export function useTimingText(): (schedule: Pick<Schedule, "cron" | "everySeconds">) => string {
  const t = useText();
  const { formatDate, formatList } = useIntl();
  const intervalText = (seconds: number): string => {
    if (seconds % 3_600 === 0) return t("jobStatus.everyHours", { count: seconds / 3_600 });
    return seconds % 60 === 0 ? t("jobStatus.every", { count: seconds / 60 }) : t("jobStatus.everySeconds", { count: seconds });
  };
  // The first day of January 2024 was a Monday.
  const weekdayText = (weekday: number): string => formatDate(new Date(Date.UTC(2024, 0, weekday)), { weekday: "short", timeZone: "UTC" });
  return ({ cron, everySeconds }) => {
    if (everySeconds !== null) return intervalText(everySeconds);
    const plain = readCron(cron ?? "");
    if (!plain) return cron ?? "";
    if ("everySeconds" in plain) return intervalText(plain.everySeconds);
    const { days, weekdays } = plain;
    const times = formatList(plain.times.map((time) => formatDate(time, { timeStyle: "short", hourCycle: "h23", timeZone: "UTC" })));
    if (weekdays.length > 0) return t("jobStatus.cronWeekdays", { days: formatList(weekdays.map(weekdayText)), times });
    if (days.length > 0) return t("jobStatus.cronDays", { days: formatList(days.map(String)), times });
    return t("jobStatus.cronDaily", { times });
  };
}
