import { setTimeout as pause } from "node:timers/promises";
import { publish } from "@crossdock/queue";
import { percentile } from "../report.ts";
import type { BenchPostgres } from "../servers.ts";
import { makeJobs, now } from "./contender.ts";
import { openEngine, startWorker, toMessage } from "./crossdock.ts";

const small = 2_000_000;

/**
 * A neighbour has 60,000 messages waiting, each takes 1 ms to handle; a small tenant publishes one every 10 ms.
 * Answers the small tenant's p50 and p99 from publication to handling, in ms, measured only while the neighbour waits.
 */
export async function measureFairness(postgres: BenchPostgres, backlog: number): Promise<{ p50: number; p99: number; count: number }> {
  const engine = await openEngine(postgres);
  const neighbour = await engine.addPlace(1);
  const visitor = await engine.addPlace(2);
  for (let from = 0; from < backlog; from += 1000) {
    await publish(
      engine.pool,
      makeJobs(1000, 6000, from).map((job) => toMessage(neighbour, job)),
    );
  }
  const latencies: number[] = [];
  const neighbours = { waiting: backlog };
  const worker = await startWorker(engine.pool, async (job) => {
    if (job.n >= small) latencies.push(now() - job.at);
    else neighbours.waiting -= 1;
    await pause(1);
  });
  try {
    for (let n = small; neighbours.waiting > 1000 && latencies.length < 500; n += 1) {
      const [job] = makeJobs(1, 100, n);
      if (job !== undefined) await publish(engine.pool, [toMessage(visitor, { ...job, at: now() })]);
      await pause(10);
    }
    return { p50: percentile(latencies, 50), p99: percentile(latencies, 99), count: latencies.length };
  } finally {
    await worker.stop();
    await engine.close();
  }
}
