import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { dropExpired, getMessage, publish, rollPartitions, saveQueue, saveTarget, sweepShards } from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let owner: pg.Pool;
let queueId: number;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
  owner = database.pool("owner", 1);
  await saveTarget(pool, { tenantId: 1, targetId: 1 });
  queueId = await saveQueue(pool, { tenantId: 1, targetId: 1, name: "q", mode: "fifo", delivery: "push" });
});
afterAll(() => database.drop());

/** Makes the partitions of a day long ago and moves ids into it, as if the database had lived then. */
async function liveOn(day: number): Promise<void> {
  const { rows } = await owner.query<{ parent: string }>("select parent from queue.day_partitioned");
  for (const { parent } of rows) {
    const name = await owner.query<{ name: string }>("select queue.partition_name($1, $2) as name", [parent, day]);
    await owner.query(
      `create table ${name.rows[0]?.name} partition of ${parent} for values from (${day}0000000000) to (${day + 1}0000000000)`,
    );
  }
  await owner.query("select setval('queue.message_id', $1)", [`${day}0000000000`]);
}

async function publishOne(key: string): Promise<string> {
  const [id] = await publish(pool, [{ tenantId: 1, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }]);
  return id ?? "";
}

test("ids move into the database's today, and an old day is dropped once nothing of it waits", async () => {
  await liveOn(18_262);
  const old = await publishOne("old");
  expect(old.startsWith("18262")).toBe(true);
  expect(await rollPartitions(pool)).toBe(0);
  expect(BigInt(await publishOne("new"))).toBeGreaterThan(BigInt(old) + 10_000_000_000n);
  expect(await dropExpired(pool, { retentionDays: 30 })).toEqual([]);
  await pool.query("delete from queue.ready where id = $1", [old]);
  expect(await dropExpired(pool, { retentionDays: 30 })).toContain("queue.message_20200101");
  expect(await getMessage(pool, { tenantId: 1, messageId: old })).toBeNull();
});

test("the sweep wakes a shard that sleeps although it has messages", async () => {
  await publishOne("sleeper");
  await pool.query("update queue.shard set is_active = false");
  expect(await sweepShards(pool)).toBeGreaterThan(0);
  expect(await sweepShards(pool)).toBe(0);
});
