import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { claim, publish, retryNow, saveQueue, saveTarget, settle, sweepShards } from "./index.ts";
import { leaseShards, type LeaseHeader } from "./step.ts";

// Which shards a worker leases, in which turn, and what it is told of them.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 3);
});
beforeEach(async () => {
  tenantId += 10;
  // What an earlier test left behind is nobody's turn here.
  await pool.query("update queue.shard set is_active = false");
  await pool.query("delete from queue.ready");
});
afterAll(() => database.drop());

type QueueOptions = { of?: number; targetId?: number; name?: string; concurrency?: number; delivery?: "push" | "pull" };

/** A queue with as many shards as its target takes deliveries at a time. */
async function makeQueue({ of = tenantId, targetId = 1, name = "a.order", concurrency = 1, delivery = "push" }: QueueOptions = {}) {
  await saveTarget(pool, { tenantId: of, targetId, concurrency });
  return saveQueue(pool, { tenantId: of, targetId, name, mode: "fifo", delivery });
}

/** As if they had been leased before, and with this virtual time. */
async function setShards(queueId: number, virtualTime: number, more = "is_active = true, is_fresh = false"): Promise<void> {
  await pool.query(`update queue.shard set virtual_time = $2, ${more} where queue_id = $1`, [queueId, virtualTime]);
}

const send = (queueId: number) => publish(pool, [{ tenantId, queueId, subtenantId: 1, key: "a", entityType: "order", document: "{}" }]);

function lease(skip: { tenantId: number; targetId: number }[] = [], shards = 100): Promise<LeaseHeader[]> {
  return leaseShards(pool, { workerId: "w", shards, leaseSeconds: 600, skip });
}

async function shardOf<Row extends pg.QueryResultRow>(queueId: number, columns: string): Promise<Row | undefined> {
  return (await pool.query<Row>(`select ${columns} from queue.shard where queue_id = $1`, [queueId])).rows[0];
}

test("the tenant that was served least has its turn, and what is leased, blocked, empty or to be skipped has none", async () => {
  const queues = [await makeQueue(), await makeQueue({ of: tenantId + 1 }), await makeQueue({ of: tenantId + 2 })];
  const [leased, blocked, empty] = [await makeQueue({ name: "b" }), await makeQueue({ name: "c" }), await makeQueue({ name: "d" })];
  const skipped = await makeQueue({ of: tenantId + 1, targetId: 2 });
  const times = [30, 10, 20];
  for (const [index, queueId] of queues.entries()) await setShards(queueId, times[index] ?? 0);
  await setShards(leased, 0, "is_active = true, is_fresh = false, lease_until = 'infinity'");
  await setShards(blocked, 0, "is_active = true, is_blocked = true");
  await setShards(empty, 0, "is_active = false");
  await setShards(skipped, 0);
  const skip = [{ tenantId: tenantId + 1, targetId: 2 }];
  const turns: number[][] = [];
  for (let turn = await lease(skip); turn.length > 0; turn = await lease(skip)) turns.push(turn.map(({ queueId }) => queueId));
  expect(turns).toEqual([[queues[1]], [queues[2]], [queues[0]]]);
  expect(await shardOf(blocked, "owner")).toEqual({ owner: null });
});

test("who has lost a shard can no longer begin a careful delivery of it", async () => {
  const queueId = await makeQueue();
  const [messageId] = await send(queueId);
  const mark = async (epoch: string) => {
    const values = [tenantId, queueId, 0, epoch, messageId];
    return (await pool.query<{ isMarked: boolean }>(`select queue.mark_suspect($1, $2, $3::smallint, $4, $5) as "isMarked"`, values))
      .rows[0];
  };
  const [before] = await lease();
  await setShards(queueId, 0, "lease_until = '-infinity'");
  const [after] = await lease();
  expect(await mark(before?.epoch ?? "")).toEqual({ isMarked: false });
  expect((await pool.query("select from queue.suspect where tenant_id = $1", [tenantId])).rows).toHaveLength(0);
  expect(await mark(after?.epoch ?? "")).toEqual({ isMarked: true });
});

test("what a delivery counts is multiplied by the tenant's queues and the queue's shards with something to do, so that all share equally", async () => {
  const [two, one, none] = [
    await makeQueue({ concurrency: 2 }),
    await makeQueue({ targetId: 2 }),
    await makeQueue({ targetId: 3, concurrency: 8 }),
  ];
  await setShards(two, 7);
  await setShards(one, 5);
  await setShards(none, 0, "is_active = false");
  await setShards(await makeQueue({ of: tenantId + 1 }), 9);
  // Of the tenant's, too, those that were served least come first.
  const weights = [...(await lease([], 1)), ...(await lease())].map(({ queueId, weight }) => [queueId, weight]);
  expect(weights).toEqual([
    [one, 2],
    [two, 4],
    [two, 4],
  ]);
});

