import { median, missingRow, ownRow, peerRow, type Row } from "../report.ts";
import { startBenchPostgres, startBenchRedis, type BenchPostgres, type BenchRedis } from "../servers.ts";
import { openBullMq } from "./bullmq.ts";
import type { Contender } from "./contender.ts";
import { openCrossdock } from "./crossdock.ts";
import { measureDisk } from "./disk.ts";
import { measureFairness } from "./fairness.ts";
import { openGraphileWorker } from "./graphile-worker.ts";
import { measureHeldOpen } from "./held-open.ts";
import { openPgBoss } from "./pg-boss.ts";
import { measurePickup, type Pickup } from "./pickup.ts";
import { drain, fill, measureThroughput, type Throughput } from "./throughput.ts";

type Open = () => Promise<Contender>;

type QueueOptions = { rounds: number; messages: number; backlog: boolean };

const bench = "queue";
const drainFloors: Record<string, number> = {
  "pg-boss": 3,
  "graphile-worker": 2.2,
  BullMQ: 4,
  "pg-boss, per-key order": 7,
  "graphile-worker, queueName": 2.5,
};
const concurrentFloors: Record<string, number> = { "pg-boss": 10, "graphile-worker": 10, BullMQ: 1.2 };
const backlogFloors: Record<string, number> = { "pg-boss": 5, "graphile-worker": 2 };
/** Each p99 is the median of so many: five of 500 pickups are slower, and a slow moment of the disk or one garbage collection may make three of them. */
const pickupRounds = 9;

/** The engine beside its peers, all in one run and on one PostgreSQL; medians of `rounds` rounds that take turns. */
export async function benchQueue(options: QueueOptions, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  const redis = await startBenchRedis();
  if (redis === null) say("No redis-server on this machine (Debian: apt install redis-server): BullMQ is left out.");
  try {
    const peers = listPeers(postgres, redis);
    const open = (): Promise<Contender> => openCrossdock(postgres);
    const rows = [
      ...(await compareThroughput(postgres, open, peers, options, say)),
      ...(await comparePickup(postgres, open, peers, say)),
      ...(await fairness(postgres, say)),
      ...(await heldOpen(postgres, say)),
      ...(await disk(postgres, say)),
      ...(options.backlog ? await compareBacklog(postgres, open, peers, say) : []),
    ];
    return redis === null ? [...rows, missingRow(bench, "all", "BullMQ", false)] : rows;
  } finally {
    await redis?.stop();
    await postgres.stop();
  }
}

/** The backlog of a million by itself: minutes in which nothing else is measured. */
export async function benchBacklog(say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    return await compareBacklog(postgres, () => openCrossdock(postgres), listPeers(postgres, null), say);
  } finally {
    await postgres.stop();
  }
}

function listPeers(postgres: BenchPostgres, redis: BenchRedis | null): Map<string, Open> {
  const peers = new Map<string, Open>([
    ["pg-boss", () => openPgBoss(postgres, false)],
    ["graphile-worker", () => openGraphileWorker(postgres, false)],
    ["pg-boss, per-key order", () => openPgBoss(postgres, true)],
    ["graphile-worker, queueName", () => openGraphileWorker(postgres, true)],
  ]);
  if (redis !== null) peers.set("BullMQ", () => openBullMq(redis));
  return peers;
}

async function compareThroughput(
  postgres: BenchPostgres,
  open: Open,
  peers: Map<string, Open>,
  options: QueueOptions,
  say: (line: string) => void,
): Promise<Row[]> {
  const contenders = new Map([["Crossdock", open], ...peers]);
  const results = new Map<string, Throughput[]>();
  say("warming up: everybody's code once, without counting");
  for (const openOne of contenders.values()) await measureThroughput(postgres, openOne, 5_000);
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const [name, openOne] of contenders) {
      say(`throughput, round ${round} of ${options.rounds}: ${name}`);
      const measured = await measureThroughput(postgres, openOne, options.messages);
      results.set(name, [...(results.get(name) ?? []), measured]);
    }
  }
  const value = (name: string, what: keyof Throughput): number => median((results.get(name) ?? []).map((one) => one[what]));
  const rowsOf = (row: string, what: keyof Throughput, floorOf: (name: string) => number | null): Row[] => [
    ownRow(bench, row, value("Crossdock", what), "messages/s"),
    ...[...peers.keys()].map((name) =>
      peerRow(bench, row, value("Crossdock", what), { name, value: value(name, what) }, "messages/s", floorOf(name)),
    ),
  ];
  return [
    // "The best peer" is whoever publishes fastest, so each of them has to be beaten by the factor.
    ...rowsOf("publish, batches of 1,000", "batchPerSecond", () => 2.2),
    ...rowsOf("publish, 128 callers, each durable", "concurrentPerSecond", (name) => concurrentFloors[name] ?? null),
    ...rowsOf(`drain ${options.messages.toLocaleString("en")}`, "drainPerSecond", (name) => drainFloors[name] ?? null),
  ];
}

