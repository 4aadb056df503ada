import type pg from "pg";
import { createPublisher } from "@crossdock/queue";
import { median, ownRow, type Row } from "../report.ts";
import { startBenchPostgres, type BenchPostgres } from "../servers.ts";
import { makeJobs, now } from "./contender.ts";
import { openEngine, startWorker, toMessage } from "./crossdock.ts";
import { percentilesOf, publishSteadily, timeClaims, type Percentiles } from "./held-open.ts";

const bench = "steady";
const hours = 24;
const perSecond = 4000;
/** An hour in small: what a day's flow leaves behind is what vacuum leaves of its rows, and that depends on their number. */
const secondsAnHour = 5;
/** First and last are medians of so many hours: a single one is at the mercy of a checkpoint. As many go before, until vacuum has its pace. */
const compared = 6;

type Hour = { claim: Percentiles; readyBytes: number };

/** A day of steady load in small, in which nothing may grow: neither the table of what waits nor the time of a claim. */
export async function benchSteady(say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    const measured = await liveThrough(postgres, say);
    const first = ofHours(measured.slice(compared, 2 * compared));
    const last = ofHours(measured.slice(-compared));
    return [
      ownRow(bench, "claim p50, first hours", first.p50, "ms"),
      ownRow(bench, "claim p50, last hours", last.p50, "ms"),
      ownRow(bench, "claim p50, last : first", last.p50 / first.p50, "ratio", { atMost: 1.2 }),
      ownRow(bench, "ready table and indexes, first hours", first.readyBytes / 1e6, "MB"),
      ownRow(bench, "ready table and indexes, last hours", last.readyBytes / 1e6, "MB"),
      ownRow(bench, "ready table and indexes, last : first", last.readyBytes / first.readyBytes, "ratio", { atMost: 1.2 }),
    ];
  } finally {
    await postgres.stop();
  }
}

async function liveThrough(postgres: BenchPostgres, say: (line: string) => void): Promise<Hour[]> {
  const engine = await openEngine(postgres);
  const place = await engine.addPlace(1);
  const publisher = createPublisher(engine.pool);
  let claims: number[] = [];
  const pool = timeClaims(engine.pool, (ms) => claims.push(ms));
  const worker = await startWorker(pool, () => undefined);
  const measured: Hour[] = [];
  try {
    for (let hour = 0; hour < hours; hour += 1) {
      say(`hour ${hour + 1} of ${hours}`);
      claims = [];
      await publishSteadily(perSecond, secondsAnHour, async (n) => {
        const [job] = makeJobs(1, 5000, hour * perSecond * secondsAnHour + n);
        if (job !== undefined) await publisher.publish(toMessage(place, { ...job, at: now() }));
      });
      measured.push({ claim: percentilesOf(claims), readyBytes: await sizeOfReady(engine.pool) });
    }
    return measured;
  } finally {
    await worker.stop();
    await engine.close();
  }
}

/** With its indexes. */
async function sizeOfReady(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("select pg_total_relation_size('queue.ready') as bytes");
  return Number(rows[0]?.bytes ?? 0);
}

function ofHours(measured: Hour[]): { p50: number; readyBytes: number } {
  return { p50: median(measured.map(({ claim }) => claim.p50)), readyBytes: median(measured.map(({ readyBytes }) => readyBytes)) };
}
