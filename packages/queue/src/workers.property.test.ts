import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createMaintenance, createWorker, listMessages, publish, saveQueue, saveTarget, type Handler, type Outcome } from "./index.ts";

// Two real workers on one fifo queue whose messages fail as a script says, while leases are taken away at random.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 20);
});
afterAll(() => database.drop());

type Step = "delivered" | "retry" | "throw" | "dead";
const scripts = fc.array(
  fc.record({
    key: fc.constantFrom("a", "b", "c", "d"),
    script: fc.array(fc.constantFrom<Step>("retry", "throw", "dead", "delivered"), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 60 },
);
const thefts = fc.array(fc.nat(60), { maxLength: 3 });
const attempt = { durationMs: 1, error: { class: "e", message: "m" } };

test("workers that fail and lose leases lose no message, and a lane's messages are finished in order", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, thefts, async (messages, stealAfter) => {
      tenantId++;
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
      const retry = { maxAttempts: 5, baseDelayMs: 1, maxDelayMs: 1 };
      const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "q", mode: "fifo", delivery: "push", retry });
      const ids = await publish(
        pool,
        messages.map(({ key }) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" })),
      );
      const left = new Map(ids.map((id, index) => [id, [...(messages[index]?.script ?? [])]]));
      const order: string[] = [];
      let calls = 0;
      const handler: Handler = async ({ messageId }) => {
        if (stealAfter.includes(calls++)) await expireLeases();
        const next = left.get(messageId)?.shift() ?? "delivered";
        if (next === "throw") throw new Error("scripted");
        if (next === "delivered") order.push(messageId);
        const outcome: Outcome = next === "retry" ? { kind: "retry", attempt, retryAfterMs: 0 } : { kind: next, attempt };
        return outcome;
      };
      await untilSettled(handler, ids.length);
      const { items } = await listMessages(pool, { tenantId, limit: 1000 });
      const states = new Map(items.map((item) => [item.messageId, item.state]));
      expect(states.size).toBe(ids.length);
      for (const lane of Map.groupBy(
        ids.map((id, index) => ({ id, key: messages[index]?.key })),
        ({ key }) => key,
      ).values()) {
        const laneStates = lane.map(({ id }) => states.get(id));
        const blocker = laneStates.indexOf("dead");
        // Up to a dead letter everything is delivered, behind it everything waits.
        expect(
          laneStates.map((state, index) => (blocker < 0 || index < blocker ? "delivered" : index === blocker ? "dead" : "waiting")),
        ).toEqual(laneStates.map((state) => (state === "ready" || state === "parked" ? "waiting" : state)));
        // A lost lease may repeat deliveries, but a message's first delivery comes after that of all before it.
        const firsts = lane.map(({ id }) => order.indexOf(id)).filter((position) => position >= 0);
        expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 12 },
  );
}, 120_000);

async function expireLeases(): Promise<void> {
  await pool.query("update queue.shard set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1 and owner is not null", [
    tenantId,
  ]);
}

/** Runs two workers until nothing of the tenant is left that could be delivered. */
async function untilSettled(handler: Handler, count: number): Promise<void> {
  const maintenance = createMaintenance(pool);
  maintenance.start();
  const workers = ["one", "two"].map((workerId) => createWorker(pool, { handler, workerId, pollMs: 10 }));
  for (const worker of workers) await worker.start();
  for (;;) {
    const { rows } = await pool.query<{ settled: number }>(settledSql, [tenantId]);
    if (rows[0]?.settled === count) break;
  }
  for (const worker of workers) await worker.stop();
  await maintenance.stop();
}

const settledSql = `
  select ((select count(*) from queue.history where tenant_id = $1) + (select count(*) from queue.dead where tenant_id = $1)
    + (select count(*) from queue.parked p where p.tenant_id = $1 and exists (select from queue.held h join queue.dead d
      on d.tenant_id = h.tenant_id and d.queue_id = h.queue_id and d.id = h.message_id
      where h.tenant_id = p.tenant_id and h.queue_id = p.queue_id and h.lane = p.lane)))::integer as settled`;
