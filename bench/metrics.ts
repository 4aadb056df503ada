import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { createWorker, publish, saveQueue, saveTarget } from "@crossdock/queue";
import pg from "pg";
import { metricChores } from "../apps/server/src/metrics/chores.ts";
import { cpuOf } from "./cpu.ts";
import { makeJobs, now } from "./queue/contender.ts";
import { toMessage, type Place } from "./queue/crossdock.ts";
import { median, ownRow, type Row } from "./report.ts";
import { startBenchPostgres, type BenchPostgres } from "./servers.ts";

const bench = "metrics";
const batchSize = 1000;
/** The publisher waits when this many wait to be delivered. */
const backlogMax = 20_000;
const ratioMin = 0.95;

type Measured = { deliveredPerSecond: number; cpuMsPerThousand: number };

/** The engine with the metrics collected as the scheduler does, and with none of it, by turns. */
export async function benchMetrics({ rounds, seconds }: { rounds: number; seconds: number }, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    say("warming up");
    await measure(postgres, 2, false);
    const measured: { on: Measured; off: Measured }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      // Whoever is second finds the machine as the first left it, so they take turns at that, too.
      const order = round % 2 === 0 ? [true, false] : [false, true];
      const found = new Map<boolean, Measured>();
      for (const isOn of order) {
        say(`round ${round} of ${rounds}, metrics ${isOn ? "on" : "off"}`);
        found.set(isOn, await measure(postgres, seconds, isOn));
      }
      const [on, off] = [found.get(true), found.get(false)];
      if (on && off) measured.push({ on, off });
    }
    return rowsOf(measured);
  } finally {
    await postgres.stop();
  }
}

function rowsOf(measured: { on: Measured; off: Measured }[]): Row[] {
  const of = (state: "on" | "off", figure: keyof Measured): number => median(measured.map((round) => round[state][figure]));
  // Of the pairs, which share their round's weather.
  const ratio = (figure: keyof Measured): number => median(measured.map(({ on, off }) => on[figure] / off[figure]));
  return [
    ownRow(bench, "published and delivered, metrics off", of("off", "deliveredPerSecond"), "messages/s"),
    ownRow(bench, "published and delivered, metrics on", of("on", "deliveredPerSecond"), "messages/s"),
    ownRow(bench, "published and delivered, on to off", ratio("deliveredPerSecond"), "×", { atLeast: ratioMin }),
    ownRow(bench, "CPU of database and process, metrics off", of("off", "cpuMsPerThousand"), "ms/1,000"),
    ownRow(bench, "CPU of database and process, metrics on", of("on", "cpuMsPerThousand"), "ms/1,000"),
    ownRow(bench, "CPU, off to on", 1 / ratio("cpuMsPerThousand"), "×"),
  ];
}

/** What the metrics put on the engine's tables. */
const withoutMetricsSql = `
  drop trigger note_deaths on queue.dead;
  drop index queue.message_created;
  drop index queue.history_finished;
  drop index queue.attempt_started`;

async function measure(postgres: BenchPostgres, seconds: number, isOn: boolean): Promise<Measured> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const pool = new pg.Pool({ connectionString: database.workerUrl, max: 12 });
  // Dropping the database ends what is still connected to it.
  for (const one of [owner, pool]) one.on("error", () => undefined);
  const collecting = new AbortController();
  try {
    if (!isOn) await owner.query(withoutMetricsSql);
    await saveTarget(owner, { tenantId: 1, targetId: 1, concurrency: 64 });
    const queueId = await saveQueue(owner, { tenantId: 1, targetId: 1, name: "bench.order", mode: "fifo", delivery: "push" });
    await postgres.settle();
    const collected = isOn ? collect(pool, collecting.signal) : Promise.resolve();
    const [cpuBefore, started] = [await cpuOf(owner), now()];
    const messages = await publishAndDeliver(pool, { tenantId: 1, queueId }, seconds * 1000);
    const [cpu, elapsedMs] = [(await cpuOf(owner)) - cpuBefore, now() - started];
    collecting.abort();
    await collected;
    return { deliveredPerSecond: (messages / elapsedMs) * 1000, cpuMsPerThousand: (cpu / messages) * 1000 };
  } finally {
    collecting.abort();
    await owner.end();
    await pool.end();
    await database.drop();
  }
}

/** As the scheduler does. */
async function collect(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const chore = metricChores({ pools: { worker: pool } }).find(({ name }) => name === "collect metrics");
  for (;;) {
    await chore?.run(signal);
    if (signal.aborted) return;
    await sleep(chore?.everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Publishes for so long while a worker delivers, which ends when all is delivered. Answers how many there were. */
async function publishAndDeliver(pool: pg.Pool, place: Place, durationMs: number): Promise<number> {
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
    const jobs = makeJobs(batchSize, 5_000, published);
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
