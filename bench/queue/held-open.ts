import { createPublisher } from "@crossdock/queue";
import type pg from "pg";
import { percentile } from "../report.ts";
import type { BenchPostgres } from "../servers.ts";
import { makeJobs, now } from "./contender.ts";
import { openEngine, startWorker, toMessage } from "./crossdock.ts";

/**
 * `perSecond` messages flow steadily while another session holds a transaction open, so that nothing dead can be
 * vacuumed away. Answers p50 and p99 in ms, from publication to handling, of the last third, when most has piled up.
 */
export async function measureHeldOpen(postgres: BenchPostgres, perSecond: number, seconds: number): Promise<{ p50: number; p99: number }> {
  const engine = await openEngine(postgres);
  const place = await engine.addPlace(1);
  const publisher = createPublisher(engine.pool);
  const latencies: number[] = [];
  const started = now();
  const worker = await startWorker(engine.pool, (job) => {
    if (job.at - started > (seconds * 2000) / 3) latencies.push(now() - job.at);
  });
  const holder = await engine.pool.connect();
  try {
    await holdSnapshot(holder);
    await publishSteadily(perSecond, seconds, async (n) => {
      const [job] = makeJobs(1, 5000, n);
      if (job !== undefined) await publisher.publish(toMessage(place, { ...job, at: now() }));
    });
    return { p50: percentile(latencies, 50), p99: percentile(latencies, 99) };
  } finally {
    await holder.query("rollback");
    holder.release();
    await worker.stop();
    await engine.close();
  }
}

async function holdSnapshot(client: pg.PoolClient): Promise<void> {
  await client.query("begin isolation level repeatable read");
  await client.query("select pg_current_xact_id()");
}

/** Calls `publishOne` at a steady rate, in step with the clock, without waiting for slow ones. */
async function publishSteadily(perSecond: number, seconds: number, publishOne: (n: number) => Promise<void>): Promise<void> {
  const started = now();
  const inFlight = new Set<Promise<void>>();
  const total = perSecond * seconds;
  const done = Promise.withResolvers<void>();
  let n = 0;
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((now() - started) / 1000) * perSecond));
    for (; n < due; n += 1) {
      const one = publishOne(n);
      inFlight.add(one);
      one.then(() => inFlight.delete(one), done.reject);
    }
    if (n >= total) done.resolve();
  }, 2);
  try {
    await done.promise;
    await Promise.all(inFlight);
  } finally {
    clearInterval(timer);
  }
}
