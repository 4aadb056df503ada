import type { Deps } from "../deps.ts";
import type { Chore } from "../loops.ts";
import { pruneJobs } from "./pruning.ts";
import type { Replaying } from "./run-external.ts";
import { createJobRunner } from "./runner.ts";

const hourMs = 3_600_000;

/** What the scheduler does for bulk operations. */
export function jobChores({ config, pools, logger }: Deps, replaying: Replaying): Chore[] {
  return [
    { name: "run jobs", everyMs: 250, run: createJobRunner(pools.worker, logger, { ...replaying, pool: pools.app }) },
    { name: "prune jobs", everyMs: hourMs, run: (signal) => pruneJobs(pools.worker, config.retentionDays, signal) },
  ];
}
