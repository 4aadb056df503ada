import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  dropExpired,
  getMessage,
  publish,
  remove,
  restore,
  rollPartitions,
  saveQueue,
  saveTarget,
  settle,
  sweepShards,
} from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let owner: pg.Pool;
let queueId: number;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
  // Its template may be of the day before, around midnight.
  await rollPartitions(pool);
  owner = database.pool("owner", 1);
  await saveTarget(pool, { tenantId: 1, targetId: 1 });
  queueId = await saveQueue(pool, { tenantId: 1, targetId: 1, name: "q", mode: "fifo", delivery: "push" });
  // Tests let a drop wait until they have seen it wait, however long that takes.
  await owner.query("alter function queue.drop_expired set lock_timeout = '60s'");
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

async function publishOne(key: string, to = queueId): Promise<string> {
  const [id] = await publish(pool, [{ tenantId: 1, queueId: to, subtenantId: 1, key, entityType: "order", document: "{}" }]);
  return id ?? "";
}

/** Publishes a message that has an id of a day long ago. */
async function publishOn(day: number, to = queueId): Promise<string> {
  const { rows } = await owner.query<{ last: string }>("select last_value as last from queue.message_id");
  await liveOn(day);
  const id = await publishOne("old", to);
  await owner.query("select setval('queue.message_id', $1)", [rows[0]?.last]);
  return id;
}

test("ids move into the database's today, and an old day is dropped once nothing of it waits", async () => {
  await liveOn(18_262);
  const old = await publishOne("old");
  expect(old.startsWith("18262")).toBe(true);
  expect(await rollPartitions(pool)).toBe(0);
  expect(BigInt(await publishOne("new"))).toBeGreaterThan(BigInt(old) + 10_000_000_000n);
  expect(await dropExpired(pool, 30)).toEqual([]);
  await pool.query("delete from queue.ready where id = $1", [old]);
  expect(await dropExpired(pool, 30)).toContain("queue.message_20200101");
  expect(await getMessage(pool, { tenantId: 1, messageId: old })).toBeNull();
});

/** Runs beside a transaction, which may go on once it is waited for. Answers whether it was. */
async function besideTransaction<T>(open: (client: pg.PoolClient) => Promise<unknown>, run: () => Promise<T>): Promise<[T, boolean]> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const goOn = await open(client);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const state = { isDone: false };
    let hasWaited = false;
    const running = run().finally(() => (state.isDone = true));
    const waitingSql = "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
    while (!state.isDone && !hasWaited) hasWaited = (await pool.query(waitingSql, [rows[0]?.pid])).rowCount === 1;
    if (typeof goOn === "function") await goOn();
    await client.query("commit");
    return [await running, hasWaited];
  } finally {
    client.release(true);
  }
}

const readMessages = (client: pg.PoolClient) => client.query("select from queue.message limit 0");
const readMessagesThenHistory = async (client: pg.PoolClient) => {
  await readMessages(client);
  return () => client.query("select from queue.history limit 0");
};

test("a day is made while a backup reads the tables, and what is made is like the others", async () => {
  const today = "(clock_timestamp() at time zone 'utc')::date - date '1970-01-01'";
  const { rows } = await owner.query<{ made: string; other: string }>(
    `select queue.partition_name(parent, ${today} + 3) as made, queue.partition_name(parent, ${today} + 2) as other from queue.day_partitioned`,
  );
  for (const { made } of rows) await owner.query(`drop table if exists ${made}`);
  expect(await besideTransaction(readMessages, () => rollPartitions(pool))).toEqual([rows.length, false]);
  const shapeSql = `
    select array(select (attname, atttypid, attnotnull, attstorage, atthasdef)::text from pg_attribute where attrelid = c.oid and attnum > 0 order by attnum) as columns,
      array(select regexp_replace(pg_get_indexdef(i.indexrelid), '_\\d{8}', '', 'g') || (select count(*) from pg_inherits h where h.inhrelid = i.indexrelid)
        from pg_index i where i.indrelid = c.oid order by 1) as indexes,
      array(select pg_get_constraintdef(k.oid) || k.conislocal from pg_constraint k where k.conrelid = c.oid order by 1) as constraints, c.relowner
    from pg_class c where c.oid = $1::regclass`;
  for (const { made, other } of rows)
    expect((await owner.query(shapeSql, [made])).rows).toEqual((await owner.query(shapeSql, [other])).rows);
});

test("a message that is restored while its day is dropped stays whole, and the day with it", async () => {
  const id = await publishOn(18_263);
  await remove(pool, { tenantId: 1, messageIds: [id] });
  await longAgo("removed", id);
  const drop = () => dropExpired(pool, 30);
  const restoring = (client: pg.PoolClient) => restore(client, { tenantId: 1, messageIds: [id] });
  // Without its history, what is finished of that day would look as if it were not.
  expect(await besideTransaction(restoring, drop)).toEqual([expect.not.arrayContaining(["queue.history_20200102"]), true]);
  expect(await getMessage(pool, { tenantId: 1, messageId: id })).toMatchObject({ state: "ready" });
  await pool.query("delete from queue.ready where id = $1", [id]);
  expect(await drop()).toContain("queue.message_20200102");
});

/** The tables of which a day was dropped. */
function tablesOf(day: number, dropped: readonly string[]): string[] {
  const date = new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
  return dropped.filter((name) => name.endsWith(`_${date}`)).map((name) => name.slice(0, -"_YYYYMMDD".length));
}

