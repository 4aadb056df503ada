import { upkeepJobs } from "@crossdock/queue";
import type { Deps } from "../deps.ts";
import { startLoops, type Chore, type Loops } from "../loops.ts";
import { createIntakePruning, pruneAnswers, pruneAuditEvents } from "./pruning.ts";

const hourMs = 3_600_000;

/**
 * Keeps engine and intake in order: what is due becomes ready, lost leases are found, days are made and dropped. Every chore is safe
 * beside the same chore of another process.
 */
export function startScheduler({ config, pools, logger }: Deps, ofFeatures: readonly Chore[] = []): Loops {
  const db = pools.worker;
  const { retentionDays } = config;
  const chores: Chore[] = [
    ...upkeepJobs(db, { retentionDays }),
    { name: "prune intake", everyMs: hourMs, run: createIntakePruning(db, retentionDays) },
    { name: "prune answers", everyMs: hourMs, run: (signal) => pruneAnswers(db, signal) },
    { name: "prune audit events", everyMs: hourMs, run: (signal) => pruneAuditEvents(db, config.auditRetentionDays, signal) },
    ...ofFeatures,
  ];
  return startLoops(chores, logger);
}
