import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, saveQueue, saveTarget, listMessages, type NewMessage } from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = new pg.Pool({ connectionString: database.workerUrl, max: 8 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

export function messagesOf(tenantId: number, queueId: number, count: number, keys: number): NewMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    tenantId,
    queueId,
    subtenantId: 1,
    key: `key ${index % keys}`,
    entityType: "order",
    document: JSON.stringify({ index }),
  }));
}

test("all messages of a fifo queue arrive once, each lane in order", async () => {
  await saveTarget(pool, { tenantId: 1, targetId: 1 });
  const queueId = await saveQueue(pool, { tenantId: 1, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
  await publish(pool, messagesOf(1, queueId, 1000, 37));
  const seen: number[] = [];
  const arrived = Promise.withResolvers<void>();
  const worker = createWorker(pool, {
    handler: async (delivery) => {
      seen.push(JSON.parse(delivery.document).index);
      if (seen.length === 1000) arrived.resolve();
      return { kind: "delivered", attempt: { durationMs: 1 } };
    },
    onEvent: (event) => console.log(event),
  });
  await worker.start();
  await arrived.promise;
  await worker.stop();
  expect(new Set(seen).size).toBe(1000);
  const lanes = Map.groupBy(seen, (index) => index % 37);
  for (const lane of lanes.values()) expect(lane).toEqual(lane.toSorted((a, b) => a - b));
  const { items } = await listMessages(pool, { tenantId: 1, filter: { state: "delivered" }, limit: 2000 });
  expect(items.length).toBe(1000);
});
