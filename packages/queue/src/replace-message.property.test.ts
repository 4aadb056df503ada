/* oxlint-disable vitest/no-standalone-expect -- the commands are run by the test below */
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  claimAgain,
  publish,
  remove,
  replaceMessage,
  requeueDead,
  restore,
  saveQueue,
  saveTarget,
  settle,
  type Outcome,
} from "./index.ts";

// Random interleavings of deliveries, replacements and removals in one fifo queue, against a model in which a lane is a list of places.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());

/** One place in a lane: the message that stands there now, after any number of replacements. `isDead`: it is, or was when it was removed. */
type Place = {
  key: string;
  id: string;
  state: "waiting" | "in-hand" | "dead" | "removed" | "delivered" | "superseded";
  isDead: boolean;
  token: string;
};
type Model = { places: Place[]; replaced: string[] };
type Command = fc.AsyncCommand<Model, number>;

/** A place of the model in one of the states; the seed chooses. */
function pick(model: Model, seed: number, ...states: Place["state"][]): Place | undefined {
  const found = model.places.filter((place) => states.includes(place.state));
  return found[seed % Math.max(1, found.length)];
}

const publishing = (keys: string[]): Command => ({
  check: () => true,
  run: async (model, queueId) => {
    const news = keys.map((key) => ({ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }));
    const ids = await publish(pool, news);
    ids.forEach((id, index) => model.places.push({ key: keys[index] ?? "", id, state: "waiting", isDead: false, token: "" }));
  },
  toString: () => `publish(${keys.join()})`,
});

const isInLane = ({ state }: Place): boolean => state !== "removed" && state !== "delivered" && state !== "superseded";

/** What follows it was delivered, or is just being: it would be sent over newer data. */
const wasPassed = ({ places }: Model, place: Place): boolean =>
  places.slice(places.indexOf(place) + 1).some(({ key, state }) => key === place.key && (state === "delivered" || state === "in-hand"));

async function claimAll(model: Model, queueId: number, max: number): Promise<number> {
  const leases = await claim(pool, { tenantId, queueId, max, leaseSeconds: 3600 });
  const lanes = [...Map.groupBy(model.places, ({ key }) => key).values()].map((lane) => lane.filter(isInLane));
  const [busy, free] = [true, false].map((isBusy) => lanes.filter((lane) => lane.some(({ state }) => state === "in-hand") === isBusy));
  for (const lease of leases) {
    const place = model.places.find((other) => other.id === lease.messageId);
    if (!place) throw new Error(`${lease.messageId} was replaced and is delivered all the same.`);
    expect(place.state).toBe("waiting");
    const lane = lanes.find((others) => others.includes(place)) ?? [];
    expect(busy).not.toContain(lane);
    expect(lane[0]).toBe(place);
    Object.assign(place, { state: "in-hand", token: lease.leaseToken });
  }
  if (leases.length < max) expect(free?.filter((lane) => lane[0]?.state === "waiting")).toEqual([]);
  return leases.length;
}

const claiming = (max: number): Command => ({
  check: () => true,
  run: async (model, queueId) => void (await claimAll(model, queueId, max)),
  toString: () => `claim(${max})`,
});

const claimingAgain = (seed: number): Command => ({
  check: (model) => model.places.length > 0,
  run: async (model, queueId) => {
    const place = model.places[seed % model.places.length];
    if (!place) return;
    const lease = await claimAgain(pool, { tenantId, queueId, messageId: place.id, leaseSeconds: 3600 });
    const isBusy = model.places.some(({ key, state }) => key === place.key && state === "in-hand");
    expect(lease === null).toBe(isBusy);
    if (lease) Object.assign(place, { state: "in-hand", isDead: false, token: lease.leaseToken });
  },
  toString: () => `claimAgain(${seed})`,
});

const settling = (seed: number, kind: "delivered" | "retry" | "dead" | "released"): Command => ({
  check: (model) => model.places.some(({ state }) => state === "in-hand"),
  run: async (model) => {
    const place = pick(model, seed, "in-hand");
    if (!place) return;
    const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
    const outcome: Outcome = kind === "released" ? { kind } : { kind, attempt, retryAfterMs: 0 };
    expect(await settle(pool, { tenantId, leaseToken: place.token, outcome })).toBe(true);
    Object.assign(place, { state: kind === "retry" || kind === "released" ? "waiting" : kind, isDead: kind === "dead" });
  },
  toString: () => `settle(${seed}, ${kind})`,
});

const requeuing = (seed: number): Command => ({
  check: (model) => model.places.some(({ state }) => state === "dead"),
  run: async (model) => {
    const place = pick(model, seed, "dead");
    if (!place) return;
    expect(await requeueDead(pool, { tenantId, messageIds: [place.id] })).toEqual([place.id]);
    Object.assign(place, { state: wasPassed(model, place) ? "superseded" : "waiting", isDead: false });
  },
  toString: () => `requeue(${seed})`,
});

