/* oxlint-disable vitest/no-standalone-expect -- the commands are run by the test below */
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  claimAgain,
  listMessages,
  promoteRetries,
  publish,
  redirectMessages,
  remove,
  requeueDead,
  rescueLeases,
  restore,
  retryNow,
  saveQueue,
  saveTarget,
  settle,
  type MessageState,
  type Outcome,
} from "./index.ts";

// Random interleavings of everything that can happen to two fifo pull queues, against a model that knows what each lane allows.

let database: TestDatabase;
let pool: pg.Pool;
let lastTenant = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());

const maxAttempts = 2;
const hourMs = 3_600_000;

type State = "ready" | "retrying" | "in-hand" | "dead" | "delivered" | "superseded" | "removed" | "redirected";
type ModelMessage = {
  id: string;
  /** The id of the message that it is a copy of, or of a copy of; else its own. */
  firstId: string;
  lane: Lane;
  state: State;
  isDue: boolean;
  tries: number;
  budget: number;
  removedFrom?: "ready" | "retrying" | "dead";
};
type Lane = { queue: number; messages: ModelMessage[] };
type ModelLease = { token: string; message: ModelMessage; isLive: boolean };
type Model = { lanes: Map<string, Lane>; leases: ModelLease[]; paused: Set<string> };
type Real = { tenantId: number; queueIds: number[] };

const messagesOf = (model: Readonly<Model>, ...states: State[]): ModelMessage[] =>
  [...model.lanes.values()]
    .flatMap(({ messages }) => messages)
    .filter(({ state }) => states.length === 0 || states.includes(state))
    .toSorted(byId);
const byId = (a: ModelMessage, b: ModelMessage): number => (BigInt(a.id) < BigInt(b.id) ? -1 : 1);
const pick = <T>(list: readonly T[], seed: number): T | undefined => list[seed % Math.max(1, list.length)];
const live = (model: Readonly<Model>): ModelLease[] => model.leases.filter((lease) => lease.isLive);

function add(model: Model, queue: number, key: string, id: string, firstId = id): void {
  const name = `${queue} ${key}`;
  const lane = model.lanes.get(name) ?? { queue, messages: [] };
  model.lanes.set(name, lane);
  lane.messages.push({ id, firstId, lane, state: "ready", isDue: true, tries: 0, budget: maxAttempts });
}

/** What follows it was delivered, or is just being. */
const wasPassed = (message: ModelMessage): boolean =>
  message.lane.messages.some((other) => (other.state === "delivered" || other.state === "in-hand") && byId(message, other) < 0);

const isWaiting = ({ state }: ModelMessage): boolean => state === "ready" || state === "retrying" || state === "dead";

function fail(message: ModelMessage, isDue: boolean): void {
  message.tries++;
  Object.assign(message, { state: message.tries >= message.budget ? "dead" : "retrying", isDue });
}

function promote(model: Model, queue: number | null): void {
  for (const message of messagesOf(model, "retrying"))
    if (message.isDue && message.lane.queue === (queue ?? message.lane.queue)) message.state = "ready";
}

/** What a lane lets through: the first of it, unless that has failed and waits. */
function headOf({ messages }: Lane): ModelMessage[] {
  if (messages.some(({ state }) => state === "in-hand")) return [];
  return messages
    .filter(isWaiting)
    .toSorted(byId)
    .slice(0, 1)
    .filter(({ state }) => state === "ready");
}

/** A command by its name, what has to be so that it makes sense, and what it does. */
function command(
  name: string,
  check: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.AsyncCommand<Model, Real> {
  return { check, run, toString: () => name };
}
const always = (): boolean => true;

const publishing = (queue: number, keys: string[]) =>
  command(`publish(${queue}, ${keys.join()})`, always, async (model, { tenantId, queueIds }) => {
    const queueId = queueIds[queue] ?? 0;
    const news = keys.map((key) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }));
    (await publish(pool, news)).forEach((id, index) => add(model, queue, keys[index] ?? "", id));
  });

const claiming = (queue: number, max: number) =>
  command(`claim(${queue}, ${max})`, always, async (model, { tenantId, queueIds }) => {
    const leases = await claim(pool, { tenantId, queueId: queueIds[queue] ?? 0, max, leaseSeconds: 3600 });
    if (isQueuePaused(model, queue)) return expect(leases).toEqual([]);
    promote(model, queue);
    const heads = [...model.lanes.values()]
      .filter((lane) => lane.queue === queue)
      .flatMap(headOf)
      .toSorted(byId)
      .slice(0, max);
    // Nothing is forgotten, nothing overtaken, and a lane has one lease.
    expect(leases.map(({ messageId, attempt }) => [messageId, attempt])).toEqual(heads.map(({ id, tries }) => [id, tries + 1]));
    for (const [index, message] of heads.entries()) {
      message.state = "in-hand";
      model.leases.push({ token: leases[index]?.leaseToken ?? "", message, isLive: true });
    }
  });

