import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { Dispatcher } from "./dispatcher.ts";
import { saveQueue, saveTarget } from "./index.ts";
import { LeasedShard, type Lane } from "./leased-shard.ts";
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
  };
  const held = { id, version: null, row: { ...place, id: String(id), key, document: "{}" }, shard, lane };
  shard.held.set(id, held);
  shard.gate.queued++;
  lane.queued.push(held);
  return lane;
}

test("a lane that waits for its careful turn is not kept waiting by one whose messages were set aside", async () => {
  const tenantId = 1;
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 1 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
  const settings: GateSettings = { tenantId, targetId: 1, concurrency: 1, ratePerSecond: null, circuit: "closed" };
  const gate = new TargetGate(pool, settings, { faults: 5, pauseMs: 1, pauseMsMax: 1 });
  // Room for the lanes to be looked at while the first is under way.
  gate.share = 8;
  const header = { tenantId, queueId, queueName: "a.order", targetId: 1, shard: 0, epoch: "0", generation: 0, cursor: "0", weight: 1 };
  const shard = new LeasedShard({ ...header, carefulTo: "99", mode: "fifo" }, gate, undefined, 0);
  const [first, second, third] = [queueMessage(shard, 1, "first"), queueMessage(shard, 2, "second"), queueMessage(shard, 3, "third")];
  const keys: string[] = [];
  await new Promise<void>((resolve) => {
    const dispatcher = new Dispatcher({
      concurrency: 8,
      pool,
      runnerOf: () => undefined,
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
