/* oxlint-disable vitest/no-standalone-expect -- the commands are run by the test below */
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
  type MessageState,
} from "./index.ts";

// Random interleavings of everything that can happen to one fifo pull queue, against a model that knows what each lane allows.

let database: TestDatabase;
let pool: pg.Pool;
let lastTenant = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());

const maxAttempts = 2;

type ModelMessage = {
  id: string;
  key: string;
  state: "waiting" | "in-hand" | "dead" | "delivered" | "removed";
  tries: number;
  budget: number;
  removedFrom?: "waiting" | "dead";
};
type ModelLease = { token: string; id: string; isLive: boolean };
type Model = { messages: ModelMessage[]; leases: ModelLease[] };
type Real = { tenantId: number; queueId: number };

const live = (model: Model): ModelLease[] => model.leases.filter((lease) => lease.isLive);
const byId = (model: Model, id: string): ModelMessage => {
  const found = model.messages.find((message) => message.id === id);
  if (!found) throw new Error(`The model does not know message ${id}.`);
  return found;
};
const pick = <T>(list: readonly T[], seed: number): T | undefined => list[seed % Math.max(1, list.length)];

/** A failed try: retried at once, or dead when it was the last. */
function fail(message: ModelMessage): void {
  message.tries++;
  message.state = message.tries >= message.budget ? "dead" : "waiting";
}

class Publish implements fc.AsyncCommand<Model, Real> {
  readonly keys: string[];
  constructor(keys: string[]) {
    this.keys = keys;
  }
  check = (): boolean => true;
  async run(model: Model, { tenantId, queueId }: Real): Promise<void> {
    const news = this.keys.map((key) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }));
    const ids = await publish(pool, news);
    ids.forEach((id, index) => model.messages.push({ id, key: this.keys[index] ?? "", state: "waiting", tries: 0, budget: maxAttempts }));
  }
  toString = (): string => `publish(${this.keys.join()})`;
}

class Claim implements fc.AsyncCommand<Model, Real> {
  readonly max: number;
  constructor(max: number) {
    this.max = max;
  }
  check = (): boolean => true;
  async run(model: Model, { tenantId, queueId }: Real): Promise<void> {
    const leases = await claim(pool, { tenantId, queueId, max: this.max, leaseSeconds: 3600, workerId: "w" });
    for (const lease of leases) {
      const message = byId(model, lease.messageId);
      const lane = model.messages.filter((other) => other.key === message.key);
      expect(message.state).toBe("waiting");
      expect(lease.attempt).toBe(message.tries + 1);
      // One live lease per lane, and nothing older of the lane waits or is dead; a restored older one may come later.
      expect(lane.filter((other) => other.state === "in-hand")).toEqual([]);
      const older = lane.filter((other) => BigInt(other.id) < BigInt(message.id));
      expect(older.filter((other) => other.state === "waiting")).toEqual([]);
      message.state = "in-hand";
      model.leases.push({ token: lease.leaseToken, id: message.id, isLive: true });
    }
    const lanesWithWork = new Set(model.messages.filter((message) => message.state === "waiting").map((message) => message.key));
    const busy = new Set(
      model.messages.filter((message) => message.state === "in-hand" || message.state === "dead").map((message) => message.key),
    );
    // Nothing is forgotten: with room left, no lane that is free has a message waiting.
    if (leases.length < this.max) expect([...lanesWithWork].filter((key) => !busy.has(key))).toEqual([]);
  }
  toString = (): string => `claim(${this.max})`;
}

class Settle implements fc.AsyncCommand<Model, Real> {
  readonly seed: number;
  readonly kind: "delivered" | "retry" | "dead" | "released";
  constructor(seed: number, kind: Settle["kind"]) {
    this.seed = seed;
    this.kind = kind;
  }
  check = (model: Readonly<Model>): boolean => model.leases.length > 0;
  async run(model: Model, { tenantId }: Real): Promise<void> {
    const lease = pick(model.leases, this.seed);
    if (!lease) return;
    const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
    const outcome =
      this.kind === "released"
        ? ({ kind: "released" } as const)
        : this.kind === "retry"
          ? ({ kind: "retry", attempt, retryAfterMs: 0 } as const)
          : ({ kind: this.kind, attempt } as const);
    // A stale token changes nothing, which the comparison of all states at the end would show.
    expect(await settle(pool, { tenantId, leaseToken: lease.token, outcome })).toBe(lease.isLive);
    if (!lease.isLive) return;
    lease.isLive = false;
    const message = byId(model, lease.id);
    if (this.kind === "delivered") message.state = "delivered";
    else if (this.kind === "released") message.state = "waiting";
    else if (this.kind === "retry") fail(message);
    else {
      message.tries++;
      message.state = "dead";
    }
  }
  toString = (): string => `settle(${this.seed}, ${this.kind})`;
}

