import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { countedAtOnce } from "./queue-depths.ts";
import {
  countWaiting,
  deadGroups,
  foldDeaths,
  matchingDeadGroups,
  publish,
  purgeQueue,
  queueDepths,
  saveQueue,
  saveTarget,
} from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
let queueIds: number[];
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());
beforeEach(async () => {
  tenantId += 1;
  await saveTarget(pool, { tenantId, targetId: 1 });
  const names = ["a.order", "b.order"];
  queueIds = await Promise.all(names.map((name) => saveQueue(pool, { tenantId, targetId: 1, name, mode: "fifo", delivery: "push" })));
});

async function publishMany(queueId: number, count: number): Promise<string[]> {
  const one = { tenantId, queueId, subtenantId: 1, entityType: "order", document: "{}" };
  return publish(
    pool,
    Array.from({ length: count }, (_, index) => ({ ...one, key: `k${index}` })),
  );
}

const dieSql = `
  with gone as (delete from queue.ready where tenant_id = $1 and id = any ($2) returning *)
  insert into queue.dead (id, lane, dead_at, tenant_id, queue_id, shard, attempts, collapses, error_class, error_message, fingerprint)
  select id, lane, $5, tenant_id, queue_id, shard, 1, false, 'http', $3, $4 from gone`;

async function die(ids: string[], fingerprint: string | null, diedAt = new Date()): Promise<void> {
  await pool.query(dieSql, [tenantId, ids, `of ${fingerprint}`, fingerprint, diedAt]);
}

const before = (time: Date, hours: number): Date => new Date(time.getTime() - hours * 3_600_000);
const shown = (hours: number[] = []): number[] => hours.filter((count) => count > 0);

/** The groups by reading every dead letter. */
async function countedGroups(): Promise<unknown> {
  const { rows } = await pool.query(
    `select fingerprint, sum(count)::integer as count, json_agg(json_build_object('queueId', queue_id, 'targetId', 1, 'count', count) order by last desc, newest desc) as queues,
       queue.iso(min(first)) as "firstAt", queue.iso(max(last)) as "lastAt"
     from (select fingerprint, queue_id, count(*) as count, min(dead_at) as first, max(dead_at) as last, max(id) as newest from queue.dead where tenant_id = $1 group by 1, 2) d
     group by fingerprint order by count desc, max(last) desc`,
    [tenantId],
  );
  return rows;
}

async function groups(): Promise<unknown> {
  const found = await deadGroups(pool, { tenantId });
  return found.map(({ fingerprint, count, queues, firstAt, lastAt }) => ({ fingerprint, count, queues, firstAt, lastAt }));
}

test("the causes of dead letters are those that counting every one finds, whatever was added up in between", async () => {
  const [a = 0, b = 0] = queueIds;
  const ids = [...(await publishMany(a, 30)), ...(await publishMany(b, 30))];
  await die(ids.slice(0, 20), "http-503", before(new Date(), 30));
  await die(ids.slice(20, 40), "http-503", before(new Date(), 2));
  expect(await groups()).toEqual(await countedGroups());
  await foldDeaths(pool);
  expect(await groups()).toEqual(await countedGroups());
  await die(ids.slice(40, 45), null, before(new Date(), 1));
  await pool.query("select queue.requeue_dead($1, $2)", [tenantId, ids.slice(10, 25)]);
  expect(await groups()).toEqual(await countedGroups());
  await Promise.all([foldDeaths(pool), die(ids.slice(45, 50), "http-404"), foldDeaths(pool), die(ids.slice(50, 55), "http-404")]);
  expect(await groups()).toEqual(await countedGroups());
  await foldDeaths(pool);
  await pool.query("update queue.dead set fingerprint = 'renamed' where tenant_id = $1 and fingerprint = 'http-404'", [tenantId]);
  expect(await groups()).toEqual(await countedGroups());
  await pool.query("select queue.requeue_dead($1, $2)", [tenantId, ids]);
  await foldDeaths(pool);
  expect(await groups()).toEqual([]);
  expect((await pool.query("select from queue.dead_tally where tenant_id = $1", [tenantId])).rowCount).toBe(0);
  await die(await publishMany(a, 2), "http-404");
  await database.pool("owner", 1).query("truncate queue.dead");
  expect(await groups()).toEqual([]);
});

