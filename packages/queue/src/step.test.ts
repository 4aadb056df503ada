import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, remove, saveQueue, saveTarget, type Handler, type Outcome, type WorkerOptions } from "./index.ts";

// What a worker's steps do to the rows of shards and messages.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 10);
});
beforeEach(() => {
  tenantId++;
});
afterAll(() => database.drop());

const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 1 } };

/** A queue of one shard. */
async function makeQueue(mode: "fifo" | "latest" = "fifo"): Promise<number> {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 1 });
  return saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode, delivery: "push" });
}

function send(queueId: number, keys: readonly string[]): Promise<string[]> {
  const messages = keys.map((key) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: `{"of":"${key}"}` }));
  return publish(pool, messages);
}

const keysTo = (count: number): string[] => Array.from({ length: count }, (_, index) => `key ${index}`);

async function withWorker(handler: Handler, run: () => Promise<void>, options: Partial<WorkerOptions> = {}): Promise<void> {
  const own = tenantId;
  const worker = createWorker(pool, {
    // What an earlier test left behind is nobody's business here.
    handler: async (delivery, signal) => (delivery.tenantId === own ? handler(delivery, signal) : { kind: "released", delayMs: 60_000 }),
    ...options,
  });
  await worker.start();
  try {
    await run();
  } finally {
    await worker.stop();
  }
}

async function untilSettled(count: number): Promise<void> {
  const sql = "select count(*)::integer as count from queue.history where tenant_id = $1";
  while (((await pool.query<{ count: number }>(sql, [tenantId])).rows[0]?.count ?? 0) < count);
}

async function shardRow(): Promise<{ epoch: string; version: string } | undefined> {
  const sql = "select epoch, xmin::text as version from queue.shard where tenant_id = $1";
  return (await pool.query<{ epoch: string; version: string }>(sql, [tenantId])).rows[0];
}

test("messages that come one after the other are delivered under one lease, whose row is hardly written", async () => {
  const queueId = await makeQueue();
  const versions = new Set<string>();
  const epochs = new Set<string>();
  await withWorker(
    async () => delivered,
    async () => {
      for (let n = 1; n <= 50; n++) {
        await send(queueId, ["a key"]);
        await untilSettled(n);
        const row = await shardRow();
        versions.add(row?.version ?? "");
        epochs.add(row?.epoch ?? "");
      }
    },
    // Longer than the test takes, also where the machine does much else.
    { leaseSeconds: 600, lingerMs: 600_000 },
  );
  expect(epochs).toEqual(new Set(["1"]));
  expect(versions.size).toBeLessThan(10);
});

test("an empty shard goes to sleep, and what is published after that is delivered", async () => {
  const queueId = await makeQueue();
  const arrived: string[] = [];
  await withWorker(
    async ({ messageId }) => {
      arrived.push(messageId);
      return delivered;
    },
    async () => {
      const first = await send(queueId, ["a key"]);
      const sql = "select owner is null and epoch > 0 as is_asleep from queue.shard where tenant_id = $1 and not is_active";
      while (!(await pool.query<{ is_asleep: boolean }>(sql, [tenantId])).rows[0]?.is_asleep);
      const second = await send(queueId, ["a key"]);
      await untilSettled(2);
      expect(arrived).toEqual([...first, ...second]);
    },
    { lingerMs: 10 },
  );
});

test("messages whose rows were moved are read and settled all the same", async () => {
  const queueId = await makeQueue();
  const ids = await send(queueId, keysTo(20));
  await pool.query("update queue.ready set message_place = '(4000000,1)' where tenant_id = $1 and id % 3 = 0", [tenantId]);
  await pool.query(
    "update queue.ready set message_place = (select min(message_place) from queue.ready) where tenant_id = $1 and id % 3 = 1",
    [tenantId],
  );
  const documents: string[] = [];
  const handler: Handler = async ({ document }) => {
    // A row that is written anew stands elsewhere than where the worker read it.
    if (documents.length === 0) await pool.query("update queue.ready set attempts = attempts where tenant_id = $1", [tenantId]);
    documents.push(document);
    return delivered;
  };
  await withWorker(handler, () => untilSettled(ids.length));
  expect(documents.toSorted()).toEqual(
    keysTo(20)
      .map((key) => `{"of":"${key}"}`)
      .toSorted(),
  );
  const left = await pool.query("select from queue.ready where tenant_id = $1", [tenantId]);
  expect(left.rowCount).toBe(0);
});

