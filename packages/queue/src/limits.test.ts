import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, reserveRate, saveQueue, saveTarget, type Handler, type Outcome } from "./index.ts";

// What workers make of limits that change, and of workers that come and go, while their shards are never empty.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 12);
});
beforeEach(() => {
  tenantId++;
});
afterEach(async () => {
  // Nothing is left for the next test's workers.
  await pool.query("delete from queue.ready");
});
afterAll(() => database.drop());

const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 1 } };
const quick = { heartbeatMs: 20, pollMs: 20 };

async function backlog(targetId: number, count: number): Promise<void> {
  const queueId = await saveQueue(pool, { tenantId, targetId, name: "a.order", mode: "fifo", delivery: "push" });
  const of = (index: number) => ({ tenantId, queueId, subtenantId: 1, key: `key ${index}`, entityType: "order", document: "{}" });
  await publish(
    pool,
    Array.from({ length: count }, (_, index) => of(index)),
  );
}

/** Publishes until the promise is kept: there is always more to do than can be done meanwhile. */
async function publishUntil(kept: PromiseWithResolvers<void> | undefined): Promise<void> {
  const state = { isKept: false };
  void kept?.promise.then(() => (state.isKept = true));
  while (!state.isKept) await backlog(1, 100);
}

test("a target's new limits hold for workers that never run out of its messages", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
  await saveTarget(pool, { tenantId, targetId: 2, concurrency: 1, ratePerSecond: 0.01 });
  await backlog(1, 100);
  await backlog(2, 20);
  const [two, eight, one, many] = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  let inFlight = 0;
  let count = 0;
  const worker = createWorker(pool, {
    ...quick,
    handler: async ({ targetId }) => {
      if (targetId === 1) {
        inFlight += 1;
        if (inFlight === 2) two?.resolve();
        if (inFlight === 8) eight?.resolve();
        await eight?.promise;
      } else {
        count += 1;
        one?.resolve();
        if (count === 20) many?.resolve();
      }
      return delivered;
    },
  });
  await worker.start();
  try {
    await two?.promise;
    await one?.promise;
    await saveTarget(pool, { tenantId, targetId: 1, concurrency: 8 });
    await saveTarget(pool, { tenantId, targetId: 2, ratePerSecond: 1000 });
    await Promise.all([eight?.promise, many?.promise]);
    expect([inFlight >= 8, count]).toEqual([true, 20]);
  } finally {
    eight?.resolve();
    await worker.stop();
  }
});

test("what was taken of a rate's budget ends with the rate, and not with what else is changed", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, ratePerSecond: 0.01 });
  const floorSql = "select rate_free_at > clock_timestamp() as is_held from queue.target where tenant_id = $1";
  const isHeld = async () => (await pool.query<{ is_held: boolean }>(floorSql, [tenantId])).rows[0]?.is_held;
  await pool.query("select queue.reserve_rate($1, 1, 10)", [tenantId]);
  await saveTarget(pool, { tenantId, targetId: 1, ratePerSecond: 0.01, isPaused: false });
  expect(await isHeld()).toBe(true);
  await saveTarget(pool, { tenantId, targetId: 1, ratePerSecond: 5 });
  expect(await isHeld()).toBe(false);
});

test("a rate's budget goes on where it was when the database's clock has been set back", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, ratePerSecond: 0.01 });
  await reserveRate(pool, { tenantId, targetId: 1 });
  const aheadSql = `
    update queue.target set rate_free_at = rate_free_at + interval '2 hours', rate_moved_at = rate_moved_at + interval '2 hours' where tenant_id = $1`;
  await pool.query(aheadSql, [tenantId]);
  const waitMs = await reserveRate(pool, { tenantId, targetId: 1 });
  expect(Math.round(waitMs / 1000)).toBe(100);
});

test("a worker that is left no share of a target gives it to the others, and gets it back when they go", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 1 });
  const delivering = (told: PromiseWithResolvers<void>[]) => async () => (told[turn]?.resolve(), delivered);
  let turn = 0;
  const ofA = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ofB = Promise.withResolvers<void>();
  const a = createWorker(pool, { ...quick, workerId: "a", handler: delivering(ofA) });
  const b = createWorker(pool, { ...quick, workerId: "b", handler: delivering([ofB]) });
  await a.start();
  await publishUntil(ofA[0]);
  // Of two workers the second has the share of this target.
  await b.start();
  await publishUntil(ofB);
  await b.stop();
  turn = 1;
  await publishUntil(ofA[1]);
  expect((await pool.query("select id from queue.worker")).rows).toEqual([{ id: "a" }]);
  await a.stop();
});

/** A target that takes its time, so that there is a backlog. */
const delivering5ms = (told: PromiseWithResolvers<void>) => async () => {
  told.resolve();
  await new Promise((resolve) => setTimeout(resolve, 5));
  return delivered;
};

