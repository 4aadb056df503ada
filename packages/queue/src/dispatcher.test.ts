import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { Dispatcher } from "./dispatcher.ts";
import { saveQueue, saveTarget } from "./index.ts";
import { LeasedShard, type Held, type Lane } from "./leased-shard.ts";
import type { Handler, Outcome } from "./model.ts";
import { TargetGate, type GateSettings } from "./target-gate.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 10);
});
afterAll(() => database.drop());

function queueMessage(shard: LeasedShard, id: number, key: string): Lane {
  const lane = shard.laneOf(key);
  const place = {
    attempts: 0,
    subtenantId: 1,
    entityType: "order",
    headers: null,
    version: null,
    originId: null,
    slot: 1,
    place: "(0,1)",
    createdMs: 0,
    largeBytes: 0,
  };
  const held = { id, version: null, row: { ...place, id: String(id), key, document: "{}" }, shard, lane };
  shard.held.set(id, held);
  shard.gate.queued++;
  lane.queued.push(held);
  return lane;
}

function makeDispatcher(handler: Handler, onError: (error: unknown) => void): Dispatcher {
  return new Dispatcher({
    concurrency: 8,
    pool,
    onRoom: () => undefined,
    onTripped: () => undefined,
    onError,
    handler,
  });
}

/** Deliveries of the shard are finished by `finish`. */
function own(shard: LeasedShard, finish: (held: Held, outcome: Outcome) => void): void {
  shard.owner = { finish, isFull: false };
}

/** Without a database: `query` is what it answers. */
function leasedShard(circuit: GateSettings["circuit"], query: () => Promise<unknown>): LeasedShard {
  const settings: GateSettings = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null, circuit };
  const gate = new TargetGate({ query } as unknown as pg.Pool, settings, { faults: 1, pauseMs: 1, pauseMsMax: 1 });
  gate.share = 8;
  const header = {
    tenantId: 1,
    queueId: 1,
    queueName: "a.order",
    targetId: 1,
    shard: 0,
    epoch: "0",
    generation: 0,
    cursor: "0",
    weight: 1,
  };
  return new LeasedShard({ ...header, carefulTo: "0", mode: "fifo" }, gate, undefined, 0);
}

test("a delivery whose outcome cannot be noted for its target's circuit ends as it did, and the circuit is as it was", async () => {
  const away = new Error("the database is away");
  const shard = leasedShard("closed", () => Promise.reject(away));
  const errors: unknown[] = [];
  const down: Outcome = { kind: "retry", attempt: { durationMs: 1 }, isTargetFault: true };
  const outcome = await new Promise((resolve) => {
    own(shard, (_, ended) => resolve(ended));
    makeDispatcher(
      async () => down,
      (error) => errors.push(error),
    ).offer(queueMessage(shard, 1, "one"));
  });
  expect([outcome, errors, shard.gate.settings.circuit]).toEqual([down, [away], "closed"]);
});

test("a delivery that is given back says nothing about its target: the trial of a circuit is still to come", async () => {
  const shard = leasedShard("half-open", () => Promise.resolve({ rows: [] }));
  await new Promise((resolve) => {
    own(shard, resolve);
    makeDispatcher(
      async () => ({ kind: "released" }),
      (error) => expect.unreachable(String(error)),
    ).offer(queueMessage(shard, 1, "one"));
  });
  expect(shard.gate.settings.circuit).toBe("half-open");
});

test("what is being delivered is aborted with its worker, and ends as its handler says", async () => {
  const shard = leasedShard("closed", () => Promise.resolve({ rows: [] }));
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Outcome>();
  const handler: Handler = (_, signal) => {
    begun.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "released" })));
  };
  own(shard, (_, outcome) => ended.resolve(outcome));
  const dispatcher = makeDispatcher(handler, (error) => expect.unreachable(String(error)));
  dispatcher.offer(queueMessage(shard, 1, "one"));
  await begun.promise;
  dispatcher.abort();
  expect(await ended.promise).toEqual({ kind: "released" });
});