test.each(["fifo", "latest"] as const)("a step of a %s queue passes none of the rows that a transaction elsewhere keeps", async (mode) => {
  const queueId = await makeQueue(mode);
  const [first = ""] = await send(queueId, ["the first", "the second"]);
  // Leased by hand: a worker takes what earlier tests left behind as well.
  const leaseSql = `
    update queue.shard set owner = 'test', lease_until = clock_timestamp() + interval '1 hour', epoch = epoch + 1
    where tenant_id = $1 returning epoch`;
  const epoch = (await pool.query<{ epoch: string }>(leaseSql, [tenantId])).rows[0]?.epoch;
  const [holder, client] = [await pool.connect(), await pool.connect()];
  const passed = async (): Promise<number> => {
    const sql = "select pg_stat_get_xact_tuples_returned('queue.ready_pkey'::regclass)::integer as passed";
    return (await client.query<{ passed: number }>(sql)).rows[0]?.passed ?? Infinity;
  };
  // Settles the message, reads the next, and answers how many entries of the index that passed.
  const settle = async (id: string): Promise<number> => {
    await client.query("begin");
    const before = await passed();
    const sql = `
      select s.* from queue.ready r cross join lateral queue.step($1, 600, false, array[$2::integer], array[0::smallint], array[$3::bigint], array[0],
        array[r.id], array[10], array[0], array[0], array[r.id], array[0], array[false], array[false], '{}', false,
        array[1::smallint], array[r.id], array[r.ctid], null, null) s
      where r.tenant_id = $1 and r.queue_id = $2 and r.shard = 0 and r.id = $4`;
    expect((await client.query(sql, [tenantId, queueId, epoch, id])).rowCount).toBe(3);
    const after = await passed();
    await client.query("commit");
    return after - before;
  };
  try {
    await holder.query("begin isolation level repeatable read; select pg_current_xact_id()");
    // Plans are made while the table is small, and kept.
    await settle(first);
    await send(queueId, keysTo(5000));
    await client.query("delete from queue.ready where tenant_id = $1", [tenantId]);
    const [last = ""] = await send(queueId, ["one more", "the last"]);
    expect(await settle(last)).toBeLessThan(100);
    expect((await client.query("select from queue.ready where tenant_id = $1", [tenantId])).rowCount).toBe(1);
  } finally {
    // Ended rather than given back: a transaction may be open in them.
    holder.release(true);
    client.release(true);
  }
});

test("what a slow target was not given can be removed, also when all was read just before", async () => {
  const queueId = await makeQueue();
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const handler: Handler = async () => {
    started.resolve();
    await gate.promise;
    return delivered;
  };
  await withWorker(handler, async () => {
    await send(queueId, ["the first"]);
    await started.promise;
    const ids = await send(queueId, keysTo(1500));
    const last = ids.at(-1) ?? "";
    // Its publication may be on its way to the worker, who has to say first that it doesn't take it.
    let removed: string[] = [];
    while (removed.length === 0) removed = await remove(pool, { tenantId, messageIds: [last], by: "test" });
    expect(removed).toEqual([last]);
    gate.resolve();
    await untilSettled(1500);
  });
});

test("a newer message of a 'latest' lane leaves alone what is being delivered, wherever the reader stands", async () => {
  const queueId = await makeQueue("latest");
  const gates: PromiseWithResolvers<void>[] = [];
  let begun = Promise.withResolvers<void>();
  const handler: Handler = async ({ key }) => {
    if (key !== "slow") return delivered;
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    begun.resolve();
    await gate.promise;
    return delivered;
  };
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
  await withWorker(handler, async () => {
    const [first] = await send(queueId, ["slow"]);
    await begun.promise;
    // The cursor passes the message in hand.
    for (let n = 1; n <= 5; n++) {
      await send(queueId, ["other"]);
      await untilSettled(n);
    }
    begun = Promise.withResolvers<void>();
    const [second] = await send(queueId, ["slow"]);
    await send(queueId, ["other"]);
    await untilSettled(6);
    gates[0]?.resolve();
    await begun.promise;
    gates[1]?.resolve();
    await untilSettled(8);
    const { rows } = await pool.query("select outcome from queue.history where tenant_id = $1 and id = any ($2) order by id", [
      tenantId,
      [first, second],
    ]);
    expect(rows).toEqual([{ outcome: "delivered" }, { outcome: "delivered" }]);
  });
});

