import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  countReady,
  createMaintenance,
  createPublisher,
  createWorker,
  getMessage,
  listAttempts,
  publish,
  publishStream,
  promoteRetries,
  queueDepths,
  saveQueue,
  saveTarget,
  targets,
  tryCircuits,
  type Delivery,
  type Handler,
  type NewMessage,
  type Outcome,
  type QueueMode,
  type Worker,
  type WorkerOptions,
} from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 20);
});
beforeEach(() => {
  tenantId++;
});
afterAll(() => database.drop());

async function pushQueue(
  mode: QueueMode = "fifo",
  settings: { concurrency?: number; ratePerSecond?: number; maxAttempts?: number } = {},
): Promise<number> {
  const { maxAttempts = 3, ...target } = settings;
  await saveTarget(pool, { tenantId, targetId: 1, ...target });
  const retry = { maxAttempts, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode, delivery: "push", retry });
}

function messages(queueId: number, count: number, keys: number): NewMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    tenantId,
    queueId,
    subtenantId: 1,
    key: `key ${index % keys}`,
    entityType: "order",
    document: JSON.stringify({ index }),
  }));
}

const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 1 } };
const down: Outcome = {
  kind: "retry",
  retryAfterMs: 0,
  isTargetFault: true,
  attempt: { durationMs: 1, error: { class: "http-503", message: "down" } },
};
const failed: Outcome = { kind: "retry", retryAfterMs: 0, attempt: { durationMs: 1, error: { class: "http-409", message: "not now" } } };
const indexOf = (delivery: Delivery): number => JSON.parse(delivery.document).index;

async function withWorker<T>(handler: Handler, run: (worker: Worker) => Promise<T>, options: Partial<WorkerOptions> = {}): Promise<T> {
  const worker = createWorker(pool, { handler: ofThisTest(handler), pollMs: 20, ...options });
  await worker.start();
  try {
    return await run(worker);
  } finally {
    await worker.stop();
  }
}

/** What an earlier test left behind is nobody's business in this one. */
function ofThisTest(handler: Handler): Handler {
  const own = tenantId;
  return async (delivery, signal) => (delivery.tenantId === own ? handler(delivery, signal) : { kind: "released", delayMs: 60_000 });
}

/** Resolves when `condition` holds; asked again after each call of `tick`. */
function signal(condition: () => boolean): { reached: Promise<void>; tick: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reached: promise, tick: () => condition() && resolve() };
}

test("all messages of a fifo queue arrive once, each lane in order, one at a time", async () => {
  const queueId = await pushQueue();
  await publish(pool, messages(queueId, 2000, 37));
  const seen: number[] = [];
  const open = new Set<string>();
  const all = signal(() => seen.length === 2000);
  const handler: Handler = async (delivery) => {
    expect(open.has(delivery.key)).toBe(false);
    open.add(delivery.key);
    await new Promise(setImmediate);
    open.delete(delivery.key);
    seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  await withWorker(handler, () => all.reached);
  expect(new Set(seen).size).toBe(2000);
  for (const lane of Map.groupBy(seen, (index) => index % 37).values()) expect(lane).toEqual(lane.toSorted((a, b) => a - b));
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 0, inHand: 0 }]);
});

test("no more deliveries run at a time than the target allows, over two workers", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 3 });
  await publish(pool, messages(queueId, 200, 200));
  let running = 0;
  let most = 0;
  let count = 0;
  const all = signal(() => count === 200);
  const handler: Handler = async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    count++;
    all.tick();
    return delivered;
  };
  // Both are registered before either may take its share.
  await pool.query("insert into queue.worker (id) values ('a'), ('b')");
  await withWorker(handler, () => withWorker(handler, () => all.reached, { workerId: "b" }), { workerId: "a" });
  expect(most).toBeLessThanOrEqual(3);
});

