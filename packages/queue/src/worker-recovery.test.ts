import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  createMaintenance,
  createWorker,
  publish,
  saveQueue,
  saveTarget,
  type Handler,
  type Outcome,
  type WorkerEvent,
  type WorkerOptions,
} from "./index.ts";

// What a worker makes of a database that goes away, and of shards whose worker was killed.

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

async function fifoQueue(concurrency: number): Promise<number> {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency });
  const retry = { maxAttempts: 100, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push", retry });
}

function publishKeys(queueId: number, count: number, keys: number): Promise<string[]> {
  const of = (index: number) => ({ tenantId, queueId, subtenantId: 1, key: `key ${index % keys}`, entityType: "order", document: "{}" });
  return publish(
    pool,
    Array.from({ length: count }, (_, index) => of(index)),
  );
}

/** As a worker leaves it that was killed with all of the queue in hand. */
async function abandon(queueId: number): Promise<void> {
  await pool.query(
    `update queue.shard s set owner = 'killed', epoch = epoch + 1, lease_until = '-infinity', is_fresh = false,
       read_to = (select max(id) from queue.ready r where r.tenant_id = s.tenant_id and r.queue_id = s.queue_id)
     where tenant_id = $1 and queue_id = $2`,
    [tenantId, queueId],
  );
}

async function firstRow<Row extends pg.QueryResultRow>(sql: string): Promise<Row | undefined> {
  return (await pool.query<Row>(sql, [tenantId])).rows[0];
}

async function until(sql: string): Promise<void> {
  while (!(await firstRow<{ ok: boolean }>(sql))?.ok);
}

async function untilRenewed(): Promise<void> {
  const at = (await firstRow<{ at: string }>("select lease_until::text as at from queue.shard where tenant_id = $1"))?.at;
  await until(`select lease_until::text <> '${at}' as ok from queue.shard where tenant_id = $1`);
}

const untilAllSettled = (): Promise<void> => until("select not exists (select from queue.ready where tenant_id = $1) as ok");

async function withWorker(
  workerPool: pg.Pool,
  handler: Handler,
  run: () => Promise<void>,
  options: Partial<WorkerOptions> = {},
): Promise<void> {
  const worker = createWorker(workerPool, { handler, pollMs: 20, ...options });
  await worker.start();
  try {
    await run();
  } finally {
    await worker.stop();
  }
}

test("older messages that come back while a lost shard is worked off carefully leave no lane waiting for ever", async () => {
  const queueId = await fifoQueue(1);
  const ids = await publishKeys(queueId, 600, 600);
  await abandon(queueId);
  const order: string[] = [];
  const handler: Handler = async ({ messageId }) => {
    order.push(messageId);
    if (order.length > 1) return delivered;
    await pool.query("select queue.wake_shards($1, array[$2::integer], array[0::smallint])", [tenantId, queueId]);
    // One step hears of it and sets everything aside, the next reads it again.
    await untilRenewed();
    await untilRenewed();
    return delivered;
  };
  await withWorker(pool, handler, untilAllSettled, { leaseSeconds: 1 });
  // Their lanes take turns as they are read. On a busy machine the short lease may be lost, and then some are delivered twice.
  expect([...new Set(order)].toSorted()).toEqual(ids);
});

test("what a lost worker may have delivered is never called untried, and what was published since is", async () => {
  const queueId = await fifoQueue(1);
  await publishKeys(queueId, 20, 20);
  await abandon(queueId);
  const later = await publishKeys(queueId, 20, 20);
  const untried: string[] = [];
  const handler: Handler = async ({ messageId, isUntried }) => {
    if (isUntried) untried.push(messageId);
    return delivered;
  };
  const events: WorkerEvent[] = [];
  await withWorker(pool, handler, untilAllSettled, { onEvent: (event) => events.push(event) });
  expect(untried.toSorted()).toEqual(later);
  expect(events).toEqual([{ kind: "lease-lost", count: 1 }]);
});

test("connections that break at any moment leave no shard unread and no lane out of order", { timeout: 60_000 }, async () => {
  const queueId = await fifoQueue(4);
  const ids = await publishKeys(queueId, 1200, 60);
  const fragile = database.pool("worker", 10, "fragile");
  const maintenance = createMaintenance(pool);
  maintenance.start();
  const firsts: string[] = [];
  const seen = new Set<string>();
  const againAsUntried: string[] = [];
  let calls = 0;
  const handler: Handler = async ({ messageId, isUntried }) => {
    calls++;
    if (isUntried && seen.has(messageId)) againAsUntried.push(messageId);
    if (calls % 40 === 0) await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fragile'");
    if (calls % 25 === 0) await fragile.query("select 1");
    if (calls % 90 === 0) throw new Error("scripted");
    if (!seen.has(messageId)) firsts.push(messageId);
    seen.add(messageId);
    return delivered;
  };
  await withWorker(fragile, handler, () => until(`select (select count(*) from queue.history where tenant_id = $1) = ${ids.length} as ok`));
  await maintenance.stop();
  expect(againAsUntried).toEqual([]);
  const lanes = Map.groupBy(ids, (id) => ids.indexOf(id) % 60);
  for (const lane of lanes.values()) expect(firsts.filter((id) => lane.includes(id))).toEqual(lane);
});

test("a shard that was put to sleep by a call whose answer was lost is not held on to", async () => {
  const queueId = await fifoQueue(1);
  await publishKeys(queueId, 1, 1);
  const released = Promise.withResolvers<void>();
  const handler: Handler = async () => {
    // As if the step had given the shard back and its answer had not come.
    await pool.query("update queue.shard set owner = null, lease_until = '-infinity' where tenant_id = $1", [tenantId]);
    released.resolve();
    return delivered;
  };
  const lost: number[] = [];
  const worker = createWorker(pool, { handler, pollMs: 60_000, onEvent: (event) => event.kind === "lease-lost" && lost.push(event.count) });
  await worker.start();
  await released.promise;
  await worker.stop();
  expect(lost).toEqual([1]);
});

test("a worker that was killed is forgotten in time, one that lives is not", async () => {
  await pool.query(
    "insert into queue.worker (id, seen_at) values ('killed', clock_timestamp() - interval '2 hours'), ('slow', clock_timestamp())",
  );
  await withWorker(
    pool,
    () => Promise.resolve(delivered),
    () => Promise.resolve(),
    { workerId: "own" },
  );
  const { rows } = await pool.query<{ id: string }>("delete from queue.worker returning id");
  expect(rows.map(({ id }) => id).filter((id) => id !== "own")).toEqual(["slow"]);
});

test("a worker that cannot take its row back stops all the same, and says so", async () => {
  const owner = database.pool("owner", 1);
  const errors: unknown[] = [];
  const onEvent = (event: WorkerEvent): void => void (event.kind === "error" && errors.push(event.error));
  await withWorker(
    pool,
    () => Promise.resolve(delivered),
    async () => void (await owner.query("revoke delete on queue.worker from crossdock_worker")),
    { onEvent, heartbeatMs: 60_000 },
  );
  await owner.query("grant delete on queue.worker to crossdock_worker");
  expect(errors).toMatchObject([{ code: "42501" }]);
});