const isQueuePaused = ({ paused }: Model, queue: number): boolean => paused.has("target") || paused.has(`queue ${queue}`);

const claimingAgain = (seed: number) =>
  command(
    `claimAgain(${seed})`,
    (model) => messagesOf(model).length > 0,
    async (model, { tenantId, queueIds }) => {
      const message = pick(messagesOf(model), seed);
      if (!message) return;
      const { lane } = message;
      const queueId = queueIds[lane.queue] ?? 0;
      const lease = await claimAgain(pool, { tenantId, queueId, messageId: message.id, leaseSeconds: 3600 });
      const isBusy = lane.messages.some(({ state }) => state === "in-hand");
      const isRefused = isBusy || isQueuePaused(model, lane.queue) || message.state === "redirected";
      expect(lease?.attempt ?? null).toBe(isRefused ? null : message.tries + 1);
      if (!lease) return;
      Object.assign(message, { state: "in-hand", budget: message.tries + maxAttempts });
      model.leases.push({ token: lease.leaseToken, message, isLive: true });
    },
  );

type Kind = "delivered" | "retry" | "retry-later" | "dead" | "released" | "put-off";
const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
const outcomes: Record<Kind, Outcome> = {
  delivered: { kind: "delivered", attempt },
  retry: { kind: "retry", attempt, retryAfterMs: 0 },
  "retry-later": { kind: "retry", attempt, retryAfterMs: hourMs },
  dead: { kind: "dead", attempt },
  released: { kind: "released" },
  "put-off": { kind: "released", delayMs: hourMs },
};

const settling = (seed: number, kind: Kind) =>
  command(
    `settle(${seed}, ${kind})`,
    (model) => model.leases.length > 0,
    async (model, { tenantId }) => {
      const lease = pick(model.leases, seed);
      if (!lease) return;
      // A stale token changes nothing, which the comparison of all states at the end would show.
      expect(await settle(pool, { tenantId, leaseToken: lease.token, outcome: outcomes[kind] })).toBe(lease.isLive);
      if (!lease.isLive) return;
      lease.isLive = false;
      const { message } = lease;
      message.tries += kind === "delivered" || kind === "dead" ? 1 : 0;
      if (kind === "delivered" || kind === "dead") Object.assign(message, { state: kind, isDue: true });
      else if (kind === "released") message.state = "ready";
      else if (kind === "put-off") Object.assign(message, { state: "retrying", isDue: false });
      else fail(message, kind === "retry");
    },
  );

/** A worker died: one of its leases runs out. */
const expiring = (seed: number) =>
  command(
    `expire(${seed})`,
    (model) => live(model).length > 0,
    async (model, { tenantId }) => {
      const lease = pick(live(model), seed);
      if (!lease) return;
      const sql = "update queue.lease set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1 and token = $2";
      await pool.query(sql, [tenantId, lease.token]);
      await rescueLeases(pool);
      lease.isLive = false;
      fail(lease.message, true);
    },
  );

/** All that was put off falls due. */
const passing = () =>
  command("pass", always, async (model, { tenantId }) => {
    await pool.query("update queue.retrying set due_at = clock_timestamp() where tenant_id = $1", [tenantId]);
    for (const message of messagesOf(model, "retrying")) message.isDue = true;
  });