test("of shards that all slept none has an advantage", async () => {
  const [first, second] = [await makeQueue(), await makeQueue({ of: tenantId + 1 })];
  await setShards(first, 0, "is_active = true, is_fresh = true");
  await setShards(second, 90, "is_active = true, is_fresh = true");
  await lease();
  await lease();
  expect(await shardOf(first, "virtual_time")).toEqual({ virtual_time: 90 });
});

/** Ways in which a shard that slept, or was blocked, has something to do again. Each answers what workers are told. */
const ways: Record<string, (queueId: number, asleep: () => Promise<void>) => Promise<string>> = {
  "is published to": async (queueId, asleep) => {
    await asleep();
    await send(queueId);
    return `${tenantId} *`;
  },
  "was put to sleep while somebody published": async (queueId, asleep) => {
    await send(queueId);
    await asleep();
    await sweepShards(pool);
    return "";
  },
  "gets a message back": async (queueId, asleep) => {
    const queue = { tenantId, targetId: 1, name: "a.order", mode: "fifo" } as const;
    await saveQueue(pool, { ...queue, delivery: "pull" });
    const messageIds = await send(queueId);
    const [leased] = await claim(pool, { tenantId, queueId, max: 1, leaseSeconds: 600 });
    await settle(pool, { tenantId, leaseToken: leased?.leaseToken ?? "", outcome: { kind: "released", delayMs: 600_000 } });
    await saveQueue(pool, { ...queue, delivery: "push" });
    await asleep();
    await retryNow(pool, { tenantId, messageIds });
    return String(tenantId);
  },
  "is of a target that is paused no more": (queueId) =>
    pausing(queueId, (isPaused) => saveTarget(pool, { tenantId, targetId: 1, isPaused })),
  "is of a queue that is paused no more": (queueId) =>
    pausing(queueId, (isPaused) => saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push", isPaused })),
};

async function pausing(queueId: number, pause: (isPaused: boolean) => Promise<unknown>): Promise<string> {
  await send(queueId);
  await pause(true);
  await setShards(queueId, 0);
  expect(await lease()).toEqual([]);
  await pause(false);
  return "";
}

test.each(Object.keys(ways))("a shard that %s is told of, and has gained nothing over those that were served meanwhile", async (way) => {
  await setShards(await makeQueue({ of: tenantId + 1 }), 90, "is_active = true, is_fresh = false, lease_until = 'infinity'");
  const queueId = await makeQueue();
  const client = await database.pool("worker", 1).connect();
  const told: string[] = [];
  client.on("notification", ({ payload = "" }) => told.push(payload));
  await client.query("listen queue_ready");
  const expected = await ways[way]?.(queueId, () => setShards(queueId, 0, "is_active = false, is_fresh = false"));
  // What was notified before arrives before the answer.
  await client.query("select");
  client.release(true);
  expect(told.at(-1)).toBe(expected);
  expect(await lease()).toMatchObject([{ queueId }]);
  expect(await shardOf(queueId, "virtual_time, is_fresh")).toEqual({ virtual_time: 90, is_fresh: false });
});

test.each([
  { of: "was given back", owner: null, readTo: 90, header: { carefulTo: "70", cursor: "40", isLost: false } },
  { of: "was lost", owner: "killed", readTo: 90, header: { carefulTo: "90", cursor: "0", isLost: true } },
  { of: "was lost again before it was read as far", owner: "killed", readTo: 60, header: { carefulTo: "70", cursor: "0", isLost: true } },
])("the next worker of a shard that $of knows what may have been delivered, and where to read", async ({ owner, readTo, header }) => {
  const queueId = await makeQueue();
  await setShards(queueId, 0, "is_active = true, is_fresh = false, is_waiting = true, careful_to = 70, cursor = 40, epoch = 3");
  await pool.query("update queue.shard set owner = $2, read_to = $3 where queue_id = $1", [queueId, owner, readTo]);
  expect(await lease()).toMatchObject([{ queueId, epoch: "4", ...header }]);
  // Nothing is in the new worker's hand yet, and nobody is to tell it of what it has not looked for.
  const row = await shardOf(queueId, "owner, epoch, read_to, is_waiting, lease_until > clock_timestamp() as is_leased");
  expect(row).toEqual({ owner: "w", epoch: "4", read_to: "0", is_waiting: false, is_leased: true });
});