test("the hours of a cause move on with the clock, and those of one queue are asked for alone", async () => {
  const [a = 0, b = 0] = queueIds;
  const ids = [...(await publishMany(a, 6)), ...(await publishMany(b, 3))];
  // In the middle of an hour, so that the clock may go on meanwhile.
  const { rows } = await pool.query<{ at: Date }>("select date_trunc('hour', now()) + interval '30 minutes' as at");
  const middle = rows[0]?.at ?? new Date(0);
  await die(ids.slice(0, 2), "http", before(middle, 30));
  await die(ids.slice(2, 5), "http", before(middle, 5));
  await foldDeaths(pool);
  // As it was left three hours ago.
  await pool.query(
    "update queue.dead_tally set hours = queue.sum_hours(hours, to_hour, null, 0, to_hour - 3), to_hour = to_hour - 3 where tenant_id = $1",
    [tenantId],
  );
  await die(ids.slice(5), "http", before(middle, 3));
  const [all] = await deadGroups(pool, { tenantId });
  expect([all?.count, shown(all?.hours)]).toEqual([9, [3, 4]]);
  await foldDeaths(pool);
  const [ofA] = await deadGroups(pool, { tenantId, queueIds: [a] });
  expect([ofA?.count, shown(ofA?.hours)]).toEqual([6, [3, 1]]);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ dead: 6 }, { dead: 3 }]);
});

const findGroups = async (lookedUp: number, beside: number, filter = {}) => {
  const found = await matchingDeadGroups(pool, { tenantId, filter, lookedAtMax: { lookedUp, beside } });
  return { isExact: found.isExact, counts: Object.fromEntries(found.groups.map(({ fingerprint, count }) => [fingerprint, count])) };
};

test("of more dead letters than one question looks at, every cause in every queue gives its newest, and the counts are floors", async () => {
  const [a = 0, b = 0] = queueIds;
  const ids = [...(await publishMany(a, 30)), ...(await publishMany(b, 3))];
  await die(ids.slice(0, 28), "common", before(new Date(), 1));
  await die(ids.slice(28), "rare");
  const all = { common: 28, rare: 5 };
  expect(await findGroups(9, 9)).toEqual({ isExact: true, counts: all });
  expect(await findGroups(9, 33, { keyPrefix: "k" })).toEqual({ isExact: true, counts: all });
  expect(await findGroups(33, 9, { httpStatus: 404 })).toEqual({ isExact: true, counts: {} });
  // Of nine, two and three are the rare one's, which is whole; a common one's share is what they leave.
  expect(await findGroups(9, 9, { keyPrefix: "k" })).toEqual({ isExact: false, counts: { common: 4, rare: 5 } });
  expect(await findGroups(9, 9, { keyPrefix: "k", queueIds: [b] })).toEqual({ isExact: true, counts: { rare: 3 } });
  expect(await findGroups(9, 9, { search: String(ids[29]) })).toEqual({ isExact: false, counts: { rare: 1 } });
});

test("queues in which nothing waits, is in hand or dead can be left out; the others have the same depths", async () => {
  const [a = 0, b = 0] = queueIds;
  const ids = await publishMany(b, 2);
  const busy = async () => {
    const [all, some] = [await queueDepths(pool, { tenantId }), await queueDepths(pool, { tenantId, isIdleOmitted: true })];
    expect(some).toEqual(all.filter(({ ready, inHand, retrying, parked, dead }) => ready + inHand + retrying + parked + dead > 0));
    return some.map(({ queueId }) => queueId);
  };
  expect(await busy()).toEqual([b]);
  await publishMany(a, 1);
  expect(await busy()).toEqual([a, b]);
  await die(ids, "http");
  expect(await busy()).toEqual([a, b]);
  await purgeQueue(pool, { tenantId, queueId: a });
  expect(await busy()).toEqual([b]);
});

test("queues are counted no sooner than they should be, and at once when the database's clock has been set back", async () => {
  const countedAt = (at: string) => pool.query(`update queue.depth_count set counted_at = clock_timestamp() + $1, rests = '1 hour'`, [at]);
  await countedAt("-59 minutes");
  expect(await countWaiting(pool)).toBe(false);
  await countedAt("2 hours");
  expect(await countWaiting(pool)).toBe(true);
});

test("a long queue's depth is as it was last counted, a short one's is exact at once", async () => {
  const [a = 0, b = 0] = queueIds;
  const count = async (): Promise<boolean> => {
    await pool.query("update queue.depth_count set rests = '0'");
    return countWaiting(pool);
  };
  await publishMany(a, countedAtOnce + 200);
  await publishMany(b, countedAtOnce);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: countedAtOnce + 1 }, { ready: countedAtOnce }]);
  expect(await count()).toBe(true);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: countedAtOnce + 200 }, { ready: countedAtOnce }]);
  await purgeQueue(pool, { tenantId, queueId: a });
  await purgeQueue(pool, { tenantId, queueId: b });
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 0 }, { ready: 0 }]);
  await publishMany(b, 1);
  expect(await count()).toBe(true);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 0 }, { ready: 1 }]);
  expect((await pool.query("select from queue.depth where tenant_id = $1", [tenantId])).rowCount).toBe(0);
});