const retryingNow = (seed: number) =>
  command(
    `retryNow(${seed})`,
    (model) => messagesOf(model, "retrying").length > 0,
    async (model, { tenantId }) => {
      const message = pick(messagesOf(model, "retrying"), seed);
      if (!message) return;
      expect(await retryNow(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
      message.isDue = true;
      promote(model, message.lane.queue);
    },
  );

const pausing = (what: "target" | "queue 0" | "queue 1", isPaused: boolean) =>
  command(`pause(${what}, ${isPaused})`, always, async (model, { tenantId }) => {
    if (isPaused) model.paused.add(what);
    else model.paused.delete(what);
    if (what === "target") await saveTarget(pool, { tenantId, targetId: 1, isPaused });
    else await makeQueue(tenantId, Number(what.slice(-1)), isPaused);
  });

const removing = (seed: number) =>
  command(
    `remove(${seed})`,
    (model) => messagesOf(model).length > 0,
    async (model, { tenantId }) => {
      const message = pick(messagesOf(model), seed);
      if (!message) return;
      const { state } = message;
      const isRemoved = state === "ready" || state === "retrying" || state === "dead";
      expect(await remove(pool, { tenantId, messageIds: [message.id] })).toEqual(isRemoved ? [message.id] : []);
      if (isRemoved) Object.assign(message, { state: "removed", removedFrom: state });
    },
  );

const restoring = (seed: number) =>
  command(
    `restore(${seed})`,
    (model) => messagesOf(model, "removed").length > 0,
    async (model, { tenantId }) => {
      const message = pick(messagesOf(model, "removed"), seed);
      if (!message?.removedFrom) return;
      expect(await restore(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
      message.state = wasPassed(message) ? "superseded" : message.removedFrom;
    },
  );

const requeueing = (seed: number) =>
  command(
    `requeue(${seed})`,
    (model) => messagesOf(model, "dead").length > 0,
    async (model, { tenantId }) => {
      const message = pick(messagesOf(model, "dead"), seed);
      if (!message) return;
      expect(await requeueDead(pool, { tenantId, messageIds: [message.id] })).toEqual([message.id]);
      if (wasPassed(message)) message.state = "superseded";
      else Object.assign(message, { state: "ready", budget: message.tries + maxAttempts });
    },
  );

/** A whole lane goes to the other queue, in its order. What is older than that queue has had stays. */
const redirecting = (seed: number) =>
  command(
    `redirect(${seed})`,
    (model) => model.lanes.size > 0,
    async (model, { tenantId, queueIds }) => {
      const [name, lane] = pick([...model.lanes], seed) ?? [];
      if (!name || !lane) return;
      const [other, key] = [1 - lane.queue, name.slice(2)];
      const messages = lane.messages.map(({ id }) => ({ queueId: queueIds[lane.queue] ?? 0, messageId: id })).toReversed();
      const { redirected, overtaken } = await redirectMessages(pool, { tenantId, queueId: queueIds[other] ?? 0, messages });
      const had = (model.lanes.get(`${other} ${key}`)?.messages ?? []).filter(({ state }) => state !== "redirected" && state !== "removed");
      const isOvertaken = ({ id }: ModelMessage): boolean => had.some(({ firstId }) => BigInt(firstId) > BigInt(id));
      expect(overtaken.toSorted()).toEqual(lane.messages.filter(isOvertaken).map(({ id }) => id));
      const order = lane.messages
        .filter(isWaiting)
        .filter((message) => !isOvertaken(message))
        .toSorted(byId);
      expect(redirected.map(({ messageId }) => messageId)).toEqual(order.map(({ id }) => id));
      for (const message of order) message.state = "redirected";
      for (const [index, { successorId }] of redirected.entries()) add(model, other, key, successorId, order[index]?.firstId);
    },
  );

const stateInModel: Record<MessageState, State> = {
  ready: "ready",
  parked: "ready",
  retrying: "retrying",
  "in-hand": "in-hand",
  dead: "dead",
  delivered: "delivered",
  removed: "removed",
  redirected: "redirected",
  superseded: "superseded",
};

const nat = fc.nat(20);
const queues = fc.constantFrom(0, 0, 0, 0, 1);
const kinds = fc.constantFrom<Kind>("delivered", "retry", "retry-later", "retry-later", "dead", "released", "put-off");
const often = [
  fc.tuple(queues, fc.integer({ min: 1, max: 4 })).map(([queue, max]) => claiming(queue, max)),
  fc.tuple(nat, kinds).map(([seed, kind]) => settling(seed, kind)),
];
const commands = fc.commands(
  [
    ...Array.from({ length: 7 }, () => often).flat(),
    fc.tuple(queues, fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 3 })).map(([queue, keys]) => publishing(queue, keys)),
    nat.map(claimingAgain),
    nat.map(expiring),
    fc.constant(null).map(passing),
    nat.map(retryingNow),
    nat.map(retryingNow),
    fc
      .tuple(fc.constantFrom("target" as const, "queue 0" as const, "queue 1" as const), fc.constantFrom(true, false, false, false))
      .map(([what, is]) => pausing(what, is)),
    nat.map(removing),
    nat.map(removing),
    nat.map(restoring),
    nat.map(restoring),
    nat.map(requeueing),
    nat.map(requeueing),
    nat.map(redirecting),
  ],
  { maxCommands: 100, size: "max" },
);

const makeQueue = (tenantId: number, queue: number, isPaused: boolean): Promise<number> => {
  const retry = { maxAttempts, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, { tenantId, targetId: 1, name: `q${queue}`, mode: "fifo", delivery: "pull", retry, isPaused });
};

test("any interleaving of what can happen to fifo queues loses nothing and keeps lane order", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const tenantId = ++lastTenant;
      // One shard, so that a retry that is hurried takes with it what is due in its queue.
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 1 });
      const queueIds = [await makeQueue(tenantId, 0, false), await makeQueue(tenantId, 1, false)];
      const model: Model = { lanes: new Map(), leases: [], paused: new Set() };
      const real = { tenantId, queueIds };
      await publishing(0, ["a", "a", "b", "a", "b", "a"]).run(model, real);
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      await promoteRetries(pool);
      promote(model, null);
      const { items } = await listMessages(pool, { tenantId, limit: 1000 });
      const states = items.map((item) => [item.messageId, stateInModel[item.state], item.attempts]);
      expect(states.toReversed()).toEqual(messagesOf(model).map((message) => [message.id, message.state, message.tries]));
      await expectOnePlaceEach(tenantId, items.length);
    }),
    { numRuns: Number(process.env["LANES_RUNS"] ?? 25) },
  );
}, 600_000);

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