/** A worker died: one of its leases runs out. */
class Expire implements fc.AsyncCommand<Model, Real> {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
  check = (model: Readonly<Model>): boolean => live(model).length > 0;
  async run(model: Model, { tenantId }: Real): Promise<void> {
    const lease = pick(live(model), this.seed);
    if (!lease) return;
    await pool.query("update queue.lease set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1 and token = $2", [
      tenantId,
      lease.token,
    ]);
    await rescueLeases(pool);
    lease.isLive = false;
    fail(byId(model, lease.id));
  }
  toString = (): string => `expire(${this.seed})`;
}

class Remove implements fc.AsyncCommand<Model, Real> {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
  check = (model: Readonly<Model>): boolean => model.messages.length > 0;
  async run(model: Model, { tenantId }: Real): Promise<void> {
    const message = pick(model.messages, this.seed);
    if (!message) return;
    const isWaiting = message.state === "waiting" || message.state === "dead";
    expect(await remove(pool, { tenantId, messageIds: [message.id] })).toEqual(isWaiting ? [message.id] : []);
    if (message.state === "waiting" || message.state === "dead") Object.assign(message, { removedFrom: message.state, state: "removed" });
  }
  toString = (): string => `remove(${this.seed})`;
}

class Restore implements fc.AsyncCommand<Model, Real> {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
  check = (model: Readonly<Model>): boolean => model.messages.some((message) => message.state === "removed");
  async run(model: Model, { tenantId }: Real): Promise<void> {
    const message = pick(
      model.messages.filter(({ state }) => state === "removed"),
      this.seed,
    );
    if (!message?.removedFrom) return;
    expect(await restore(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
    message.state = message.removedFrom;
  }
  toString = (): string => `restore(${this.seed})`;
}

class Requeue implements fc.AsyncCommand<Model, Real> {
  readonly seed: number;
  constructor(seed: number) {
    this.seed = seed;
  }
  check = (model: Readonly<Model>): boolean => model.messages.some((message) => message.state === "dead");
  async run(model: Model, { tenantId }: Real): Promise<void> {
    const message = pick(
      model.messages.filter(({ state }) => state === "dead"),
      this.seed,
    );
    if (!message) return;
    expect(await requeueDead(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
    message.state = "waiting";
    message.budget = message.tries + maxAttempts;
  }
  toString = (): string => `requeue(${this.seed})`;
}

const stateInModel: Record<MessageState, ModelMessage["state"] | "unexpected"> = {
  ready: "waiting",
  parked: "waiting",
  retrying: "waiting",
  "in-hand": "in-hand",
  dead: "dead",
  delivered: "delivered",
  removed: "removed",
  superseded: "unexpected",
  redirected: "unexpected",
};

const nat = fc.nat(20);
const commands = fc.commands(
  [
    fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }).map((keys) => new Publish(keys)),
    fc.integer({ min: 1, max: 4 }).map((max) => new Claim(max)),
    fc.integer({ min: 1, max: 4 }).map((max) => new Claim(max)),
    fc
      .tuple(nat, fc.constantFrom("delivered" as const, "retry" as const, "dead" as const, "released" as const))
      .map(([seed, kind]) => new Settle(seed, kind)),
    fc.tuple(nat, fc.constantFrom("delivered" as const, "retry" as const)).map(([seed, kind]) => new Settle(seed, kind)),
    nat.map((seed) => new Expire(seed)),
    nat.map((seed) => new Remove(seed)),
    nat.map((seed) => new Restore(seed)),
    nat.map((seed) => new Requeue(seed)),
  ],
  { maxCommands: 40 },
);

test("any interleaving of publish, claim, settle, expire, remove, restore and requeue loses nothing and keeps lane order", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const tenantId = ++lastTenant;
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
      const retry = { maxAttempts, baseDelayMs: 1, maxDelayMs: 1 };
      const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "q", mode: "fifo", delivery: "pull", retry });
      const model: Model = { messages: [], leases: [] };
      await fc.asyncModelRun(() => ({ model, real: { tenantId, queueId } }), sequence);
      await promoteRetries(pool);
      const { items } = await listMessages(pool, { tenantId, limit: 1000 });
      const states = items.map((item) => [item.messageId, stateInModel[item.state], item.attempts - (item.state === "delivered" ? 1 : 0)]);
      expect(states.toReversed()).toEqual(model.messages.map((message) => [message.id, message.state, message.tries]));
      await expectOnePlaceEach(tenantId, model.messages.length);
    }),
    { numRuns: 60 },
  );
}, 120_000);

/** Each message is in exactly one of the tables: the counts add up. */
async function expectOnePlaceEach(tenantId: number, count: number): Promise<void> {
  const places = ["ready", "retrying", "parked", "dead", "removed", "history"]
    .map((table) => `select id from queue.${table} where tenant_id = $1`)
    .join(" union all ");
  const { rows } = await pool.query<{ total: number; distinct: number }>(
    `select count(*)::integer as total, count(distinct id)::integer as distinct from (${places}) p`,
    [tenantId],
  );
  expect(rows).toEqual([{ total: count, distinct: count }]);
}
