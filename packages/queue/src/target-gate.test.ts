import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, saveQueue, saveTarget, tryCircuits, type Outcome } from "./index.ts";
import { TargetGate, type GateSettings } from "./target-gate.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 8);
});
afterAll(() => database.drop());

const policy = { faults: 2, pauseMs: 1, pauseMsMax: 1 };

const gateOf = (circuit: GateSettings["circuit"]) =>
  new TargetGate(pool, { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null, circuit }, policy);
const faultsOf = (gate: TargetGate, count: number) => Promise.all(Array.from({ length: count }, () => gate.note(true)));

test("of all outcomes that find a target down, in all processes, one opens its circuit; a failed trial opens it no more", async () => {
  await saveTarget(pool, { tenantId: 1, targetId: 1, concurrency: 8 });
  const verdicts = (await Promise.all([faultsOf(gateOf("closed"), 8), faultsOf(gateOf("closed"), 8)])).flat();
  const count = (verdict: string) => verdicts.filter((found) => found === verdict).length;
  expect([count("closed"), count("opened"), count("open")]).toEqual([2, 1, 13]);
  while ((await tryCircuits(pool)) === 0);
  expect(await gateOf("half-open").note(true)).toBe("trial-failed");
});

test("an opening is told once, however many deliveries were in flight", async () => {
  await saveTarget(pool, { tenantId: 2, targetId: 1, concurrency: 8 });
  const retry = { maxAttempts: 100, baseDelayMs: 1, maxDelayMs: 1 };
  const queueId = await saveQueue(pool, { tenantId: 2, targetId: 1, name: "a.order", mode: "fifo", delivery: "push", retry });
  const message = { tenantId: 2, queueId, subtenantId: 1, entityType: "order", document: "{}" };
  await publish(
    pool,
    Array.from({ length: 8 }, (_, index) => ({ ...message, key: `key ${index}` })),
  );
  const down: Outcome = { kind: "retry", isTargetFault: true, attempt: { durationMs: 1, error: { class: "http-503", message: "down" } } };
  const allInFlight = Promise.withResolvers<void>();
  const told: string[] = [];
  let inFlight = 0;
  const worker = createWorker(pool, {
    circuit: policy,
    handler: async () => {
      inFlight += 1;
      if (inFlight === 8) allInFlight.resolve();
      await allInFlight.promise;
      return down;
    },
    onEvent: ({ kind }) => told.push(kind),
  });
  await worker.start();
  await allInFlight.promise;
  await worker.stop();
  expect(told).toEqual(["circuit-opened"]);
});

test("a queue that is paused while its target's circuit changes stays paused", async () => {
  await saveTarget(pool, { tenantId: 3, targetId: 1 });
  const queue = { tenantId: 3, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" } as const;
  await saveQueue(pool, queue);
  await pool.query("select queue.open_circuit(3, 1, 1, 1)");
  const client = await pool.connect();
  await client.query("begin");
  await saveQueue(client, { ...queue, isPaused: true });
  const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  const open = "select from queue.target where tenant_id = 3 and circuit = 'open'";
  const trying = (async () => {
    while ((await tryCircuits(pool)) === 0);
  })();
  const waiting = "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
  // Until the circuit has changed, or waits to.
  while ((await pool.query(open)).rowCount === 1 && (await pool.query(waiting, [pid])).rowCount === 0);
  await client.query("commit");
  client.release();
  await trying;
  const { rows } = await pool.query("select distinct is_blocked from queue.shard where tenant_id = 3");
  expect(rows).toEqual([{ is_blocked: true }]);
});
