import { EventEmitter, once } from "node:events";
import { createWorker, publish, saveQueue, saveTarget } from "@crossdock/queue";
import pg from "pg";
import { collectedEveryMs, restAfter } from "../apps/server/src/metrics/chores.ts";
import { cpuOf } from "./cpu.ts";
import { makeJobs, now } from "./queue/contender.ts";
import { toMessage, type Place } from "./queue/crossdock.ts";
import { ownRow, type Row } from "./report.ts";
import { startBenchPostgres, type BenchPostgres } from "./servers.ts";

const bench = "metrics";
const batchSize = 1000;
/** The publisher waits when this many wait to be delivered. */
const backlogMax = 20_000;
const ratioMin = 0.95;

/** What one slice did. */
type Slice = { messages: number; elapsedMs: number; cpuMs: number };

/** The engine with the metrics collected as the scheduler does, and with none of it, each in a database of one cluster, by turns of some seconds. */
export async function benchMetrics({ rounds, seconds }: { rounds: number; seconds: number }, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  const sides = [await openSide(postgres, false), await openSide(postgres, true)] as const;
  try {
    say("warming up");
    for (const side of sides) await side.run(2000);
    await postgres.settle();
    const pairs: { off: Slice; on: Slice }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      // Whoever is second finds the machine as the first left it, so they take turns at that, too.
      const [first, second] = round % 2 === 0 ? [sides[1], sides[0]] : sides;
      const slices = [await first.run(seconds * 1000), await second.run(seconds * 1000)] as const;
      const [off, on] = first.isOn ? [slices[1], slices[0]] : slices;
      pairs.push({ off, on });
      say(`pair ${round} of ${rounds}: ${rate([off]).toFixed(0)} off, ${rate([on]).toFixed(0)} on`);
    }
    return rowsOf(pairs);
  } finally {
    for (const side of sides) await side.close();
    await postgres.stop();
  }
}

const sumOf = (slices: readonly Slice[], figure: keyof Slice): number => slices.reduce((sum, slice) => sum + slice[figure], 0);
/** Messages a second over all of them, so that a slice that went slowly counts by its messages. */
const rate = (slices: readonly Slice[]): number => (sumOf(slices, "messages") / sumOf(slices, "elapsedMs")) * 1000;
const cpuPerThousand = (slices: readonly Slice[]): number => (sumOf(slices, "cpuMs") / sumOf(slices, "messages")) * 1000;

function rowsOf(pairs: { off: Slice; on: Slice }[]): Row[] {
  const [off, on] = [pairs.map((pair) => pair.off), pairs.map((pair) => pair.on)];
  const ratio = rate(on) / rate(off);
  const ratios = pairs.map((pair) => rate([pair.on]) / rate([pair.off]));
  const variance = ratios.reduce((sum, one) => sum + (one - ratio) ** 2, 0) / Math.max(1, ratios.length - 1);
  return [
    ownRow(bench, "published and delivered, metrics off", rate(off), "messages/s"),
    ownRow(bench, "published and delivered, metrics on", rate(on), "messages/s"),
    ownRow(bench, "published and delivered, on to off", ratio, "×", { atLeast: ratioMin }),
    ownRow(bench, "standard error of that, from the pairs", Math.sqrt(variance / ratios.length), "×"),
    ownRow(bench, "CPU of database and process, metrics off", cpuPerThousand(off), "ms/1,000"),
    ownRow(bench, "CPU of database and process, metrics on", cpuPerThousand(on), "ms/1,000"),
    ownRow(bench, "CPU, off to on", cpuPerThousand(off) / cpuPerThousand(on), "×"),
  ];
}

/** What the metrics put on the engine's tables. */
const withoutMetricsSql = `
  drop trigger note_deaths on queue.dead;
  drop index queue.message_created;
  drop index queue.history_finished;
  drop index queue.attempt_started`;

/**
 * What is left to autovacuum, whose workers come when they like, is done in the slice that caused it; but for a table that one of them holds, as
 * it does just that.
 */
const summariseSql = `
  do $$
  declare
    v_index regclass;
  begin
    perform set_config('lock_timeout', '20ms', true);
    for v_index in
      select index.oid from pg_class index join pg_am on pg_am.oid = index.relam and pg_am.amname = 'brin'
      where index.relkind = 'i' and index.relnamespace = 'queue'::regnamespace
    loop
      begin
        perform brin_summarize_new_values(v_index);
      exception when lock_not_available then null;
      end;
    end loop;
  end $$`;

type Side = { isOn: boolean; run: (durationMs: number) => Promise<Slice>; close: () => Promise<void> };

async function openSide(postgres: BenchPostgres, isOn: boolean): Promise<Side> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const pool = new pg.Pool({ connectionString: database.workerUrl, max: 12 });
  // Dropping the database ends what is still connected to it.
  for (const one of [owner, pool]) one.on("error", () => undefined);
  if (!isOn) await owner.query(withoutMetricsSql);
  await saveTarget(owner, { tenantId: 1, targetId: 1, concurrency: 64 });
  const queueId = await saveQueue(owner, { tenantId: 1, targetId: 1, name: "bench.order", mode: "fifo", delivery: "push" });
  let published = 0;
  // In the time of this side's own slices, as if the other ones were not.
  let restMs = 0;
  return {
    isOn,
    run: async (durationMs) => {
      const [cpuBefore, started] = [await cpuOf(owner), now()];
      const collecting = isOn && restMs <= 0 ? collect(pool) : null;
      const messages = await publishAndDeliver(pool, { tenantId: 1, queueId }, durationMs, published);
      if (collecting !== null) restMs = await collecting;
      if (isOn) await owner.query(summariseSql);
      const elapsedMs = now() - started;
      published += messages;
      restMs -= elapsedMs;
      return { messages, elapsedMs, cpuMs: (await cpuOf(owner)) - cpuBefore };
    },
    close: async () => {
      await owner.end();
      await pool.end();
      await database.drop();
    },
  };
}

/** Counts once, and answers how long the scheduler would wait from its start to the next time. */
async function collect(pool: pg.Pool): Promise<number> {
  const begun = performance.now();
  await pool.query("select hub.collect_metrics()");
  const tookMs = performance.now() - begun;
  return tookMs + Math.max(collectedEveryMs, restAfter(tookMs));
}

/** Publishes for so long while a worker delivers, which ends when all is delivered. Answers how many there were. */
async function publishAndDeliver(pool: pg.Pool, place: Place, durationMs: number, from: number): Promise<number> {
  let handled = 0;
  const told = new EventEmitter();
  const worker = createWorker(pool, {
    concurrency: 1000,
    handler: async ({ document }) => {
      JSON.parse(document);
      handled += 1;
      told.emit("handled");
      return { kind: "delivered", attempt: { durationMs: 0 } };
    },
  });
  const untilHandled = async (count: number): Promise<void> => {
    for (;;) {
      if (handled >= count) return;
      await once(told, "handled");
    }
  };
  await worker.start();
  const started = now();
  let published = 0;
  while (now() - started < durationMs) {
    const jobs = makeJobs(batchSize, 5_000, from + published);
    await publish(
      pool,
      jobs.map((job) => toMessage(place, job)),
    );
    published += batchSize;
    await untilHandled(published - backlogMax);
  }
  await untilHandled(published);
  await worker.stop();
  return published;
}