test("of messages of a 'latest' lane that wait in memory the newest is delivered, and the others are settled as superseded", async () => {
  const queueId = await makeQueue("latest");
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const handler: Handler = async ({ messageId, key }) => {
    if (key !== "slow") return delivered;
    seen.push(messageId);
    begun.resolve();
    await gate.promise;
    return delivered;
  };
  await withWorker(handler, async () => {
    const [first] = await send(queueId, ["slow"]);
    await begun.promise;
    // What is published after it is delivered only when it has been read.
    const [second] = await send(queueId, ["slow"]);
    await send(queueId, ["other"]);
    await untilSettled(1);
    const [third] = await send(queueId, ["slow"]);
    await send(queueId, ["other"]);
    await untilSettled(3);
    gate.resolve();
    await untilSettled(5);
    expect(seen).toEqual([first, third]);
    const { rows } = await pool.query("select outcome from queue.history where tenant_id = $1 and id = any ($2) order by id", [
      tenantId,
      [first, second, third],
    ]);
    expect(rows.map(({ outcome }) => outcome)).toEqual(["delivered", "superseded", "delivered"]);
  });
});

test.each([
  { of: "fifo", moved: 0, commit: "off" },
  { of: "fifo", moved: 1, commit: "on" },
  { of: "latest", moved: 0, commit: "off" },
  { of: "latest", moved: 1, commit: "on" },
] as const)(
  "a read of a $of queue that moves $moved messages out of its reader's way is committed with synchronous_commit $commit",
  async ({ of, moved, commit }) => {
    const queueId = await makeQueue(of);
    await send(queueId, moved === 0 ? ["a"] : ["a", "a"]);
    const holdSql =
      "insert into queue.held (tenant_id, queue_id, lane, message_id) select tenant_id, queue_id, lane, min(id) from queue.ready where tenant_id = $1 group by 1, 2, 3";
    if (of === "fifo") await pool.query(holdSql, [tenantId]);
    await pool.query("update queue.shard set owner = 'test', lease_until = 'infinity', epoch = 1 where tenant_id = $1", [tenantId]);
    const client = await pool.connect();
    try {
      await client.query("begin");
      const sql = `
      select * from queue.step($1, 600, false, array[$2::integer], array[0::smallint], array[1::bigint], array[0], array[0::bigint], array[10], array[0],
        array[0], array[0::bigint], array[0], array[false], array[false], '{}', false, '{}', '{}', '{}', null, null)`;
      expect((await client.query(sql, [tenantId, queueId])).rowCount).toBe(3);
      expect((await client.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: commit }]);
      expect((await client.query("select from queue.ready where tenant_id = $1", [tenantId])).rowCount).toBe(1);
    } finally {
      client.release(true);
    }
  },
);

test("of a step for two shards, one of which was lost meanwhile, only the other's results count", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
  await send(queueId, keysTo(20));
  const sql =
    "select shard + 1 as slot, (array_agg(id::text order by id))[1:2] as ids from queue.ready where tenant_id = $1 group by shard order by shard";
  const { rows } = await pool.query<{ slot: number; ids: [string, string] }>(sql, [tenantId]);
  await pool.query("update queue.shard set owner = 'test', lease_until = 'infinity', epoch = 1 + shard where tenant_id = $1", [tenantId]);
  const failures = rows.map(({ slot, ids }) => ({ slot, id: ids[1], kind: "dead" }));
  const attempts = rows.flatMap(({ slot, ids }) => ids.map((id) => ({ slot, id, ageMs: 0, durationMs: 1 })));
  const { rows: answer } = await pool.query<{ header: string }>(
    `select header from queue.step($1, 600, false, array[$2::integer, $2], '{0,1}', '{1,1}', '{0,0}', '{0,0}', '{0,0}', '{0,0}', '{0,0}', '{0,0}', '{0,0}',
       '{f,f}', '{f,f}', '{}', false, '{1,2}', $3, '{null,null}', $4, $5)`,
    [tenantId, queueId, rows.map(({ ids }) => ids[0]), JSON.stringify(failures), JSON.stringify(attempts)],
  );
  expect(answer.map(({ header }) => header).filter((header) => /"slot" ?: ?2/.test(header))).toEqual([]);
  const ours = rows[0]?.ids ?? [];
  const settledSql =
    "select id::text from (select id from queue.history where tenant_id = $1 union all select id from queue.dead where tenant_id = $1) s order by id";
  expect((await pool.query(settledSql, [tenantId])).rows.map(({ id }) => id)).toEqual(ours);
  const triedSql = "select id::text from queue.attempt where tenant_id = $1 order by id";
  expect((await pool.query(triedSql, [tenantId])).rows.map(({ id }) => id)).toEqual(ours);
});

