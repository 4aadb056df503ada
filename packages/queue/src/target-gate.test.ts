import type pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, saveQueue, saveTarget, targets, tryCircuits, type Outcome } from "./index.ts";
import { shareOf, TargetGate, type GateSettings } from "./target-gate.ts";

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
const fault = { messageId: "1", errorClass: "http-503", status: 503 };
const faultsOf = (gate: TargetGate, count: number) => Promise.all(Array.from({ length: count }, () => gate.note(fault)));

test("of all outcomes that find a target down, in all processes, one opens its circuit; a failed trial opens it no more", async () => {
  await saveTarget(pool, { tenantId: 1, targetId: 1, concurrency: 8 });
  const verdicts = (await Promise.all([faultsOf(gateOf("closed"), 8), faultsOf(gateOf("closed"), 8)])).flat();
  const count = (verdict: string) => verdicts.filter((found) => found === verdict).length;
  expect([count("closed"), count("opened"), count("open")]).toEqual([2, 1, 13]);
  while ((await tryCircuits(pool)) === 0);
  expect(await gateOf("half-open").note(fault)).toBe("trial-failed");
});

test("a target that is down keeps since when and by which message it is so, and what it has answered last; one that is back keeps nothing", async () => {
  const target = { tenantId: 5, targetId: 1 };
  await saveTarget(pool, target);
  const gate = () => new TargetGate(pool, { ...target, concurrency: 8, ratePerSecond: null, circuit: "half-open" }, policy);
  const kept = async () => (await targets(pool, target))[0]?.circuit;
  await gate().note(fault);
  const opened = (await kept())?.fault;
  expect(opened).toEqual({ ...fault, since: expect.any(String) });
  while ((await tryCircuits(pool)) === 0);
  await gate().note({ messageId: "2", errorClass: "timeout", status: null });
  expect((await kept())?.fault).toEqual({ ...opened, errorClass: "timeout", status: null });
  while ((await tryCircuits(pool)) === 0);
  await gate().note(null);
  expect(await kept()).toEqual({ state: "closed", openUntil: null, fault: null });
});

const ranks = (workers: number) => [...Array(workers).keys()];

test("the workers' shares of a target add up to what it takes, and what can't be divided goes to another worker for another target", () => {
  for (const concurrency of [0, 1, 3, 8, 10])
    for (const workers of [1, 2, 3, 5]) {
      const shares = ranks(workers).map((rank) => shareOf(concurrency, workers, rank, 7));
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(concurrency);
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThan(2);
    }
  const favoured = [1, 2, 3].map((targetId) => ranks(3).find((rank) => shareOf(1, 3, rank, targetId) === 1));
  expect(new Set(favoured)).toEqual(new Set([0, 1, 2]));
});

test("faults count in a row alone: a success, and an opening, let them begin anew", async () => {
  const query = vi.fn<() => Promise<object>>(() => Promise.resolve({ rows: [{ isOpened: true }] }));
  const settings = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null };
  const gate = new TargetGate({ query } as unknown as pg.Pool, { ...settings, circuit: "closed" }, policy);
  expect(gate.isWatched).toBe(false);
  expect(await gate.note(fault)).toBe("closed");
  expect(gate.isWatched).toBe(true);
  expect(await gate.note(null)).toBe("closed");
  expect(gate.isWatched).toBe(false);
  expect(await gate.note(fault)).toBe("closed");
  expect(query).not.toHaveBeenCalled();
  expect(await gate.note(fault)).toBe("opened");
  // What was in flight then changes nothing.
  expect(await gate.note(fault)).toBe("open");
  gate.adopt({ ...settings, circuit: "closed" });
  expect(gate.isWatched).toBe(false);
  expect(await gate.note(fault)).toBe("closed");
  expect(await gate.note(null)).toBe("closed");
  expect(query).toHaveBeenCalledOnce();
  gate.adopt({ ...settings, circuit: "half-open" });
  expect(gate.isWatched).toBe(true);
  expect(await gate.note(null)).toBe("closed");
  expect(await gate.note(fault)).toBe("closed");
  expect(query).toHaveBeenCalledTimes(2);
});

const mayStart = (gate: TargetGate, onTokens = () => {}) => gate.mayStart(performance.now(), onTokens);