/** A shard of a queue of its own, whose target may take eight deliveries at a time. */
async function makeShard(targetId: number, { carefulTo, faults }: { carefulTo: string; faults: number }): Promise<LeasedShard> {
  const tenantId = 1;
  await saveTarget(pool, { tenantId, targetId, concurrency: 1 });
  const queueId = await saveQueue(pool, { tenantId, targetId, name: "a.order", mode: "fifo", delivery: "push" });
  const settings: GateSettings = { tenantId, targetId, concurrency: 1, ratePerSecond: null, circuit: "closed" };
  const gate = new TargetGate(pool, settings, { faults, pauseMs: 1, pauseMsMax: 1 });
  // Room for several lanes to be looked at while the first is under way.
  gate.share = 8;
  const header = { tenantId, queueId, queueName: "a.order", targetId, shard: 0, epoch: "0", generation: 0, cursor: "0", weight: 1 };
  return new LeasedShard({ ...header, carefulTo, mode: "fifo" }, gate, undefined, 0);
}

test("a shard of which nothing is being delivered any more is forgotten, also when its target's circuit opens as its deliveries end", async () => {
  const shard = await makeShard(2, { carefulTo: "0", faults: 1 });
  const lanes = [queueMessage(shard, 1, "first"), queueMessage(shard, 2, "second")];
  let settled = 0;
  const dispatcher = await new Promise<Dispatcher>((resolve) => {
    const finish = (): void => {
      shard.inFlight--;
      settled++;
      // When what follows the end of the last delivery is done as well.
      if (settled === lanes.length) setImmediate(() => resolve(made));
    };
    own(shard, finish);
    const made = new Dispatcher({
      concurrency: 8,
      pool,
      onRoom: () => undefined,
      onTripped: () => undefined,
      onError: (error) => {
        throw error;
      },
      handler: () => Promise.resolve({ kind: "retry", attempt: { durationMs: 1 }, isTargetFault: true }),
    });
    for (const lane of lanes) made.offer(lane);
  });
  dispatcher.abort();
  expect(shard.stopped.signal.aborted).toBe(false);
});

test("a lane that waits for its careful turn is not kept waiting by one whose messages were set aside", async () => {
  const shard = await makeShard(1, { carefulTo: "99", faults: 5 });
  const [first, second, third] = [queueMessage(shard, 1, "first"), queueMessage(shard, 2, "second"), queueMessage(shard, 3, "third")];
  const keys: string[] = [];
  await new Promise<void>((resolve) => {
    const dispatcher = new Dispatcher({
      concurrency: 8,
      pool,
      onRoom: () => undefined,
      onTripped: () => undefined,
      onError: (error) => {
        throw error;
      },
      handler: async ({ key }) => {
        keys.push(key);
        if (key === "first") shard.setAside(second);
        if (key === "third") resolve();
        return { kind: "delivered", attempt: { durationMs: 1 } };
      },
    });
    for (const lane of [first, second, third]) dispatcher.offer(lane);
  });
  expect(keys).toEqual(["first", "third"]);
});

test("a large document that cannot be read is given back untried, and the next one has its room", async () => {
  const outcomes: Outcome[] = [];
  const errors: unknown[] = [];
  const all = Promise.withResolvers<void>();
  const dispatcher = makeDispatcher(
    () => Promise.reject(new Error("Nobody reads it.")),
    (error) => errors.push(error),
  );
  const shard = leasedShard("closed", () => Promise.resolve({ rows: [] }));
  own(shard, (held, outcome) => {
    held.lane.running = null;
    if (outcomes.push(outcome) === 2) all.resolve();
  });
  for (const id of [1, 2]) {
    const lane = queueMessage(shard, id, `key ${id}`);
    // No number, so that the question for it fails; as large as all that may be on its way at once.
    Object.assign(lane.queued[0]!.row, { id: "nothing", document: null, largeBytes: 16 * 1024 * 1024 });
    dispatcher.offer(lane);
  }
  await all.promise;
  expect(outcomes).toEqual([{ kind: "released" }, { kind: "released" }]);
  expect(errors).toHaveLength(2);
});

test("a large document whose handler throws was tried, as any other", async () => {
  const outcome = await new Promise((resolve) => {
    const dispatcher = new Dispatcher({
      concurrency: 8,
      pool: { query: () => Promise.resolve({ rows: [{ document: "{}" }] }) } as unknown as pg.Pool,
      onRoom: () => undefined,
      onTripped: () => undefined,
      onError: () => undefined,
      handler: () => Promise.reject(new Error("a defect")),
    });
    const shard = leasedShard("closed", () => Promise.resolve({ rows: [] }));
    own(shard, (_, ended) => resolve(ended));
    const lane = queueMessage(shard, 1, "one");
    Object.assign(lane.queued[0]!.row, { document: null, largeBytes: 1 });
    dispatcher.offer(lane);
  });
  expect(outcome).toMatchObject({ kind: "retry", attempt: { error: { class: "handler-error", message: "a defect" } } });
});
