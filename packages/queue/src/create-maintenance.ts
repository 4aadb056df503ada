import { setTimeout as sleep } from "node:timers/promises";
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
  onError?: (job: string, error: unknown) => void;
};

/** One of the engine's upkeep jobs. Safe beside the same job of another process: the database decides who does what. */
export type UpkeepJob = { name: string; everyMs: number; run: (signal: AbortSignal) => Promise<unknown> };

export type Maintenance = { start: () => void; stop: () => Promise<void> };

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Messages whose text is made searchable at a time. */
const searchBatchSize = 500;
/** Of each five parts of time four are left to deliveries: making text searchable costs more than moving the message. */
const searchRestRatio = 4;

/** All that has to be done again and again while messages move, for whoever runs it by loops of its own; others call `createMaintenance`. */
export function upkeepJobs(pool: pg.Pool, { retentionDays = null }: Omit<MaintenanceOptions, "onError"> = {}): UpkeepJob[] {
  const jobs: UpkeepJob[] = [
    { name: "promote-retries", everyMs: 250, run: () => promoteRetries(pool) },
    { name: "rescue-leases", everyMs: secondMs, run: () => rescueLeases(pool) },
    { name: "sweep-shards", everyMs: secondMs, run: () => sweepShards(pool) },
    { name: "try-circuits", everyMs: 500, run: () => tryCircuits(pool) },
    { name: "fill-search", everyMs: secondMs, run: (signal) => fillAllSearch(pool, signal) },
    { name: "fold-deaths", everyMs: secondMs, run: () => foldDeaths(pool) },
    { name: "count-waiting", everyMs: secondMs, run: () => countWaiting(pool) },
    { name: "roll-partitions", everyMs: minuteMs, run: () => rollPartitions(pool) },
  ];
  if (retentionDays !== null) {
    jobs.push({ name: "drop-expired", everyMs: hourMs, run: () => dropExpired(pool, retentionDays) });
  }
  return jobs;
}

/** Runs the engine's upkeep in its intervals. Several processes may. */
export function createMaintenance(pool: pg.Pool, { onError, ...options }: MaintenanceOptions = {}): Maintenance {
  const jobs = upkeepJobs(pool, options);
  const stop = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  function runOnce({ name, run }: UpkeepJob): void {
    // A run that takes longer than its interval is not overtaken by the next.
    if (underWay.has(name)) return;
    const running = run(stop.signal).then(
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
      for (const job of jobs) {
        runOnce(job);
        timers.add(setInterval(() => runOnce(job), job.everyMs));
      }
    },
    async stop() {
      stop.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(underWay.values());
    },
  };
}

/** Makes everything searchable that is not yet, resting between the batches. */
async function fillAllSearch(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  for (;;) {
    const begun = performance.now();
    const filled = await fillSearch(pool, searchBatchSize);
    if (filled < searchBatchSize || signal.aborted) return;
    await sleep((performance.now() - begun) * searchRestRatio, undefined, { signal }).catch(() => undefined);
  }
}