/** By turns, and after the disk is done with what others wrote: one slow moment would be one contender's p99. */
async function comparePickup(postgres: BenchPostgres, open: Open, peers: Map<string, Open>, say: (line: string) => void): Promise<Row[]> {
  const contenders = new Map([["Crossdock", open], ...peers]);
  const results = new Map<string, Pickup[]>();
  for (let round = 1; round <= pickupRounds; round += 1) {
    for (const [name, openOne] of contenders) {
      say(`pickup latency, round ${round} of ${pickupRounds}: ${name}`);
      results.set(name, [...(results.get(name) ?? []), await measurePickup(postgres, openOne, 500)]);
    }
  }
  const value = (name: string, what: keyof Pickup): number => median((results.get(name) ?? []).map((one) => one[what]));
  const rowsOf = (what: keyof Pickup, floorOf: (name: string) => number | null): Row[] => [
    ownRow(bench, `pickup ${what}`, value("Crossdock", what), "ms"),
    ...[...peers.keys()].map((name) =>
      peerRow(bench, `pickup ${what}`, value("Crossdock", what), { name, value: value(name, what) }, "ms", floorOf(name)),
    ),
  ];
  return [...rowsOf("p50", () => null), ...rowsOf("p99", (name) => (name === "BullMQ" ? null : 1))];
}

async function fairness(postgres: BenchPostgres, say: (line: string) => void): Promise<Row[]> {
  say("fairness: a small tenant behind 60,000 messages");
  const { p50, p99 } = await measureFairness(postgres, 60_000);
  const row = "small tenant behind 60,000";
  return [ownRow(bench, `${row}, p50`, p50, "ms"), ownRow(bench, `${row}, p99`, p99, "ms", { atMost: 100 })];
}

async function heldOpen(postgres: BenchPostgres, say: (line: string) => void): Promise<Row[]> {
  say("a transaction held open for 45 s at 4,000 messages/s");
  const { claim, delivery } = await measureHeldOpen(postgres, 4000, 45);
  const row = "transaction held open";
  return [
    ownRow(bench, `${row}, claim p50`, claim.p50, "ms"),
    ownRow(bench, `${row}, claim p99`, claim.p99, "ms", { atMost: 20 }),
    ownRow(bench, `${row}, publish to handler p50`, delivery.p50, "ms"),
    ownRow(bench, `${row}, publish to handler p99`, delivery.p99, "ms"),
  ];
}

async function disk(postgres: BenchPostgres, say: (line: string) => void): Promise<Row[]> {
  say("disk: 100,000 messages delivered and made searchable");
  const bytes = await measureDisk(postgres, 100_000);
  return [ownRow(bench, "disk, a million messages of 1 KB, delivered and searchable", bytes / 1000, "GB", { atMost: 1.6 })];
}

async function compareBacklog(postgres: BenchPostgres, open: Open, peers: Map<string, Open>, say: (line: string) => void): Promise<Row[]> {
  const measure = async (name: string, openOne: Open): Promise<number> => {
    say(`1 M backlog: ${name}`);
    const contender = await openOne();
    try {
      await fill(contender, 1_000_000);
      await postgres.settle();
      return await drain(contender, 200_000);
    } finally {
      await contender.close();
    }
  };
  const row = "drain 200,000 of a 1 M backlog";
  const own = await measure("Crossdock", open);
  const rows = [ownRow(bench, row, own, "messages/s")];
  for (const [name, floor] of Object.entries(backlogFloors)) {
    const openOne = peers.get(name);
    if (openOne !== undefined) rows.push(peerRow(bench, row, own, { name, value: await measure(name, openOne) }, "messages/s", floor));
  }
  return rows;
}
