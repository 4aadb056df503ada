import { setTimeout as pause } from "node:timers/promises";
import { percentile } from "../report.ts";
import type { BenchPostgres } from "../servers.ts";
import { makeJobs, now, type Contender } from "./contender.ts";

export type Pickup = { p50: number; p99: number };

const keys = 100;
/** Each key has been seen, each connection has done everything once. */
const warmUp = 2 * keys;

/** At low load: milliseconds from the call of publish to the start of the handler, one job at a time with 5 to 15 ms between. */
export async function measurePickup(postgres: BenchPostgres, open: () => Promise<Contender>, count: number): Promise<Pickup> {
  const contender = await open();
  await postgres.settle();
  const latencies: number[] = [];
  let handled = Promise.withResolvers<void>();
  const worker = await contender.work((job) => {
    latencies.push(now() - job.at);
    handled.resolve();
  });
  try {
    for (const job of makeJobs(count + warmUp, keys)) {
      handled = Promise.withResolvers<void>();
      await contender.publish({ ...job, at: now() });
      await handled.promise;
      await pause(5 + (job.n % 11));
    }
    latencies.splice(0, warmUp);
    return { p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  } finally {
    await worker.stop();
    await contender.close();
  }
}