test("large documents are in hand a few at a time, and a target that keeps them long leaves the others their turn", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 64 });
  await saveTarget(pool, { tenantId, targetId: 2, concurrency: 64 });
  const slowId = await saveQueue(pool, { tenantId, targetId: 2, name: "b.order", mode: "fifo", delivery: "push" });
  const filler = "x".repeat(3_000_000);
  const large = (queue: number): NewMessage[] =>
    messages(queue, 12, 12).map((message, index) => ({ ...message, document: JSON.stringify({ index, filler }) }));
  await publish(pool, large(slowId));
  const inHand = new Set<string>();
  const seen: number[] = [];
  let most = 0;
  const slow = signal(() => inHand.size === 5);
  const all = signal(() => seen.length === 12);
  const end = Promise.withResolvers<void>();
  const handler: Handler = async (delivery) => {
    inHand.add(delivery.messageId);
    most = Math.max(most, inHand.size);
    slow.tick();
    await (delivery.queueId === slowId ? end.promise : new Promise(setImmediate));
    inHand.delete(delivery.messageId);
    if (delivery.queueId === queueId) seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  await withWorker(handler, async () => {
    await slow.reached;
    await publish(pool, large(queueId));
    await all.reached;
    end.resolve();
  });
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index));
  // Five of them are as much as may be on its way at once, and one of another target's.
  expect(most).toBe(6);
});

test("while nothing can be settled, attempts are kept up to a size, and what waits is delivered once they are settled", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 4 });
  await publish(pool, messages(queueId, 24, 24));
  const response = { status: 200, headers: {}, body: "x".repeat(2 * 1024 * 1024) };
  const lock = await pool.connect();
  const locked = Promise.withResolvers<void>();
  let count = 0;
  let begun = 0;
  const all = signal(() => count === 24);
  const handler: Handler = async () => {
    if (count++ === 0) {
      await lock.query("begin");
      await lock.query("select from queue.shard where tenant_id = $1 for update", [tenantId]);
      locked.resolve();
    }
    await locked.promise;
    all.tick();
    return { kind: "delivered", attempt: { durationMs: 1, response } };
  };
  const blockedSql = "select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
  await withWorker(handler, async () => {
    await locked.promise;
    await expect.poll(async () => (await pool.query(blockedSql)).rowCount).toBeGreaterThan(0);
    begun = count;
    await lock.query("rollback");
    lock.release();
    await all.reached;
  });
  // Eight fill the room; three more were being delivered then.
  expect(begun).toBeLessThanOrEqual(11);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 0, inHand: 0 }]);
});

