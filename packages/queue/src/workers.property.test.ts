import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  createMaintenance,
  createWorker,
  listMessages,
  publish,
  saveQueue,
  saveTarget,
  tryCircuits,
  type Handler,
  type Outcome,
} from "./index.ts";

// Two real workers on one fifo queue whose messages fail or are put off as a script says, while leases are taken away, queue and target are
// paused, limits change and circuits open at random.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 20);
});
afterAll(() => database.drop());

type Step = "delivered" | "retry" | "down" | "throw" | "dead" | "released" | "put-off";
const scripts = fc.array(
  fc.record({
    key: fc.constantFrom("a", "b", "c", "d"),
    script: fc.array(fc.constantFrom<Step>("retry", "down", "throw", "dead", "delivered", "released", "put-off"), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 60 },
);
type Disturbance = "theft" | "queue paused" | "target paused" | "limit";
const disturbances = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(60), fc.constant<Disturbance>("theft")), { maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(90), fc.constantFrom<Disturbance>("queue paused", "target paused", "limit")), { maxLength: 5 }),
  )
  .map((both) => new Map<number, Disturbance>(both.flat()));
const circuit = { faults: 2, pauseMs: 1, pauseMsMax: 5 };
const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
const outcomes: Record<Exclude<Step, "throw">, Outcome> = {
  delivered: { kind: "delivered", attempt },
  dead: { kind: "dead", attempt },
  retry: { kind: "retry", attempt, retryAfterMs: 0 },
  down: { kind: "retry", attempt, retryAfterMs: 0, isTargetFault: true },
  released: { kind: "released" },
  "put-off": { kind: "released", delayMs: 1 },
};

test("workers that fail, stop and lose leases lose no message, and a lane's messages are finished in order", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, disturbances, async (messages, disturbed) => {
      tenantId++;
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
      const queueId = await makeQueue();
      const ids = await publish(
        pool,
        messages.map(({ key }) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" })),
      );
      const left = new Map(ids.map((id, index) => [id, [...(messages[index]?.script ?? [])]]));
      const order: string[] = [];
      const ended: Promise<unknown>[] = [];
      let calls = 0;
      const handler: Handler = async ({ messageId }) => {
        const disturbance = disturbed.get(calls++);
        if (disturbance) ended.push(disturb(disturbance));
        if (disturbance === "theft") await ended.at(-1);
        const next = left.get(messageId)?.shift() ?? "delivered";
        if (next === "throw") throw new Error("scripted");
        if (next === "delivered") order.push(messageId);
        return outcomes[next];
      };
      await untilSettled(handler, ids.length);
      await Promise.all(ended);
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
    { numRuns: Number(process.env["WORKERS_RUNS"] ?? 12) },
  );
}, 120_000);

function makeQueue(isPaused?: boolean): Promise<number> {
  const retry = { maxAttempts: 5, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, {
    tenantId,
    targetId: 1,
    name: "q",
    mode: "fifo",
    delivery: "push",
    retry,
    ...(isPaused === undefined ? {} : { isPaused }),
  });
}

async function disturb(disturbance: Disturbance): Promise<unknown> {
  if (disturbance === "theft") return expireLeases();
  if (disturbance === "limit") return saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
  const set = (isPaused: boolean) =>
    disturbance === "queue paused" ? makeQueue(isPaused) : saveTarget(pool, { tenantId, targetId: 1, isPaused });
  await set(true);
  // Some steps later.
  for (let n = 0; n < 10; n += 1) await pool.query("select");
  return set(false);
}

async function expireLeases(): Promise<void> {
  await pool.query("update queue.shard set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1 and owner is not null", [
    tenantId,
  ]);
}

/** Runs two workers until nothing of the tenant is left that could be delivered. */
async function untilSettled(handler: Handler, count: number): Promise<void> {
  const maintenance = createMaintenance(pool);
  maintenance.start();
  const workers = ["one", "two"].map((workerId) => createWorker(pool, { handler, workerId, pollMs: 10, heartbeatMs: 20, circuit }));
  for (const worker of workers) await worker.start();
  for (;;) {
    const { rows } = await pool.query<{ settled: number }>(settledSql, [tenantId]);
    if (rows[0]?.settled === count) break;
    await tryCircuits(pool);
  }
  for (const worker of workers) await worker.stop();
  await maintenance.stop();
}

const settledSql = `
  select ((select count(*) from queue.history where tenant_id = $1) + (select count(*) from queue.dead where tenant_id = $1)
    + (select count(*) from queue.parked p where p.tenant_id = $1 and exists (select from queue.held h join queue.dead d
      on d.tenant_id = h.tenant_id and d.queue_id = h.queue_id and d.id = h.message_id
      where h.tenant_id = p.tenant_id and h.queue_id = p.queue_id and h.lane = p.lane)))::integer as settled`;
