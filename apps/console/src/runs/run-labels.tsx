import type { Run, RunState } from "@crossdock/contract";
import { useCallback } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";

/** A run that came to its end is not well where something of it was rejected. */
export type RunOutcome = RunState | "some-rejected" | "all-rejected";

export const runOutcomes: Record<RunOutcome, { label: TextKey; tone: Tone }> = {
  waiting: { label: "jobStatus.state.waiting", tone: "neutral" },
  running: { label: "jobStatus.state.running", tone: "info" },
  paused: { label: "jobStatus.state.paused", tone: "warn" },
  done: { label: "jobStatus.state.done", tone: "ok" },
  "some-rejected": { label: "jobStatus.state.someRejected", tone: "warn" },
  "all-rejected": { label: "jobStatus.state.allRejected", tone: "bad" },
  failed: { label: "jobStatus.state.failed", tone: "bad" },
  cancelled: { label: "jobStatus.state.cancelled", tone: "neutral" },
};

export const runKindTexts: Record<Run["kind"], TextKey> = {
  poll: "jobStatus.kind.poll",
  deletions: "jobStatus.kind.deletions",
  import: "jobStatus.kind.import",
  rebuild: "jobStatus.kind.rebuild",
  reconciliation: "jobStatus.kind.reconciliation",
  resync: "jobStatus.kind.resync",
  export: "jobStatus.kind.export",
};

type Named = Pick<Run, "kind" | "integrationPointName" | "subtenantCode" | "entityType">;

/** What a run or its schedule is called: what it does, with which system, and of which objects. */
export function useRunName(): (run: Named) => string {
  const t = useText();
  return ({ kind, integrationPointName, subtenantCode, entityType }) =>
    `${t(runKindTexts[kind])} · ${integrationPointName ?? subtenantCode} · ${entityTypeText(t, entityType)}`;
}

/** What a run has done so far, in the words of its kind. */
export function useCountsText(): (run: Pick<Run, "kind" | "ofRun" | "done" | "accepted" | "rejected" | "total" | "differing">) => string {
  const t = useText();
  return useCallback(
    ({ kind, ofRun, done, accepted, rejected, total, differing }) => {
      if (kind === "deletions" && ofRun !== null) return t("jobStatus.deletedCounts", { done, total: total ?? done, accepted });
      // One that failed at once has found nothing out.
      if ((kind === "reconciliation" || kind === "deletions") && done === 0) return t("jobStatus.comparedNone");
      if (kind === "reconciliation" || kind === "deletions")
        return t("jobStatus.comparedCounts", { done, total: total ?? done, differing });
      if (kind === "resync") return t("jobStatus.resyncCounts", { done, total: total ?? done, accepted });
      if (kind === "export") return t("jobStatus.exportCounts", { done, total: total ?? done });
      return t("jobStatus.counts", { done, accepted, rejected });
    },
    [t],
  );
}

export function isRunOutcome(outcome: string): outcome is RunOutcome {
  return Object.hasOwn(runOutcomes, outcome);
}

type Outcome = Pick<Run, "done" | "rejected"> & { state: string };

export function RunStateChip({ run: { state, done, rejected } }: { run: Outcome }) {
  const t = useText();
  const outcome = state !== "done" || rejected === 0 ? state : rejected < done ? "some-rejected" : "all-rejected";
  return isRunOutcome(outcome) && <Chip tone={runOutcomes[outcome].tone}>{t(runOutcomes[outcome].label)}</Chip>;
}
