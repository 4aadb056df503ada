import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  claimAgain,
  getMessage,
  promoteRetries,
  pruneFinished,
  publish,
  requeueDead,
  saveQueue,
  saveTarget,
  settle,
  tryCircuits,
  type Outcome,
  type QueueMode,
} from "./index.ts";

// Upkeep, publications and operators that meet: none waits for another in a circle, and nothing is lost between them.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 8);
});
beforeEach(() => {
  tenantId++;
});
afterAll(() => database.drop());

const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 1 } };
const failed: Outcome = { kind: "retry", retryAfterMs: 0, attempt: { durationMs: 1, error: { class: "e", message: "m" } } };

async function makeQueue(mode: QueueMode, targetId = 1, maxAttempts = 5): Promise<number> {
  await saveTarget(pool, { tenantId, targetId, concurrency: 1 });
  const retry = { maxAttempts, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, { tenantId, targetId, name: "a.item", mode, delivery: "pull", retry });
}

const send = (client: pg.Pool | pg.PoolClient, queueId: number, keys: readonly string[]) =>
  publish(
    client,
    keys.map((key) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "item", document: "{}" })),
  );

async function settleAll(queueId: number, outcome: Outcome): Promise<number> {
  const leases = await claim(pool, { tenantId, queueId, max: 100, leaseSeconds: 600 });
  for (const { leaseToken } of leases) await settle(pool, { tenantId, leaseToken, outcome });
  return leases.length;
}

const lock = (queueId: number) => (client: pg.PoolClient) =>
  client.query("select from queue.shard where tenant_id = $1 and queue_id = $2 for no key update", [tenantId, queueId]);

/** Runs `meet` in a transaction while `run` runs, which has ended or waits for it by the second call. */
async function meeting<T>(run: () => Promise<T>, meet: ((client: pg.PoolClient) => Promise<unknown>)[]): Promise<T> {
  const client = await pool.connect();
  const state = { isDone: false };
  try {
    await client.query("begin");
    await meet[0]?.(client);
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const running = run().finally(() => (state.isDone = true));
    const isWaitedFor = "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
    while (!state.isDone && (await pool.query(isWaitedFor, [rows[0]?.pid])).rowCount === 0);
    // Rejects where the two wait for each other.
    const [result] = await Promise.all([running, meet[1]?.(client).then(() => client.query("commit")) ?? client.query("commit")]);
    return result;
  } finally {
    client.release(true);
  }
}

test.each([
  ["a", "b"],
  ["b", "a"],
])("a publication of the newest and retries that fall due meet in no circle (%s, %s)", async (first, second) => {
  const queueId = await makeQueue("latest");
  await send(pool, queueId, ["a", "b"]);
  await settleAll(queueId, failed);
  await meeting(() => promoteRetries(pool), [(client) => send(client, queueId, [first]), (client) => send(client, queueId, [second])]);
  expect(await settleAll(queueId, delivered)).toBe(2);
  const { rows } = await pool.query(
    "select outcome, count(*)::integer as count from queue.history where tenant_id = $1 group by 1 order by 1",
    [tenantId],
  );
  expect(rows).toEqual([
    { outcome: "delivered", count: 2 },
    { outcome: "superseded", count: 2 },
  ]);
});

test("circuits that are tried one after the other keep none of the others' shards", async () => {
  const [second, first] = [await makeQueue("fifo", 2), await makeQueue("fifo", 1)];
  for (const targetId of [1, 2]) {
    await saveQueue(pool, { tenantId, targetId, name: "a.item", mode: "fifo", delivery: "push" });
    await pool.query("select queue.open_circuit($1, $2, 1, 1)", [tenantId, targetId]);
  }
  await pool.query("update queue.target set circuit_open_until = clock_timestamp() where circuit_open_until is not null");
  // In the order of queues, as everybody locks them.
  expect(second).toBeLessThan(first);
  expect(await meeting(() => tryCircuits(pool), [lock(second), lock(first)])).toBe(2);
});

test("a finished message that is claimed again while it is pruned stays whole", async () => {
  const queueId = await makeQueue("fifo");
  const [messageId = ""] = await send(pool, queueId, ["a"]);
  await settleAll(queueId, delivered);
  const again = (client: pg.PoolClient) => claimAgain(client, { tenantId, queueId, messageId, leaseSeconds: 600 });
  await pool.query("update queue.history set finished_at = 'epoch' where tenant_id = $1", [tenantId]);
  const beforeId = String(BigInt(messageId) + 1n);
  expect(await meeting(() => pruneFinished(pool, { tenantId, beforeId, limit: 10 }), [again])).toBe(0);
  expect(await getMessage(pool, { tenantId, messageId })).toMatchObject({ state: "in-hand" });
});

test("a message that was tried as often as can be counted is tried on", async () => {
  const queueId = await makeQueue("fifo", 1, 1000);
  const [messageId = ""] = await send(pool, queueId, ["a"]);
  await pool.query("update queue.ready set attempts = 32766, attempt_limit = 32766 where tenant_id = $1", [tenantId]);
  const state = async () => (await getMessage(pool, { tenantId, messageId }))?.state;
  await settleAll(queueId, failed);
  expect(await state()).toBe("dead");
  await requeueDead(pool, { tenantId, messageIds: [messageId] });
  await settleAll(queueId, delivered);
  expect(await state()).toBe("delivered");
  const lease = await claimAgain(pool, { tenantId, queueId, messageId, leaseSeconds: 600 });
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: delivered });
  expect(await state()).toBe("delivered");
});