const settlingFailed = (kind: "retry" | "dead", id: string) =>
  pool.query(
    `select queue.settle_failed(1, jsonb_build_array(jsonb_build_object('kind', $1::text, 'delayMs', 1e9, 'queueId', queue_id, 'shard', shard, 'id', id)))
     from queue.ready where id = $2`,
    [kind, id],
  );

test.each([
  ["ready", 18_270, () => Promise.resolve()],
  ["retrying", 18_271, (id: string) => settlingFailed("retry", id)],
  ["dead", 18_272, (id: string) => settlingFailed("dead", id)],
  [
    "parked",
    18_273,
    (id: string) =>
      pool.query(
        `with moved as (delete from queue.ready where id = $1 returning *)
         insert into queue.parked (tenant_id, queue_id, shard, id, lane) select tenant_id, queue_id, shard, id, lane from moved`,
        [id],
      ),
  ],
])("a day is kept whole while a message of it is %s", async (state, day, put) => {
  const id = await publishOn(day);
  await put(id);
  expect(await getMessage(pool, { tenantId: 1, messageId: id })).toMatchObject({ state });
  expect(tablesOf(day, await dropExpired(pool, 30))).toEqual([]);
  await pool.query(`delete from queue.${state} where id = $1`, [id]);
  expect(tablesOf(day, await dropExpired(pool, 30))).toContain("queue.message");
});

const longAgo = (table: "removed" | "history", id: string) =>
  pool.query(`update queue.${table} set ${table === "removed" ? "removed_at" : "finished_at"} = now() - interval '31 days' where id = $1`, [
    id,
  ]);

// Whenever a message was published: an old dead letter that is removed today may come back for as long as any other.
test("what was removed can be restored until the retention is over, and is gone with its day then", async () => {
  const id = await publishOn(18_274);
  await settlingFailed("dead", id);
  await remove(pool, { tenantId: 1, messageIds: [id] });
  expect(tablesOf(18_274, await dropExpired(pool, 30))).toEqual([]);
  expect(await restore(pool, { tenantId: 1, messageIds: [id] })).toEqual([id]);
  await remove(pool, { tenantId: 1, messageIds: [id] });
  await longAgo("removed", id);
  expect(tablesOf(18_274, await dropExpired(pool, 30))).toContain("queue.message");
  expect((await pool.query("select from queue.removed where id = $1", [id])).rowCount).toBe(0);
});

test("what was finished is known until the retention is over, however old it was", async () => {
  const pulled = await saveQueue(pool, { tenantId: 1, targetId: 1, name: "late", mode: "fifo", delivery: "pull" });
  const id = await publishOn(18_278, pulled);
  const [lease] = await claim(pool, { tenantId: 1, queueId: pulled, max: 1, leaseSeconds: 60 });
  await settle(pool, { tenantId: 1, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
  expect(tablesOf(18_278, await dropExpired(pool, 30))).toEqual([]);
  expect(await getMessage(pool, { tenantId: 1, messageId: id })).toMatchObject({ state: "delivered" });
  await longAgo("history", id);
  expect(tablesOf(18_278, await dropExpired(pool, 30))).toEqual(expect.arrayContaining(["queue.message", "queue.history"]));
});

test("days are kept as long as the retention says, and no longer", async () => {
  const { rows } = await owner.query<{ today: number }>("select (clock_timestamp() at time zone 'utc')::date - date '1970-01-01' as today");
  await publishOn(18_275);
  await publishOn(18_276);
  await pool.query("delete from queue.ready");
  const dropped = await dropExpired(pool, (rows[0]?.today ?? 0) - 18_276);
  expect(tablesOf(18_275, dropped)).toContain("queue.message");
  expect(tablesOf(18_276, dropped)).toEqual([]);
});

test("a day is dropped table by table: whoever holds one of them may go on to another", async () => {
  await publishOn(18_264);
  await pool.query("delete from queue.ready");
  // As a publication to a queue of the newest: from the messages to the history.
  const [dropped] = await besideTransaction(readMessagesThenHistory, () => dropExpired(pool, 30));
  expect(dropped).toEqual(expect.arrayContaining(["queue.history_20200103", "queue.message_20200103"]));
});

test("a message that was delivered looks delivered until it is gone, wherever the drop of its day breaks off", async () => {
  const pulled = await saveQueue(pool, { tenantId: 1, targetId: 1, name: "pulled", mode: "fifo", delivery: "pull" });
  const id = await publishOn(18_277, pulled);
  const [lease] = await claim(pool, { tenantId: 1, queueId: pulled, max: 1, leaseSeconds: 60 });
  await settle(pool, { tenantId: 1, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
  await longAgo("history", id);
  const states = new Set<string | undefined>();
  for (let dropped: string | null = ""; dropped !== null;) {
    states.add((await getMessage(pool, { tenantId: 1, messageId: id }))?.state);
    dropped = (await pool.query<{ name: string | null }>("select queue.drop_expired(30) as name")).rows[0]?.name ?? null;
  }
  expect([...states]).toEqual(["delivered", undefined]);
});

test("the sweep wakes a shard that sleeps although it has messages", async () => {
  await publishOne("sleeper");
  await pool.query("update queue.shard set is_active = false");
  expect(await sweepShards(pool)).toBeGreaterThan(0);
  expect(await sweepShards(pool)).toBe(0);
});
