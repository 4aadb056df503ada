import type pg from "pg";
import {
  countWaiting,
  dropExpired,
  fillSearch,
  foldDeaths,
  promoteRetries,
  rescueLeases,
  rollPartitions,
  sweepShards,
  tryCircuits,
} from "./maintenance.ts";

export type MaintenanceOptions = {
  /** Days to keep finished messages; null keeps them for ever. */
  retentionDays?: number | null;
  /** Days to keep attempts, when shorter. */
  attemptDays?: number;
  onError?: (job: string, error: unknown) => void;
};

export type Maintenance = { start: () => void; stop: () => Promise<void> };

const hourMs = 3_600_000;
const searchBatch = 2000;

/** Runs the engine's upkeep in its intervals. Several processes may: each job locks what it changes. */
export function createMaintenance(pool: pg.Pool, { retentionDays = null, attemptDays, onError }: MaintenanceOptions = {}): Maintenance {
  const jobs: { name: string; everyMs: number; run: () => Promise<unknown> }[] = [
    { name: "promote-retries", everyMs: 250, run: () => promoteRetries(pool) },
    { name: "rescue-leases", everyMs: 1000, run: () => rescueLeases(pool) },
    { name: "sweep-shards", everyMs: 1000, run: () => sweepShards(pool) },
    { name: "try-circuits", everyMs: 500, run: () => tryCircuits(pool) },
    { name: "fill-search", everyMs: 1000, run: () => fillAll(pool) },
    { name: "fold-deaths", everyMs: 1000, run: () => foldDeaths(pool) },
    { name: "count-waiting", everyMs: 1000, run: () => countWaiting(pool) },
    { name: "roll-partitions", everyMs: hourMs / 12, run: () => rollPartitions(pool) },
  ];
  if (retentionDays !== null) {
    const retention = { retentionDays, ...(attemptDays === undefined ? {} : { attemptDays }) };
    jobs.push({ name: "drop-expired", everyMs: hourMs, run: () => dropExpired(pool, retention) });
  }
  const timers = new Set<NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  function runOnce(name: string, run: () => Promise<unknown>): void {
    // A run that takes longer than its interval is not overtaken by the next.
    if (underWay.has(name)) return;
    const running = run().then(
      () => {
        underWay.delete(name);
      },
      (error: unknown) => {
        underWay.delete(name);
        onError?.(name, error);
      },
    );
    underWay.set(name, running);
  }

  return {
    start() {
      for (const { name, everyMs, run } of jobs) {
        runOnce(name, run);
        timers.add(setInterval(() => runOnce(name, run), everyMs));
      }
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}

/** At most ten batches a run, so that a long backlog does not hold up `stop`. */
async function fillAll(pool: pg.Pool): Promise<void> {
  for (let round = 0; round < 10; round++) if ((await fillSearch(pool, searchBatch)) < searchBatch) return;
}