test("a worker that cannot deliver to a target leaves its messages to one that can, untried and in their order", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 8 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
  const of = (index: number) => ({ tenantId, queueId, subtenantId: 1, key: `key ${index % 10}`, entityType: "order", document: "{}" });
  const ids = await publish(
    pool,
    Array.from({ length: 100 }, (_, index) => of(index)),
  );
  const refused = Promise.withResolvers<void>();
  let refusals = 0;
  const unable = createWorker(pool, {
    ...quick,
    handler: async () => {
      refusals += 1;
      refused.resolve();
      return { kind: "released", restMs: 600_000 };
    },
  });
  const all = Promise.withResolvers<void>();
  const attempts: string[] = [];
  const able = createWorker(pool, {
    ...quick,
    handler: async ({ messageId, attempt }) => {
      attempts.push(`${messageId} ${attempt}`);
      if (attempts.length === ids.length) all.resolve();
      return delivered;
    },
  });
  await unable.start();
  try {
    await refused.promise;
    await able.start();
    await all.promise;
    expect(refusals).toBeLessThanOrEqual(8);
    const laneOf = (attempt: string) => ids.indexOf(attempt.split(" ")[0] ?? "") % 10;
    for (let lane = 0; lane < 10; lane++) {
      expect(attempts.filter((attempt) => laneOf(attempt) === lane)).toEqual(
        ids.filter((_, index) => index % 10 === lane).map((id) => `${id} 1`),
      );
    }
  } finally {
    await Promise.all([unable.stop(), able.stop()]);
  }
});

test("of a backlog that one worker has leased, those that come get their part", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
  const [ofA, ofB] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const a = createWorker(pool, { ...quick, workerId: "a", handler: delivering5ms(ofA) });
  const b = createWorker(pool, { ...quick, workerId: "b", handler: delivering5ms(ofB) });
  await a.start();
  await publishUntil(ofA);
  await b.start();
  await expect(publishUntil(ofB)).resolves.toBeUndefined();
  for (const worker of [a, b]) await worker.stop();
});

test("a worker that ended before the clock was set back is none", async () => {
  await pool.query("insert into queue.worker (id, seen_at) values ('a killed one', clock_timestamp() + interval '50 minutes')");
  await saveTarget(pool, { tenantId, targetId: 2, concurrency: 1 });
  await backlog(2, 1);
  const done = Promise.withResolvers<void>();
  const worker = createWorker(pool, { workerId: "b", handler: async () => (done.resolve(), delivered) });
  await worker.start();
  await done.promise;
  await worker.stop();
  expect((await pool.query("select from queue.history where tenant_id = $1", [tenantId])).rowCount).toBe(1);
  await pool.query("delete from queue.worker");
});

test("a heartbeat under way while its worker stops leaves no row behind", async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isSlow = false;
  const slow = new Proxy(pool, {
    get(of, name) {
      if (name !== "query") return Reflect.get(of, name, of);
      return async (...args: Parameters<pg.Pool["query"]>) => {
        const [query]: unknown[] = args;
        if (isSlow && typeof query === "string" && query.includes("insert into queue.worker")) {
          begun.resolve();
          await gate.promise;
        }
        return of.query(...args);
      };
    },
  });
  const worker = createWorker(slow, { ...quick, handler: async () => delivered });
  await worker.start();
  isSlow = true;
  await begun.promise;
  const stopping = worker.stop();
  // Time enough to end without it.
  for (let n = 0; n < 20; n += 1) await pool.query("select");
  gate.resolve();
  await stopping;
  await pool.query("select");
  expect((await pool.query("select from queue.worker")).rowCount).toBe(0);
});

test("a tenant is served at once, though other tenants' empty shards linger in all of a worker's places", async () => {
  const first = 1000;
  const queues = await Promise.all(
    Array.from({ length: 65 }, async (_, index) => {
      const place = { tenantId: first + index, targetId: 1 };
      await saveTarget(pool, { ...place, concurrency: 1 });
      return { tenantId: place.tenantId, queueId: await saveQueue(pool, { ...place, name: "a.order", mode: "fifo", delivery: "push" }) };
    }),
  );
  const send = ({ tenantId: of, queueId }: (typeof queues)[number]) =>
    publish(pool, [{ tenantId: of, queueId, subtenantId: 1, key: "a", entityType: "order", document: "{}" }]);
  const [others, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let count = 0;
  const handler: Handler = async () => {
    count += 1;
    if (count === 64) others.resolve();
    if (count === 65) last.resolve();
    return delivered;
  };
  const worker = createWorker(pool, { handler, lingerMs: 600_000, pollMs: 600_000 });
  await worker.start();
  await Promise.all(queues.slice(0, 64).map(send));
  await others.promise;
  await Promise.all(queues.slice(64).map(send));
  await last.promise;
  await worker.stop();
  expect(count).toBe(65);
});

test("whoever holds a target's row for long keeps no connection of those who ask for its rate", async () => {
  await saveTarget(pool, { tenantId, targetId: 1, ratePerSecond: 1000 });
  const few = database.pool("worker", 2);
  const holder = await pool.connect();
  await holder.query("begin");
  await holder.query("select from queue.target where tenant_id = $1 for no key update", [tenantId]);
  const asked = Array.from({ length: 4 }, () => reserveRate(few, { tenantId, targetId: 1 }));
  const answers = Promise.allSettled(asked);
  // It comes after them, and the row is still held.
  await expect(few.query("select 1 as one")).resolves.toMatchObject({ rows: [{ one: 1 }] });
  for (const answer of await answers) expect(answer).toMatchObject({ status: "rejected", reason: { code: "55P03" } });
  await holder.query("rollback");
  holder.release();
  expect(await reserveRate(few, { tenantId, targetId: 1 })).toBeGreaterThanOrEqual(0);
});