test("a failing message holds its lane, others go on; then the lane goes on in order", async () => {
  const queueId = await pushQueue("fifo", { maxAttempts: 10 });
  await publish(pool, messages(queueId, 60, 6));
  const seen: number[] = [];
  let failures = 0;
  const all = signal(() => seen.length === 60);
  const handler: Handler = async (delivery) => {
    if (indexOf(delivery) === 0 && failures++ < 3) return failed;
    seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  const maintenance = createMaintenance(pool);
  maintenance.start();
  await withWorker(handler, () => all.reached);
  await maintenance.stop();
  for (const lane of Map.groupBy(seen, (index) => index % 6).values()) expect(lane).toEqual(lane.toSorted((a, b) => a - b));
  expect(new Set(seen).size).toBe(60);
});

test("attempts are recorded and run out", async () => {
  const queueId = await pushQueue("fifo", { maxAttempts: 2 });
  const [id] = await publish(pool, messages(queueId, 1, 1));
  let count = 0;
  const twice = signal(() => count === 2);
  const handler: Handler = async () => {
    count++;
    twice.tick();
    throw new Error("a defect");
  };
  const maintenance = createMaintenance(pool);
  maintenance.start();
  await withWorker(handler, () => twice.reached);
  await maintenance.stop();
  expect(await getMessage(pool, { tenantId, messageId: id ?? "" })).toMatchObject({
    state: "dead",
    attempts: 2,
    errorClass: "handler-error",
  });
  expect((await listAttempts(pool, { tenantId, messageId: id ?? "" })).map(({ number }) => number)).toEqual([1, 2]);
});

test("whatever a handler throws, its message is settled, and the others that are settled with it", async () => {
  const queueId = await pushQueue("fifo", { maxAttempts: 1 });
  const ids = await publish(pool, messages(queueId, 2, 2));
  let count = 0;
  const both = signal(() => count === 2);
  const handler: Handler = async (delivery) => {
    count++;
    both.tick();
    if (indexOf(delivery) === 0) throw new Error("no number: a\0\ud83d");
    return delivered;
  };
  await withWorker(handler, () => both.reached);
  expect(await getMessage(pool, { tenantId, messageId: ids[0] ?? "" })).toMatchObject({
    state: "dead",
    errorMessage: "no number: a\ufffd\ufffd",
  });
  expect(await getMessage(pool, { tenantId, messageId: ids[1] ?? "" })).toMatchObject({ state: "delivered" });
});

test("a latest queue delivers the newest of each lane", async () => {
  const queueId = await pushQueue("latest");
  await publish(pool, messages(queueId, 500, 10));
  const seen: number[] = [];
  const all = signal(() => seen.length === 10);
  const handler: Handler = async (delivery) => {
    seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  await withWorker(handler, () => all.reached);
  expect(seen.toSorted((a, b) => a - b)).toEqual([490, 491, 492, 493, 494, 495, 496, 497, 498, 499]);
});

test("messages of different keys are started oldest first, whatever the planner knows of their table", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 1 });
  await database.pool("owner", 1).query("analyze queue.ready");
  await publish(pool, messages(queueId, 50, 50));
  const seen: number[] = [];
  const all = signal(() => seen.length === 50);
  const handler: Handler = async (delivery) => {
    seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  await withWorker(handler, () => all.reached);
  expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test("a target that is down opens its circuit: the others wait without burning attempts, and go out when it is back", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 1, maxAttempts: 100 });
  const ids = await publish(pool, messages(queueId, 50, 50));
  let isDown = true;
  let tries = 0;
  const seen: number[] = [];
  const opened = Promise.withResolvers<void>();
  const all = signal(() => seen.length === 50);
  const handler: Handler = async (delivery) => {
    if (isDown) {
      tries++;
      return down;
    }
    seen.push(indexOf(delivery));
    all.tick();
    return delivered;
  };
  const options: Partial<WorkerOptions> = {
    circuit: { faults: 3, pauseMs: 1 },
    onEvent: (event) => {
      if (event.kind === "circuit-opened") opened.resolve();
    },
  };
  await withWorker(
    handler,
    async () => {
      await opened.promise;
      expect(await targets(pool, { tenantId })).toMatchObject([
        { circuit: { state: "open", fault: { messageId: ids[2], errorClass: "http-503", status: null } } },
      ]);
      expect(tries).toBe(3);
      isDown = false;
      while ((await tryCircuits(pool)) === 0);
      await promoteRetries(pool);
      const maintenance = createMaintenance(pool);
      maintenance.start();
      await all.reached;
      await maintenance.stop();
    },
    options,
  );
  expect(await targets(pool, { tenantId })).toMatchObject([{ circuit: { state: "closed" } }]);
  expect((await getMessage(pool, { tenantId, messageId: ids[40] ?? "" }))?.attempts).toBe(1);
});

test("a worker whose lease was taken over settles nothing", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 4 });
  const [id = ""] = await publish(pool, messages(queueId, 1, 1));
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const slow: Handler = async () => {
    begun.resolve();
    await go.promise;
    return { kind: "dead", attempt: { durationMs: 1, error: { class: "late", message: "late" } } };
  };
  await withWorker(
    slow,
    async () => {
      await begun.promise;
      await pool.query(
        "update queue.shard set owner = 'second', epoch = epoch + 1, lease_until = clock_timestamp() + interval '1 minute' where tenant_id = $1 and owner = 'first'",
        [tenantId],
      );
      go.resolve();
    },
    { workerId: "first" },
  );
  expect(await getMessage(pool, { tenantId, messageId: id })).toMatchObject({ state: "in-hand", attempts: 0 });
});

