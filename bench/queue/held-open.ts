import { createPublisher } from "@crossdock/queue";
import type pg from "pg";
import { percentile } from "../report.ts";
import type { BenchPostgres } from "../servers.ts";
import { makeJobs, now } from "./contender.ts";
import { openEngine, startWorker, toMessage } from "./crossdock.ts";

export type Percentiles = { p50: number; p99: number };

/**
 * `perSecond` messages flow steadily while another session holds a transaction open, so that nothing dead can be
 * vacuumed away. Answers p50 and p99 in ms of the last third, when most has piled up: of the worker's claims (each lease and
 * step, from call to answer) and from publication to handling.
 */
export async function measureHeldOpen(
  postgres: BenchPostgres,
  perSecond: number,
  seconds: number,
): Promise<{ claim: Percentiles; delivery: Percentiles }> {
  const engine = await openEngine(postgres);
  const place = await engine.addPlace(1);
  const publisher = createPublisher(engine.pool);
  const deliveries: number[] = [];
  const claims: number[] = [];
  const started = now();
  const isLate = (): boolean => now() - started > (seconds * 2000) / 3;
  const pool = timeClaims(engine.pool, (ms) => isLate() && claims.push(ms));
  const worker = await startWorker(pool, (job) => {
    if (isLate()) deliveries.push(now() - job.at);
  });
  const holder = await engine.pool.connect();
  try {
    await holdSnapshot(holder);
    await publishSteadily(perSecond, seconds, async (n) => {
      const [job] = makeJobs(1, 5000, n);
      if (job !== undefined) await publisher.publish(toMessage(place, { ...job, at: now() }));
    });
    return { claim: percentilesOf(claims), delivery: percentilesOf(deliveries) };
  } finally {
    await holder.query("rollback");
    holder.release();
    await worker.stop();
    await engine.close();
  }
}

export function percentilesOf(values: number[]): Percentiles {
  return { p50: percentile(values, 50), p99: percentile(values, 99) };
}

/** The same pool; the engine's claims are the statements of these names. */
export function timeClaims(pool: pg.Pool, onClaim: (ms: number) => void): pg.Pool {
  const query = pool.query.bind(pool);
  const timed = async (config: pg.QueryConfig, ...rest: unknown[]): Promise<unknown> => {
    const begun = now();
    const answer: unknown = await Reflect.apply(query, pool, [config, ...rest]);
    if (config.name === "queue.step" || config.name === "queue.lease_shards") onClaim(now() - begun);
    return answer;
  };
  return new Proxy(pool, { get: (target, key) => (key === "query" ? timed : Reflect.get(target, key, target)) });
}

async function holdSnapshot(client: pg.PoolClient): Promise<void> {
  await client.query("begin isolation level repeatable read");
  await client.query("select pg_current_xact_id()");
}

/** Calls `publishOne` at a steady rate, in step with the clock, without waiting for slow ones. */
export async function publishSteadily(perSecond: number, seconds: number, publishOne: (n: number) => Promise<void>): Promise<void> {
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
