import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  listMessages,
  promoteRetries,
  publish,
  remove,
  requeueDead,
  rescueLeases,
  restore,
  saveQueue,
  saveTarget,
  settle,
  type Lease,
  type MessageState,
  type Outcome,
} from "./index.ts";

// Random interleavings of what can happen to a queue of the newest, with versions and without, against what its lanes promise.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
let queueId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());

type Published = { id: string; key: string; version: number };
type Seen = Published & { state: MessageState };
type Run = { published: Published[]; leases: Lease[]; delivered: Published[] };

const isNewer = (a: Published, b: Published): boolean => (a.version === b.version ? BigInt(a.id) > BigInt(b.id) : a.version > b.version);
const pick = <T>(list: readonly T[], seed: number): T | undefined => list[seed % Math.max(1, list.length)];

async function look({ published }: Run): Promise<Seen[]> {
  const { items } = await listMessages(pool, { tenantId, limit: 1000 });
  const states = new Map(items.map(({ messageId, state }) => [messageId, state]));
  // Each is listed, and once.
  expect(items).toHaveLength(published.length);
  return published.map((message) => ({ ...message, state: states.get(message.id) ?? "removed" }));
}

const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
const outcomes: Outcome[] = [
  { kind: "delivered", attempt },
  { kind: "delivered", attempt },
  { kind: "retry", attempt, retryAfterMs: 0 },
  { kind: "retry", attempt, retryAfterMs: 3_600_000 },
  { kind: "dead", attempt },
  { kind: "released" },
  { kind: "released", delayMs: 3_600_000 },
];

/** Only what is named with versions has them. */
async function send(run: Run, keys: readonly string[], seed: number): Promise<void> {
  const versions = keys.map((key, index) => (key === "versioned" ? 1 + ((seed + index) % 3) : 0));
  const messages = keys.map((key, index) => {
    const version = versions[index] ? String(versions[index]) : null;
    return { tenantId, queueId, subtenantId: 1, key, entityType: "item", document: "{}", version };
  });
  const ids = await publish(pool, messages);
  ids.forEach((id, index) => run.published.push({ id, key: keys[index] ?? "", version: versions[index] ?? 0 }));
}

async function take(run: Run): Promise<void> {
  const leases = await claim(pool, { tenantId, queueId, max: 10, leaseSeconds: 3600 });
  const seen = await look(run);
  for (const { messageId } of leases) {
    const leased = seen.find(({ id }) => id === messageId);
    if (!leased) throw new Error(`Nobody published ${messageId}.`);
    const others = seen.filter(({ id, key }) => key === leased.key && id !== messageId);
    // One of a lane at a time, the newest of what waits, and never older than what was delivered.
    expect(others.filter(({ state }) => state === "in-hand")).toEqual([]);
    expect(others.filter((other) => ["ready", "retrying", "dead"].includes(other.state) && isNewer(other, leased))).toEqual([]);
    expect(run.delivered.filter((other) => other.key === leased.key && isNewer(other, leased))).toEqual([]);
  }
  run.leases.push(...leases);
}

async function settleOne(run: Run, seed: number, outcome: Outcome): Promise<void> {
  const lease = pick(run.leases, seed);
  if (!lease) return;
  run.leases.splice(run.leases.indexOf(lease), 1);
  expect(await settle(pool, { tenantId, leaseToken: lease.leaseToken, outcome })).toBe(true);
  const message = run.published.find(({ id }) => id === lease.messageId);
  if (message && outcome.kind === "delivered") run.delivered.push(message);
}

async function expire(run: Run, seed: number): Promise<void> {
  const lease = pick(run.leases, seed);
  if (!lease) return;
  run.leases.splice(run.leases.indexOf(lease), 1);
  await pool.query("update queue.lease set lease_until = '-infinity' where tenant_id = $1 and token = $2", [tenantId, lease.leaseToken]);
  await rescueLeases(pool);
}

async function fallDue(): Promise<void> {
  await pool.query("update queue.retrying set due_at = clock_timestamp() where tenant_id = $1", [tenantId]);
  await promoteRetries(pool);
}

async function operate(run: Run, seed: number, verb: "remove" | "restore" | "requeue"): Promise<void> {
  const from = { remove: ["ready", "retrying", "dead"], restore: ["removed"], requeue: ["dead"] }[verb];
  const message = pick(
    (await look(run)).filter(({ state }) => from.includes(state)),
    seed,
  );
  const does = { remove, restore, requeue: requeueDead }[verb];
  if (message) expect(await does(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
}

const nat = fc.nat(20);
type Step = (run: Run) => Promise<void>;
const named = (name: string, step: Step): { name: string; step: Step; toString: () => string } => ({ name, step, toString: () => name });
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(named("claim", take)) },
    {
      weight: 5,
      arbitrary: fc
        .tuple(nat, fc.constantFrom(...outcomes))
        .map(([seed, outcome]) => named(`settle ${seed} ${JSON.stringify(outcome)}`, (run) => settleOne(run, seed, outcome))),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(fc.constantFrom("versioned", "plain"), { minLength: 1, maxLength: 3 }), nat)
        .map(([keys, seed]) => named(`publish ${keys.join()} ${seed}`, (run) => send(run, keys, seed))),
    },
    { weight: 1, arbitrary: nat.map((seed) => named(`expire ${seed}`, (run) => expire(run, seed))) },
    { weight: 1, arbitrary: fc.constant(named("fall due", fallDue)) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(nat, fc.constantFrom("remove" as const, "restore" as const, "restore" as const, "requeue" as const))
        .map(([seed, verb]) => named(`${verb} ${seed}`, (run) => operate(run, seed, verb))),
    },
  ),
  { minLength: 10, maxLength: 40, size: "max" },
);

test("any interleaving of what can happen to a queue of the newest delivers the newest, and never what is older", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      tenantId++;
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
      const retry = { maxAttempts: 3, baseDelayMs: 1, maxDelayMs: 1 };
      queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "q", mode: "latest", delivery: "pull", retry });
      const run: Run = { published: [], leases: [], delivered: [] };
      for (const { step } of sequence) await step(run);
      // Then everything goes well.
      do {
        while (run.leases.length > 0) await settleOne(run, 0, { kind: "delivered", attempt });
        await fallDue();
        await take(run);
      } while (run.leases.length > 0);
      for (const lane of Map.groupBy(await look(run), ({ key }) => key).values()) {
        const newest = lane.reduce((a, b) => (isNewer(a, b) ? a : b));
        expect(["delivered", "dead", "removed"]).toContain(newest.state);
        expect(lane.filter(({ state }) => !["delivered", "dead", "removed", "superseded"].includes(state))).toEqual([]);
      }
    }),
    { numRuns: Number(process.env["NEWEST_RUNS"] ?? 20) },
  );
}, 120_000);