const removing = (seed: number): Command => ({
  check: (model) => model.places.some(({ state }) => state === "waiting" || state === "dead"),
  run: async (model) => {
    const place = pick(model, seed, "waiting", "dead");
    if (!place) return;
    expect(await remove(pool, { tenantId, messageIds: [place.id] })).toEqual([place.id]);
    place.state = "removed";
  },
  toString: () => `remove(${seed})`,
});

const restoring = (seed: number): Command => ({
  check: (model) => model.places.some(({ state }) => state === "removed"),
  run: async (model) => {
    const place = pick(model, seed, "removed");
    if (!place) return;
    expect(await restore(pool, { tenantId, messageIds: [place.id] })).toEqual([place.id]);
    if (wasPassed(model, place)) place.state = "superseded";
    else place.state = place.isDead ? "dead" : "waiting";
  },
  toString: () => `restore(${seed})`,
});

const replacing = (seed: number): Command => ({
  check: (model) => model.places.length > 0,
  run: async (model) => {
    const place = model.places[seed % model.places.length];
    if (!place) return;
    const answer = await replaceMessage(pool, { tenantId, messageId: place.id, document: '{"edited":true}' });
    if (["in-hand", "delivered", "superseded"].includes(place.state)) return expect(answer).toMatchObject({ outcome: "refused" });
    if ((place.state === "removed" || place.state === "dead") && wasPassed(model, place))
      return expect(answer).toEqual({ outcome: "overtaken" });
    if (answer.outcome !== "replaced") throw new Error(`${place.state} was not replaced: ${answer.outcome}`);
    model.replaced.push(place.id);
    Object.assign(place, { id: answer.successorId, state: "waiting", isDead: false });
  },
  toString: () => `replace(${seed})`,
});

const nat = fc.nat(20);
const keys = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 5 });
const commands = fc.commands(
  [
    keys.map(publishing),
    fc.integer({ min: 1, max: 3 }).map(claiming),
    fc
      .tuple(nat, fc.constantFrom("delivered" as const, "retry" as const, "dead" as const, "released" as const))
      .map(([seed, kind]) => settling(seed, kind)),
    nat.map((seed) => settling(seed, "delivered")),
    nat.map(claimingAgain),
    nat.map(requeuing),
    nat.map(replacing),
    nat.map(replacing),
    nat.map(removing),
    nat.map(removing),
    nat.map(restoring),
    nat.map(restoring),
  ],
  { maxCommands: 50, size: "max" },
);

/** Restores, requeues, claims and delivers until the queue is empty. */
async function drain(model: Model, queueId: number): Promise<void> {
  do {
    for (const place of model.places) {
      if (place.state === "removed") await restoring(0).run(model, queueId);
      if (place.state === "dead") await requeuing(0).run(model, queueId);
      if (place.state === "in-hand") await settling(0, "delivered").run(model, queueId);
    }
  } while ((await claimAll(model, queueId, 100)) > 0);
}

const byId = (ids: string[]): string[] => ids.toSorted((a, b) => Number(a) - Number(b));

test("a replacement is delivered in the place of its message, which is never delivered, and nothing of a lane stays behind", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      tenantId++;
      await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
      const retry = { maxAttempts: 1000, baseDelayMs: 1, maxDelayMs: 1 };
      const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "q", mode: "fifo", delivery: "pull", retry });
      const model: Model = { places: [], replaced: [] };
      await publishing(["a", "a", "b", "a"]).run(model, queueId);
      await fc.asyncModelRun(() => ({ model, real: queueId }), sequence);
      await drain(model, queueId);
      expect(model.places.filter(({ state }) => state !== "delivered" && state !== "superseded")).toEqual([]);
      const outcomes = await pool.query<{ outcome: string; ids: string[] }>(
        "select outcome, array_agg(id::text order by id) as ids from queue.history where tenant_id = $1 group by outcome order by outcome",
        [tenantId],
      );
      const expected = [
        { outcome: "delivered", ids: byId(model.places.filter(({ state }) => state === "delivered").map(({ id }) => id)) },
        { outcome: "redirected", ids: byId(model.replaced) },
        { outcome: "superseded", ids: byId(model.places.filter(({ state }) => state === "superseded").map(({ id }) => id)) },
      ];
      expect(outcomes.rows).toEqual(expected.filter(({ ids }) => ids.length > 0));
      const left = await pool.query("select from queue.held where tenant_id = $1 union all select from queue.place where tenant_id = $1", [
        tenantId,
      ]);
      expect(left.rowCount).toBe(0);
    }),
    { numRuns: Number(process.env["PLACES_RUNS"] ?? 40) },
  );
}, 600_000);