test("nothing starts at a target whose circuit is open, that is left to others or that has all it may, and nothing is read for the first two", () => {
  const open = gateOf("open");
  expect([mayStart(open), open.isSaturated]).toEqual([false, true]);
  const left = gateOf("closed");
  left.share = 0;
  expect([mayStart(left), left.isSaturated]).toEqual([false, true]);
  const resting = gateOf("closed");
  resting.rest(60_000);
  expect([mayStart(resting), resting.isSaturated]).toEqual([false, true]);
  const busy = gateOf("half-open");
  busy.share = 8;
  expect([mayStart(busy), busy.isSaturated]).toEqual([true, false]);
  busy.start();
  expect([mayStart(busy), busy.isSaturated]).toEqual([false, false]);
  // One of no worker's share is nobody's to try.
  busy.share = 0;
  expect(busy.limit).toBe(0);
});

test("a target's rate is taken a tenth of a second at a time, once, no more than waits, not before its time, and anew with another rate", async () => {
  vi.useFakeTimers();
  try {
    const query = vi.fn<(sql: { values: unknown[] }) => Promise<object>>(() => Promise.resolve({ rows: [{ waitMs: 50 }] }));
    const limits = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: 40 };
    const gate = new TargetGate({ query } as unknown as pg.Pool, { ...limits, circuit: "closed" }, policy);
    gate.share = 8;
    gate.queued = 5;
    const told = vi.fn<() => void>();
    const mayTake = () => mayStart(gate, told);
    const takeAll = () => {
      let count = 0;
      for (; mayTake(); count += 1) gate.start();
      return count;
    };
    expect([mayTake(), mayTake()]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(49);
    expect([mayTake(), told.mock.calls.length]).toEqual([false, 0]);
    await vi.advanceTimersByTimeAsync(2);
    expect(told).toHaveBeenCalledOnce();
    expect(takeAll()).toBe(4);
    // One is left, and one is taken for it.
    await vi.advanceTimersByTimeAsync(51);
    gate.adopt(limits);
    expect(takeAll()).toBe(1);
    expect(mayTake()).toBe(false);
    await vi.advanceTimersByTimeAsync(51);
    gate.adopt({ ...limits, ratePerSecond: 20 });
    expect(takeAll()).toBe(0);
    expect(query.mock.calls.map(([{ values }]) => values)).toEqual([4, 1, 1, 1].map((count) => [1, 1, count]));
  } finally {
    vi.useRealTimers();
  }
});

test("a target's rate is asked for again a second after the database could not tell it", async () => {
  vi.useFakeTimers();
  try {
    const away = { query: () => Promise.reject(new Error("the database is away")) } as unknown as pg.Pool;
    const gate = new TargetGate(away, { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: 10, circuit: "closed" }, policy);
    let asked = 0;
    const ask = (): void => {
      asked += 1;
      expect(gate.mayStart(performance.now(), ask)).toBe(false);
    };
    ask();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toBe(4);
  } finally {
    vi.useRealTimers();
  }
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

test.each([
  { trips: 0, hours: 1 },
  { trips: 3, hours: 8 },
  { trips: 4, hours: 12 },
  // After days without a success.
  { trips: 30, hours: 12 },
])(
  "the pause of a target that failed $trips trials since its last success is at most $hours hours, and hardly shorter",
  async ({ trips, hours }) => {
    const [tenantId, hourMs] = [4, 3_600_000];
    await saveTarget(pool, { tenantId, targetId: 1 });
    await pool.query("update queue.target set circuit = 'closed', circuit_open_until = null, circuit_trips = $2 where tenant_id = $1", [
      tenantId,
      trips,
    ]);
    const open = async () => (await pool.query("select queue.open_circuit($1, 1, $2, $3) as is", [tenantId, hourMs, 12 * hourMs])).rows;
    expect(await open()).toEqual([{ is: true }]);
    const sql =
      "select circuit_trips as trips, date_part('epoch', circuit_open_until - clock_timestamp()) / 3600 as hours from queue.target where tenant_id = $1";
    const { rows } = await pool.query<{ trips: number; hours: number }>(sql, [tenantId]);
    expect(rows[0]?.trips).toBe(Math.min(30, trips + 1));
    expect(rows[0]?.hours).toBeLessThanOrEqual(hours);
    // A quarter is left to chance, a tenth of an hour to a busy machine.
    expect(rows[0]?.hours).toBeGreaterThan(0.75 * hours - 0.1);
    // Who finds it open does not lengthen its pause, and nobody tries it before its time.
    expect(await open()).toEqual([{ is: false }]);
    expect((await pool.query("select queue.try_circuit($1, 1) as is", [tenantId])).rows).toEqual([{ is: false }]);
  },
);
