import { setTimeout as sleep } from "node:timers/promises";
import { dropExpired, fillSearch, promoteRetries, rescueLeases, rollPartitions, sweepShards, tryCircuits } from "@crossdock/queue";
import type pg from "pg";
import type { Deps } from "../deps.ts";
import { startLoops, type Chore, type Loops } from "../loops.ts";
import { createIntakePruning, pruneAnswers, pruneAuditEvents } from "./pruning.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Messages whose text is made searchable at a time. */
const searchBatchSize = 500;
/** Of each five parts of time four are left to deliveries: making text searchable costs more than moving the message. */
const searchRestRatio = 4;

/**
 * Keeps engine and intake in order: what is due becomes ready, lost leases are found, days are made and dropped. Every chore is safe
 * beside the same chore of another process: the database decides who does what.
 */
export function startScheduler({ config, pools, logger }: Deps, ofFeatures: readonly Chore[] = []): Loops {
  const db = pools.worker;
  const { retentionDays } = config;
  const chores: Chore[] = [
    { name: "promote retries", everyMs: 250, run: async () => void (await promoteRetries(db)) },
    { name: "rescue leases", everyMs: secondMs, run: async () => void (await rescueLeases(db)) },
    { name: "sweep shards", everyMs: secondMs, run: async () => void (await sweepShards(db)) },
    { name: "try circuits", everyMs: secondMs, run: async () => void (await tryCircuits(db)) },
    { name: "fill search", everyMs: secondMs, run: (signal) => fillAllSearch(db, signal) },
    { name: "roll partitions", everyMs: minuteMs, run: async () => void (await rollPartitions(db)) },
    { name: "drop expired", everyMs: hourMs, run: async () => void (await dropExpired(db, { retentionDays })) },
    { name: "prune intake", everyMs: hourMs, run: createIntakePruning(db, retentionDays) },
    { name: "prune answers", everyMs: hourMs, run: (signal) => pruneAnswers(db, signal) },
    { name: "prune audit events", everyMs: hourMs, run: (signal) => pruneAuditEvents(db, config.auditRetentionDays, signal) },
    ...ofFeatures,
  ];
  return startLoops(chores, logger);
}

/** Makes everything searchable that is not yet, resting between the batches. */
async function fillAllSearch(db: pg.Pool, signal: AbortSignal): Promise<void> {
  for (;;) {
    const begun = performance.now();
    const filled = await fillSearch(db, searchBatchSize);
    if (filled < searchBatchSize || signal.aborted) return;
    await sleep((performance.now() - begun) * searchRestRatio, undefined, { signal }).catch(() => undefined);
  }
}
