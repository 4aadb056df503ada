import type { BenchPostgres } from "../servers.ts";
import { makeJobs, now, type Contender } from "./contender.ts";

export type Throughput = { batchPerSecond: number; drainPerSecond: number; concurrentPerSecond: number };

/** Jobs of one key are handed out in order: how many were not is counted, and must be 0 where order is promised. */
function orderChecker(): { see: (key: string, n: number) => void; violations: () => number } {
  const last = new Map<string, number>();
  let violations = 0;
  return {
    see: (key, n) => {
      if (n < (last.get(key) ?? -1)) violations += 1;
      last.set(key, n);
    },
    violations: () => violations,
  };
}

/** Publishes `count` jobs in batches of 1,000, drains them, then publishes one by one from 128 callers at once for a while. */
export async function measureThroughput(postgres: BenchPostgres, open: () => Promise<Contender>, count: number): Promise<Throughput> {
  const contender = await open();
  try {
    await postgres.settle();
    const batchPerSecond = await fill(contender, count);
    await postgres.settle();
    const drainPerSecond = await drain(contender, count);
    await postgres.settle();
    const concurrentPerSecond = await publishConcurrently(contender, 128, 3000);
    return { batchPerSecond, drainPerSecond, concurrentPerSecond };
  } finally {
    await contender.close();
  }
}

/** Publishes `count` jobs over a tenth as many keys in batches of 1,000, one after the other. Answers jobs per second. */
export async function fill(contender: Contender, count: number): Promise<number> {
  const started = now();
  // Made batch by batch: a million jobs at once would measure the garbage collector.
  for (let from = 0; from < count; from += 1000) await contender.publishBatch(makeJobs(Math.min(1000, count - from), count / 10, from));
  return (count / (now() - started)) * 1000;
}

/** Handles `count` waiting jobs without doing anything. Answers jobs per second from the worker's start to the last handler. */
export async function drain(contender: Contender, count: number): Promise<number> {
  const order = orderChecker();
  let handled = 0;
  const done = Promise.withResolvers<void>();
  const started = now();
  const worker = await contender.work((job) => {
    order.see(job.key, job.n);
    if ((handled += 1) === count) done.resolve();
  });
  await done.promise;
  const elapsed = now() - started;
  await worker.stop();
  reportViolations(contender, order.violations());
  return (count / elapsed) * 1000;
}

/** A peer that breaks the order it promises is measured all the same, and it is said; for Crossdock it ends the run. */
function reportViolations({ name, isOrdered }: Contender, violations: number): void {
  if (!isOrdered || violations === 0) return;
  const text = `${name} broke the order of a key ${violations} times`;
  if (name === "Crossdock") throw new Error(text);
  console.error(`… ${text}`);
}

async function publishConcurrently(contender: Contender, callers: number, durationMs: number): Promise<number> {
  const jobs = makeJobs(1000, 500);
  const started = now();
  let published = 0;
  const lanes = Array.from({ length: callers }, async () => {
    while (now() - started < durationMs) {
      const job = jobs[published % jobs.length];
      if (job !== undefined) await contender.publish(job);
      published += 1;
    }
  });
  await Promise.all(lanes);
  return (published / (now() - started)) * 1000;
}