test("a message that ends its worker again and again becomes a dead letter; its neighbours are delivered", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 1, maxAttempts: 2 });
  const ids = await publish(pool, messages(queueId, 5, 5));
  const seen = new Set<number>();
  const maintenance = createMaintenance(pool);
  maintenance.start();
  // The first loss puts the shard in careful mode; the next two are charged to the message that was being delivered.
  for (const kill of ["first", "second", "third"]) {
    const stuck = Promise.withResolvers<void>();
    const handler: Handler = async (delivery) => {
      if (indexOf(delivery) !== 2) {
        seen.add(indexOf(delivery));
        return delivered;
      }
      stuck.resolve();
      return new Promise<Outcome>(() => {});
    };
    const pool = database.pool("worker", 6, kill);
    // Longer than the test takes, so that none is lost but by its worker's end.
    await createWorker(pool, { handler, workerId: kill, leaseSeconds: 600 }).start();
    await stuck.promise;
    await endAsKilled(pool, kill);
  }
  const rest = signal(() => seen.size === 4);
  const handler: Handler = async (delivery) => {
    seen.add(indexOf(delivery));
    rest.tick();
    return delivered;
  };
  rest.tick();
  await withWorker(handler, () => Promise.all([rest.reached, untilDead(ids[2] ?? "")]));
  await maintenance.stop();
  expect([...seen].toSorted((a, b) => a - b)).toEqual([0, 1, 3, 4]);
  expect((await listAttempts(pool, { tenantId, messageId: ids[2] ?? "" })).map(({ errorClass }) => errorClass)).toEqual([
    "lease-lost",
    "lease-lost",
  ]);
});

/** Takes the database away from a worker and ends its leases, as if its process had been killed a while ago. */
async function endAsKilled(workersPool: pg.Pool, workerId: string): Promise<void> {
  void workersPool.end();
  const endSql = "select pg_terminate_backend(pid, 60_000) from pg_stat_activity where application_name = $1";
  await database.pool("owner", 1).query(endSql, [workerId]);
  await pool.query("delete from queue.worker where id = $1", [workerId]);
  await pool.query("update queue.shard set lease_until = clock_timestamp() - interval '1 s' where owner = $1", [workerId]);
}

async function untilDead(messageId: string): Promise<void> {
  for (;;) {
    const found = await getMessage(pool, { tenantId, messageId });
    if (found?.state === "dead") return;
  }
}

test("stop waits for what is being delivered and gives the rest back", async () => {
  const queueId = await pushQueue("fifo", { concurrency: 1 });
  await publish(pool, messages(queueId, 20, 20));
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const handler: Handler = async () => {
    begun.resolve();
    await go.promise;
    return delivered;
  };
  const worker = createWorker(pool, { handler: ofThisTest(handler) });
  await worker.start();
  await begun.promise;
  const stopped = worker.stop();
  go.resolve();
  await stopped;
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 19, inHand: 0 }]);
  const left = signal(() => count === 19);
  let count = 0;
  await withWorker(
    async () => {
      count++;
      left.tick();
      return delivered;
    },
    () => left.reached,
  );
});

test("a worker that is stopped while it starts leaves no connection in use", async () => {
  const own = database.pool("worker", 6);
  const worker = createWorker(own, { handler: async () => delivered });
  const started = worker.start();
  await worker.stop();
  await started;
  await expect.poll(() => own.totalCount - own.idleCount).toBe(0);
});

test("single publishes share commits, and a bad one fails alone", async () => {
  const queueId = await pushQueue();
  const publisher = createPublisher(pool);
  const good = messages(queueId, 100, 100).map((message) => publisher.publish(message));
  const [first] = messages(queueId, 1, 1);
  if (!first) throw new Error("unreachable");
  await expect(publisher.publish({ ...first, queueId: 999_999 })).rejects.toMatchObject({ code: "unknown-queue" });
  await expect(publisher.publish({ ...first, document: "\0" })).rejects.toMatchObject({ code: "nul-character" });
  expect(new Set(await Promise.all(good)).size).toBe(100);
  await publisher.stop();
  await expect(publisher.publish(first)).rejects.toMatchObject({ code: "stopped" });
});

test("a stream is published whole", async () => {
  const queueId = await pushQueue();
  async function* stream(): AsyncGenerator<NewMessage> {
    yield* messages(queueId, 2500, 100);
  }
  expect(await publishStream(pool, stream(), { batchSize: 1000 })).toEqual({ published: 2500 });
  expect(await countReady(pool, { tenantId, queueId, cap: 10_000 })).toBe(2500);
});

test("a rate limit spreads deliveries over time", async () => {
  const queueId = await pushQueue("fifo", { ratePerSecond: 50, concurrency: 8 });
  await publish(pool, messages(queueId, 30, 30));
  const times: number[] = [];
  const all = signal(() => times.length === 30);
  await withWorker(
    async (delivery) => {
      // Other tests left messages of other tenants.
      if (delivery.tenantId === tenantId) times.push(performance.now());
      all.tick();
      return delivered;
    },
    () => all.reached,
  );
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(400);
});
