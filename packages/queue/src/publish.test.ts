import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { getMessage, listMessages, publish, saveQueue, saveTarget, type NewMessage } from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
const tenantId = 1;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 2);
  await saveTarget(pool, { tenantId, targetId: 1 });
});
afterAll(() => database.drop());

const queue = (name: string): Promise<number> => saveQueue(pool, { tenantId, targetId: 1, name, mode: "fifo", delivery: "push" });

test("a batch's messages are found as they were published, under the ids in their order", async () => {
  const [orders, prices] = [await queue("b.order"), await queue("b.price")];
  const base = { subtenantId: 1, entityType: "order" };
  const batch: Omit<NewMessage, "tenantId">[] = [
    { ...base, queueId: orders, key: "plain", document: '{"a":1}' },
    {
      ...base,
      queueId: prices,
      key: 'naïve "key", {with} \\ 價格 🛒',
      document: '"Ωμέγα 🚚, {null}, \\"NULL\\""',
      entityType: "price",
      version: "7",
    },
    { ...base, queueId: orders, key: "", document: "", source: "b.shop", headers: { accept: "ö" }, originId: "9", entityVersion: 3 },
    { ...base, queueId: prices, key: "null", document: "x".repeat(100_000), subtenantId: 2 },
  ];
  const ids = await publish(
    pool,
    batch.map((message) => ({ tenantId, ...message })),
  );
  expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((a, b) => a - b));
  const stored = await Promise.all(ids.map((messageId) => getMessage(pool, { tenantId, messageId })));
  const defaults = { source: null, headers: {}, version: null, originId: null, entityVersion: null };
  const expected = batch.map((message, index) => ({ ...defaults, ...message, messageId: ids[index] }));
  expect(stored).toMatchObject(expected);
});

test("half a surrogate pair is stored as the replacement character, and shifts nothing", async () => {
  const queueId = await queue("b.item");
  const base = { tenantId, queueId, subtenantId: 1, entityType: "item" };
  const ids = await publish(pool, [
    { ...base, key: "a", document: "\ud83d-" },
    { ...base, key: "b", document: "after" },
  ]);
  const stored = await Promise.all(ids.map((messageId) => getMessage(pool, { tenantId, messageId })));
  expect(stored.map((message) => message?.document)).toEqual(["\ufffd-", "after"]);
});

test("a batch with an unknown queue, another tenant's message or a NUL stores nothing", async () => {
  const queueId = await queue("b.stock");
  const good = { tenantId, queueId, subtenantId: 1, key: "k", entityType: "stock", document: "{}" };
  await expect(publish(pool, [good, { ...good, queueId: 999_999 }])).rejects.toMatchObject({ code: "unknown-queue" });
  await expect(publish(pool, [good, { ...good, tenantId: 2 }])).rejects.toMatchObject({ code: "mixed-tenants" });
  await expect(publish(pool, [good, { ...good, key: "a\0b" }])).rejects.toMatchObject({ code: "nul-character" });
  expect((await listMessages(pool, { tenantId, filter: { queueIds: [queueId] }, limit: 10 })).items).toEqual([]);
});

test("workers are told of what may be leased, and which leased shards to read, so that they leave the others alone", async () => {
  await saveTarget(pool, { tenantId, targetId: 2, concurrency: 2 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 2, name: "c.order", mode: "fifo", delivery: "push" });
  // The first letters of the alphabet whose lanes are in shard 0 and in shard 1.
  const keySql = "select chr(96 + n) as key from generate_series(1, 26) n where queue.lane_of(chr(96 + n)) & 1 = $1 limit 1";
  const keys = await Promise.all([0, 1].map(async (shard) => (await pool.query<{ key: string }>(keySql, [shard])).rows[0]?.key ?? ""));
  const send = (shards: readonly number[]): Promise<string[]> =>
    publish(
      pool,
      shards.map((shard) => ({ tenantId, queueId, subtenantId: 1, key: keys[shard] ?? "", entityType: "order", document: "{}" })),
    );
  const told: string[] = [];
  const client = await database.pool("worker", 1).connect();
  client.on("notification", ({ payload = "" }) => told.push(payload));
  await client.query("listen queue_ready");
  const lease =
    "update queue.shard set owner = 'w', lease_until = now() + interval '1 hour', is_waiting = true where queue_id = $1 and shard = $2";
  await send([0]);
  await pool.query(lease, [queueId, 0]);
  await send([0, 1]);
  await pool.query(lease, [queueId, 1]);
  await send([1]);
  await pool.query("update queue.shard set is_active = false, is_waiting = false, is_blocked = true where queue_id = $1", [queueId]);
  await send([0, 1]);
  // What was notified before arrives before the answer.
  await client.query("select");
  client.release(true);
  const ours = told.filter((payload) => payload.startsWith(`${tenantId} `));
  expect(ours).toEqual([`${tenantId} *`, `${tenantId} * ${queueId}.0`, `${tenantId} ${queueId}.1`]);
});

test("more leased shards than a notification has room for are not named, and all of the tenant's are read", async () => {
  await saveTarget(pool, { tenantId, targetId: 3, concurrency: 64 });
  for (const name of ["d", "e", "f", "g"]) await saveQueue(pool, { tenantId, targetId: 3, name, mode: "fifo", delivery: "push" });
  const ofTarget = "queue_id in (select id from queue.queue where target_id = 3)";
  await pool.query(`update queue.shard set is_active = true, is_waiting = true where ${ofTarget}`);
  const sql = `select queue.wake_idle($1, array_agg(queue_id), array_agg(shard)) as told from queue.shard where ${ofTarget}`;
  expect((await pool.query(sql, [tenantId])).rows).toEqual([{ told: String(tenantId) }]);
});