type SlotOf = { cursor?: string; room?: number; held?: number; reached?: string; isRelease?: boolean; isResting?: boolean };

/** Leases the queue's one shard by hand and takes a step that settles nothing: its headers, and how many messages it brought. */
async function stepOf(queueId: number, slot: SlotOf): Promise<{ state: unknown; progress: unknown; count: number }> {
  const { cursor = "0", room = 10, held = 0, reached = "0", isRelease = false, isResting = false } = slot;
  await pool.query("update queue.shard set owner = 'test', lease_until = 'infinity', epoch = 1 where tenant_id = $1", [tenantId]);
  const { rows } = await pool.query<{ header: string }>(
    `select header from queue.step($1, 600, false, array[$2::integer], '{0}', '{1}', '{0}', array[$3::bigint], array[$4::integer], array[$5::integer],
       '{0}', array[$6::bigint], '{3}', array[$7::boolean], array[$8::boolean], '{}', false, '{}', '{}', '{}', null, null)`,
    [tenantId, queueId, cursor, room, held, reached, isRelease, isResting],
  );
  const [state, progress] = rows.map(({ header }) => JSON.parse(header ?? "{}"));
  return { state: state[0], progress: progress.slots[0], count: rows.length - 2 };
}

async function shardIs(columns: string): Promise<unknown> {
  return (await pool.query(`select ${columns} from queue.shard where tenant_id = $1`, [tenantId])).rows[0];
}

test.each([
  { of: "is blocked", change: "is_blocked = true", stateOf: () => ({ isBlocked: true, reachedTo: null }) },
  // What the worker will find at the head counts as in its hand.
  { of: "messages came back to", change: "generation = 1", stateOf: (ids: string[]) => ({ generation: 1, reachedTo: Number(ids[1]) }) },
])("of a shard that $of nothing is read before its worker knows", async ({ change, stateOf }) => {
  const queueId = await makeQueue();
  const ids = await send(queueId, keysTo(3));
  await pool.query(`update queue.shard set ${change} where tenant_id = $1`, [tenantId]);
  const answer = await stepOf(queueId, { room: 1, held: 1 });
  expect(answer).toMatchObject({ count: 0, state: stateOf(ids), progress: { isRead: false } });
});

test.each([
  { of: "is given back", change: "cursor = 7", slot: { isRelease: true, room: 0 }, cursor: "40" },
  { of: "is given back as messages come back", change: "generation = 1", slot: { isRelease: true, room: 0 }, cursor: "0" },
  { of: "goes to sleep", change: "cursor = 7", slot: { isResting: true }, cursor: "40", isActive: false },
])("who leases a shard that $of reads on where nothing is left behind", async ({ change, slot, cursor, isActive = true }) => {
  const queueId = await makeQueue();
  await pool.query(`update queue.shard set is_active = true, is_waiting = true, ${change} where tenant_id = $1`, [tenantId]);
  await stepOf(queueId, { cursor: "40", ...slot });
  const columns = `owner, lease_until::text as until, is_waiting, cursor, is_active as "isActive", virtual_time as time`;
  expect(await shardIs(columns)).toEqual({ owner: null, until: "-infinity", is_waiting: false, cursor, isActive, time: 3 });
});

test("a shard of which messages are in hand neither counts as empty nor goes to sleep", async () => {
  const queueId = await makeQueue();
  await pool.query("update queue.shard set is_active = true where tenant_id = $1", [tenantId]);
  expect((await stepOf(queueId, { cursor: "40", held: 1, reached: "40", isResting: true })).progress).toMatchObject({
    isEmpty: false,
    isAsleep: false,
    isWhole: true,
  });
  expect(await shardIs("owner, is_active")).toEqual({ owner: "test", is_active: true });
});
