import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  claimAgain,
  countMessages,
  deadGroups,
  deadOfGroup,
  extend,
  findMissingKeys,
  getMessage,
  laneOf,
  listAttemptNotes,
  listAttempts,
  listDead,
  listMessages,
  listRetrying,
  locateMessages,
  lockDead,
  newestDelivered,
  promoteRetries,
  publish,
  purgeQueue,
  queueDepths,
  redirectMessages,
  remove,
  removeDead,
  replaceMessage,
  requeueDead,
  rescueLeases,
  restore,
  retryNow,
  saveQueue,
  saveTarget,
  settle,
  sweepShards,
  targets,
  untilDue,
  type Lease,
  type NewMessage,
  type Outcome,
  type QueueMode,
} from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 100;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 8);
});
beforeEach(() => {
  tenantId++;
});
afterAll(() => database.drop());

async function pullQueue(mode: QueueMode = "fifo", maxAttempts = 3, delaysMs = { baseDelayMs: 1, maxDelayMs: 1 }): Promise<number> {
  await saveTarget(pool, { tenantId, targetId: 1 });
  return saveQueue(pool, {
    tenantId,
    targetId: 1,
    name: "b.order",
    mode,
    delivery: "pull",
    retry: { maxAttempts, ...delaysMs },
  });
}

function message(queueId: number, key: string, more: Partial<NewMessage> = {}): NewMessage {
  return { tenantId, queueId, subtenantId: 1, key, entityType: "order", document: JSON.stringify({ key, text: "Blue Shirt" }), ...more };
}

async function take(queueId: number, max = 10): Promise<Lease[]> {
  return claim(pool, { tenantId, queueId, max, leaseSeconds: 30 });
}

const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 5 } };
const failed: Outcome = { kind: "retry", retryAfterMs: 0, attempt: { durationMs: 5, error: { class: "http-500", message: "no" } } };
const later: Outcome = { ...failed, retryAfterMs: 3_600_000 };
const dead: Outcome = {
  kind: "dead",
  attempt: {
    durationMs: 5,
    error: { class: "http-400", message: "bad" },
    request: { method: "POST", url: "http://x", headers: {}, body: "b" },
  },
};
const done = (lease: Lease | undefined, outcome: Outcome) => settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome });

async function stateOf(messageId: string | undefined): Promise<string | undefined> {
  return (await getMessage(pool, { tenantId, messageId: messageId ?? "0" }))?.state;
}

test("one message of a lane is leased at a time, and the next only when it is settled", async () => {
  const queueId = await pullQueue();
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "b")]);
  const first = await take(queueId);
  expect(first.map((lease) => lease.messageId)).toEqual([ids[0], ids[2]]);
  expect(await take(queueId)).toEqual([]);
  expect(await stateOf(ids[0])).toBe("in-hand");
  expect(await stateOf(ids[1])).toBe("ready");
  expect(await done(first[0], delivered)).toBe(true);
  expect(await done(first[0], delivered)).toBe(false);
  expect((await take(queueId)).map((lease) => lease.messageId)).toEqual([ids[1]]);
});

test("a claim of large documents ends with the one that brings it to 8 MB", async () => {
  const queueId = await pullQueue();
  const text = "x".repeat(3_000_000);
  const ids = await publish(
    pool,
    ["a", "b", "c", "d", "e"].map((key) => message(queueId, key, { document: JSON.stringify({ key, text }) })),
  );
  expect((await take(queueId)).map((lease) => lease.messageId)).toEqual(ids.slice(0, 3));
  expect((await take(queueId)).map((lease) => lease.messageId)).toEqual(ids.slice(3));
});

test("a dead letter holds its lane until it is requeued and delivered", async () => {
  const queueId = await pullQueue();
  const [a1, a2] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await done((await take(queueId))[0], dead);
  expect(await take(queueId)).toEqual([]);
  expect(await stateOf(a1)).toBe("dead");
  expect((await listDead(pool, { tenantId, limit: 10 })).items.map((item) => item.errorClass)).toEqual(["http-400"]);
  expect((await deadGroups(pool, { tenantId }))[0]).toMatchObject({ count: 1, fingerprint: "http-400" });
  expect((await listAttempts(pool, { tenantId, messageId: a1 ?? "" }))[0]).toMatchObject({
    number: 1,
    errorClass: "http-400",
    request: { body: "b" },
  });
  expect(await requeueDead(pool, { tenantId, messageIds: [a1 ?? ""] })).toEqual([a1]);
  const [again] = await take(queueId);
  expect(again).toMatchObject({ messageId: a1, attempt: 2 });
  await done(again, delivered);
  expect((await take(queueId))[0]?.messageId).toBe(a2);
  expect((await laneOf(pool, { tenantId, messageId: a1 ?? "", limit: 20 })).map((item) => item.messageId)).toEqual([a1, a2]);
});

test("attempts run out, a removed dead letter frees its lane and can be restored", async () => {
  const queueId = await pullQueue("fifo", 2);
  const [a1, a2] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await done((await take(queueId))[0], failed);
  expect((await listRetrying(pool, { tenantId, limit: 10 })).items.map((item) => item.messageId)).toEqual([a1]);
  expect(await retryNow(pool, { tenantId, messageIds: [a1 ?? ""] })).toEqual([a1]);
  await done((await take(queueId))[0], failed);
  expect(await stateOf(a1)).toBe("dead");
  expect(await remove(pool, { tenantId, messageIds: [a1 ?? ""], by: "me" })).toEqual([a1]);
  expect(await stateOf(a1)).toBe("removed");
  const [second] = await take(queueId);
  expect(second?.messageId).toBe(a2);
  expect(await remove(pool, { tenantId, messageIds: [a2 ?? ""] })).toEqual([]);
  await done(second, failed);
  expect(await restore(pool, { tenantId, messageIds: [a1 ?? ""] })).toEqual([a1]);
  expect(await stateOf(a1)).toBe("dead");
  const other = await saveQueue(pool, { tenantId, targetId: 1, name: "c.order", mode: "fifo", delivery: "pull" });
  const { redirected } = await redirectMessages(pool, { tenantId, queueId: other, messages: [{ queueId, messageId: a1 ?? "" }] });
  const successorId = redirected[0]?.successorId ?? "";
  expect(redirected).toEqual([{ messageId: a1, successorId }]);
  expect(await getMessage(pool, { tenantId, messageId: a1 ?? "" })).toMatchObject({ state: "redirected", successorId });
  expect(await getMessage(pool, { tenantId, messageId: successorId })).toMatchObject({ state: "ready", queueId: other });
});

test.each([
  { state: "dead", maxAttempts: 1 },
  { state: "retrying", maxAttempts: 2 },
])("what is restored to $state failed when it failed, not anew", async ({ state, maxAttempts }) => {
  const queueId = await pullQueue("fifo", maxAttempts, { baseDelayMs: 60_000, maxDelayMs: 60_000 });
  const [id = ""] = await publish(pool, [message(queueId, "a")]);
  await done((await take(queueId))[0], failed);
  const before = await getMessage(pool, { tenantId, messageId: id });
  expect(before).toMatchObject({ state });
  await remove(pool, { tenantId, messageIds: [id] });
  await restore(pool, { tenantId, messageIds: [id] });
  expect(await getMessage(pool, { tenantId, messageId: id })).toMatchObject({ state, changedAt: before?.changedAt, dueAt: before?.dueAt });
});

test("a lease that runs out counts as an attempt, and its token is stale", async () => {
  const queueId = await pullQueue("fifo", 2);
  const [id] = await publish(pool, [message(queueId, "a")]);
  for (const attempt of [1, 2]) {
    const [lease] = await take(queueId);
    expect(lease?.attempt).toBe(attempt);
    expect(await extend(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", leaseSeconds: 60 })).toBeInstanceOf(Date);
    await pool.query("update queue.lease set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1", [tenantId]);
    await rescueLeases(pool);
    await promoteRetries(pool);
    expect(await done(lease, delivered)).toBe(false);
  }
  expect(await stateOf(id)).toBe("dead");
  expect((await listAttempts(pool, { tenantId, messageId: id ?? "" })).map((attempt) => attempt.errorClass)).toEqual([
    "lease-lost",
    "lease-lost",
  ]);
});

const hourMs = 3_600_000;

test.each(["claims", "claims it again"])(
  "who %s gets what a lease that ran out has left at once, whoever looks after leases",
  async (how) => {
    const queueId = await pullQueue("fifo", 3, { baseDelayMs: hourMs, maxDelayMs: hourMs });
    const [messageId = ""] = await publish(pool, [message(queueId, "a")]);
    await take(queueId);
    await pool.query("update queue.lease set lease_until = clock_timestamp() - interval '1 s' where tenant_id = $1", [tenantId]);
    const again = how === "claims" ? (await take(queueId))[0] : await claimAgain(pool, { tenantId, queueId, messageId, leaseSeconds: 30 });
    expect(again).toMatchObject({ messageId, attempt: 2 });
  },
);

test("of lanes with many messages each the first are claimed", async () => {
  const queueId = await pullQueue();
  const ids = await publish(
    pool,
    Array.from({ length: 60 }, (_, index) => message(queueId, `k${index % 3}`)),
  );
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual(ids.slice(0, 3));
});

test.each([
  { attempts: 0, hours: 1 },
  { attempts: 2, hours: 4 },
  { attempts: 40, hours: 6 },
])("after $attempts attempts and one more a message waits for any time up to $hours hours", async ({ attempts, hours }) => {
  const queueId = await pullQueue("fifo", 100, { baseDelayMs: hourMs, maxDelayMs: 6 * hourMs });
  await publish(
    pool,
    Array.from({ length: 20 }, (_, index) => message(queueId, `k${index}`)),
  );
  await pool.query("update queue.ready set attempts = $2 where tenant_id = $1", [tenantId, attempts]);
  for (const lease of await take(queueId, 20)) await done(lease, { kind: "retry", attempt: { durationMs: 5 } });
  const sql = "select date_part('epoch', due_at - failed_at) / 3600 as hours from queue.retrying where tenant_id = $1";
  const waits = (await pool.query<{ hours: number }>(sql, [tenantId])).rows.map((row) => row.hours / hours);
  expect(waits).toHaveLength(20);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1);
  // That chance puts all of twenty on one side of a quarter happens once in a million million times.
  expect(Math.max(...waits)).toBeGreaterThan(0.25);
  expect(Math.min(...waits)).toBeLessThan(0.75);
});

test("of a latest lane the highest version is delivered, older data that comes later loses", async () => {
  const queueId = await pullQueue("latest");
  const ids = await publish(pool, [
    message(queueId, "a", { version: "5" }),
    message(queueId, "a", { version: "9" }),
    message(queueId, "a", { version: "7" }),
  ]);
  const [lease] = await take(queueId);
  expect(lease?.messageId).toBe(ids[1]);
  expect(await Promise.all(ids.map(stateOf))).toEqual(["superseded", "in-hand", "superseded"]);
  await done(lease, delivered);
  const [late] = await publish(pool, [message(queueId, "a", { version: "8" })]);
  expect(await take(queueId)).toEqual([]);
  expect(await stateOf(late)).toBe("superseded");
});

test("a newer message replaces one that waits dead or for a retry in a latest lane", async () => {
  const queueId = await pullQueue("latest");
  const [a] = await publish(pool, [message(queueId, "a")]);
  await done((await take(queueId))[0], dead);
  const [b] = await publish(pool, [message(queueId, "a")]);
  expect(await stateOf(a)).toBe("superseded");
  await done((await take(queueId))[0], { ...failed, retryAfterMs: 60_000 });
  expect(await stateOf(b)).toBe("retrying");
  const [c] = await publish(pool, [message(queueId, "a")]);
  expect(await stateOf(b)).toBe("superseded");
  expect((await take(queueId))[0]?.messageId).toBe(c);
});

test.each([
  ["with versions", "5", "6"],
  ["without versions", null, null],
  ["with the same version", "5", "5"],
])("what was removed of a latest lane does not come back over newer data of its queue, %s", async (_, older, newer) => {
  const queueId = await pullQueue("latest");
  const other = await saveQueue(pool, { tenantId, targetId: 1, name: "c.order", mode: "latest", delivery: "pull" });
  const messageIds = await publish(
    pool,
    [queueId, other].map((queue) => message(queue, "a", { version: older })),
  );
  await remove(pool, { tenantId, messageIds });
  await publish(pool, [message(queueId, "a", { version: newer })]);
  await done((await take(queueId))[0], delivered);
  expect(await restore(pool, { tenantId, messageIds })).toEqual(expect.arrayContaining(messageIds));
  await take(queueId);
  expect(await Promise.all(messageIds.map(stateOf))).toEqual(["superseded", "ready"]);
});

test.each([
  ["waits for its retry", { ...failed, retryAfterMs: 60_000 }],
  ["is dead", dead],
])("what was removed of a latest lane comes back though older data has failed since and %s", async (_, outcome) => {
  const queueId = await pullQueue("latest");
  const newer = await publish(pool, [message(queueId, "a", { version: "6" })]);
  await remove(pool, { tenantId, messageIds: newer });
  await publish(pool, [message(queueId, "a", { version: "5" })]);
  await done((await take(queueId))[0], outcome);
  await restore(pool, { tenantId, messageIds: newer });
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual(newer);
});

test.each([
  ["ready", "delivered", null],
  ["retrying", "delivered", { ...failed, retryAfterMs: 60_000 }],
  ["dead", "delivered", dead],
  ["ready", "in hand", null],
])("what was %s when it was removed of a fifo lane does not come back over what followed it and is %s", async (_, now, outcome) => {
  const queueId = await pullQueue();
  const [first = "", second, third, other = ""] = await publish(
    pool,
    ["a", "a", "a", "b"].map((key) => message(queueId, key)),
  );
  await remove(pool, { tenantId, messageIds: [other] });
  if (outcome) await done((await take(queueId))[0], outcome);
  await remove(pool, { tenantId, messageIds: [first] });
  const [later] = await take(queueId);
  expect(later?.messageId).toBe(second);
  if (now === "delivered") await done(later, delivered);
  expect(await restore(pool, { tenantId, messageIds: [first, other] })).toEqual(expect.arrayContaining([first, other]));
  expect([await stateOf(first), await stateOf(other)]).toEqual(["superseded", "ready"]);
  await done(later, delivered);
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([third, other]);
});

test("a dead letter of a fifo lane is not requeued over what followed it and was delivered, and holds the lane no longer", async () => {
  const queueId = await pullQueue();
  const [first = "", second = "", third] = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  await done((await take(queueId))[0], dead);
  await done((await claimAgain(pool, { tenantId, queueId, messageId: second, leaseSeconds: 30 })) ?? undefined, delivered);
  expect(await take(queueId)).toEqual([]);
  expect(await requeueDead(pool, { tenantId, messageIds: [first] })).toEqual([first]);
  expect(await stateOf(first)).toBe("superseded");
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([third]);
});

test("what was removed of a fifo lane comes back though older data was published and delivered since", async () => {
  const queueId = await pullQueue();
  const [newer = ""] = await publish(pool, [message(queueId, "a", { version: "6" })]);
  await remove(pool, { tenantId, messageIds: [newer] });
  await publish(pool, [message(queueId, "a", { version: "5" })]);
  await done((await take(queueId))[0], delivered);
  await restore(pool, { tenantId, messageIds: [newer] });
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([newer]);
});

test("what became due while a transaction looked is due in no time, and not before", async () => {
  const queueId = await pullQueue();
  await publish(pool, [message(queueId, "a")]);
  await take(queueId);
  const client = await pool.connect();
  try {
    await client.query("begin");
    expect(await untilDue(client, { tenantId, queueId, withinMs: 5_000 })).toBeNull();
    await client.query("update queue.lease set lease_until = clock_timestamp() where tenant_id = $1", [tenantId]);
    await client.query("do $$ begin while clock_timestamp() < now() + interval '50 ms' loop end loop; end $$");
    expect(await untilDue(client, { tenantId, queueId, withinMs: 5_000 })).toBe(0);
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("a delivered message can be claimed again, at the head of its lane", async () => {
  const queueId = await pullQueue();
  const [a, b] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await done((await take(queueId))[0], delivered);
  const again = await claimAgain(pool, { tenantId, queueId, messageId: a ?? "", leaseSeconds: 30 });
  expect(again?.messageId).toBe(a);
  expect(await claimAgain(pool, { tenantId, queueId, messageId: b ?? "", leaseSeconds: 30 })).toBeNull();
  expect(await take(queueId)).toEqual([]);
  await done(again ?? undefined, delivered);
  expect((await take(queueId))[0]?.messageId).toBe(b);
});

test("an older message of a latest lane that is sent again makes way for no data older than the newest", async () => {
  const queueId = await pullQueue("latest");
  const [old = ""] = await publish(pool, [message(queueId, "a", { version: "5" })]);
  await done((await take(queueId))[0], delivered);
  await publish(pool, [message(queueId, "a", { version: "9" })]);
  await done((await take(queueId))[0], delivered);
  const again = await claimAgain(pool, { tenantId, queueId, messageId: old, leaseSeconds: 30 });
  await done(again ?? undefined, delivered);
  await publish(pool, [message(queueId, "a", { version: "7" })]);
  expect(await take(queueId)).toEqual([]);
});

test.each(["requeued", "claimed again"])("a dead letter that is %s has as many attempts as at first", async (how) => {
  const queueId = await pullQueue("fifo", 2);
  const [id = ""] = await publish(pool, [message(queueId, "a")]);
  await done((await take(queueId))[0], dead);
  if (how === "requeued") await requeueDead(pool, { tenantId, messageIds: [id] });
  const lease =
    how === "requeued" ? (await take(queueId))[0] : await claimAgain(pool, { tenantId, queueId, messageId: id, leaseSeconds: 30 });
  await done(lease ?? undefined, failed);
  expect(await stateOf(id)).toBe("retrying");
  await retryNow(pool, { tenantId, messageIds: [id] });
  await done((await take(queueId))[0], failed);
  expect(await stateOf(id)).toBe("dead");
});

test("nothing is claimed while the queue or its target is paused, nor of a push queue", async () => {
  const queueId = await pullQueue();
  const [id = ""] = await publish(pool, [message(queueId, "a")]);
  const queue = { tenantId, targetId: 1, name: "b.order", mode: "fifo" } as const;
  const nothingIsClaimed = async () => {
    expect(await take(queueId)).toEqual([]);
    expect(await claimAgain(pool, { tenantId, queueId, messageId: id, leaseSeconds: 30 })).toBeNull();
  };
  await saveTarget(pool, { tenantId, targetId: 1, isPaused: true });
  await nothingIsClaimed();
  await saveTarget(pool, { tenantId, targetId: 1, isPaused: false });
  await saveQueue(pool, { ...queue, delivery: "pull", isPaused: true });
  await nothingIsClaimed();
  await saveQueue(pool, { ...queue, delivery: "push", isPaused: false });
  await nothingIsClaimed();
  // A worker may still have it in hand when the queue becomes one that is claimed from.
  await pool.query("update queue.shard set owner = 'w', lease_until = 'infinity' where tenant_id = $1", [tenantId]);
  await saveQueue(pool, { ...queue, delivery: "pull" });
  expect(await take(queueId)).toEqual([]);
  await pool.query("update queue.shard set owner = null, lease_until = '-infinity' where tenant_id = $1", [tenantId]);
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([id]);
});

test("of a leased shard what its worker was given stays, and what it was not can be removed", async () => {
  await saveTarget(pool, { tenantId, targetId: 1 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "b.order", mode: "fifo", delivery: "push" });
  const [given = "", left = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  const lease = "update queue.shard set owner = 'w', lease_until = $2, read_to = $3 where tenant_id = $1";
  await pool.query(lease, [tenantId, "infinity", given]);
  expect(await remove(pool, { tenantId, messageIds: [given, left] })).toEqual([left]);
  await pool.query(lease, [tenantId, "-infinity", given]);
  expect(await remove(pool, { tenantId, messageIds: [given, left] })).toEqual([given]);
});

test("of dead letters of one lane that are restored together the first goes first", async () => {
  const queueId = await pullQueue();
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  for (const id of ids) {
    await done((await take(queueId))[0], dead);
    await remove(pool, { tenantId, messageIds: [id] });
  }
  await restore(pool, { tenantId, messageIds: ids });
  await requeueDead(pool, { tenantId, messageIds: ids });
  for (const id of ids) {
    const [lease] = await take(queueId);
    expect(lease?.messageId).toBe(id);
    await done(lease, delivered);
  }
});

/** Two messages of a lane: the first was removed while the second failed, and waits again; the second is removed. */
async function failedBehind(queueId: number, outcome: Outcome): Promise<string[]> {
  const [first = "", second = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await remove(pool, { tenantId, messageIds: [first] });
  await done((await take(queueId))[0], outcome);
  await remove(pool, { tenantId, messageIds: [second] });
  await restore(pool, { tenantId, messageIds: [first] });
  return [first, second];
}

test.each([
  { state: "dead", outcome: dead },
  { state: "retrying", outcome: failed },
])("what was restored to wait goes before what is restored after it as $state", async ({ outcome }) => {
  const queueId = await pullQueue();
  const [first = "", second = ""] = await failedBehind(queueId, outcome);
  await restore(pool, { tenantId, messageIds: [second] });
  await promoteRetries(pool);
  const [lease] = await take(queueId);
  expect(lease?.messageId).toBe(first);
  expect(await take(queueId)).toEqual([]);
  await done(lease, delivered);
  await requeueDead(pool, { tenantId, messageIds: [second] });
  await retryNow(pool, { tenantId, messageIds: [second] });
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([second]);
});

test.each([
  { state: "dead", outcome: dead },
  { state: "retrying", outcome: failed },
])("what fails goes before what was restored behind it as $state while it was in hand", async ({ outcome }) => {
  const queueId = await pullQueue();
  const [first = "", second = ""] = await failedBehind(queueId, outcome);
  const [lease] = await take(queueId);
  await restore(pool, { tenantId, messageIds: [second] });
  await done(lease, failed);
  await requeueDead(pool, { tenantId, messageIds: [second] });
  await promoteRetries(pool);
  const [again] = await take(queueId);
  expect(again?.messageId).toBe(first);
  await done(again, delivered);
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([second]);
});

test("what was tried before its turn and failed waits for what comes before it", async () => {
  const queueId = await pullQueue();
  const ids = await publish(
    pool,
    Array.from({ length: 4 }, () => message(queueId, "a")),
  );
  const early = await claimAgain(pool, { tenantId, queueId, messageId: ids[2] ?? "", leaseSeconds: 60 });
  await done(early ?? undefined, dead);
  for (const id of ids.slice(0, 2)) {
    const [lease] = await take(queueId);
    expect(lease?.messageId).toBe(id);
    await done(lease, delivered);
  }
  expect(await take(queueId)).toEqual([]);
  await requeueDead(pool, { tenantId, messageIds: ids });
  for (const id of ids.slice(2)) {
    const [lease] = await take(queueId);
    expect(lease?.messageId).toBe(id);
    await done(lease, delivered);
  }
});

test("a copy that was delivered and is tried again in vain keeps its place", async () => {
  const queueId = await pullQueue();
  const [first = "", second = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  const replaced = await replaceMessage(pool, { tenantId, messageId: first, document: "{}" });
  const [lease] = await take(queueId);
  await done(lease, delivered);
  const again = await claimAgain(pool, { tenantId, queueId, messageId: lease?.messageId ?? "", leaseSeconds: 60 });
  await done(again ?? undefined, dead);
  expect(replaced).toMatchObject({ successorId: again?.messageId });
  expect(await take(queueId)).toEqual([]);
  await requeueDead(pool, { tenantId, messageIds: [again?.messageId ?? ""] });
  for (const id of [again?.messageId, second]) {
    const [next] = await take(queueId);
    expect(next?.messageId).toBe(id);
    await done(next, delivered);
  }
});

test("lists filter, page and count", async () => {
  const queueId = await pullQueue();
  const ids = await publish(pool, [
    message(queueId, "order-1", { source: "shop", originId: "77" }),
    message(queueId, "order-2", { subtenantId: 2 }),
    message(queueId, "other"),
  ]);
  const list = async (filter: Parameters<typeof listMessages>[1]["filter"]) =>
    (await listMessages(pool, { tenantId, filter: filter ?? {}, limit: 10 })).items.map((item) => item.messageId);
  expect(await list({})).toEqual(ids.toReversed());
  expect(await list({ keyPrefix: "order-" })).toEqual([ids[1], ids[0]]);
  expect(await list({ keys: ["other"] })).toEqual([ids[2]]);
  expect(await list({ keys: ["order-1", "none", "other", "other"] })).toEqual([ids[2], ids[0]]);
  expect(await findMissingKeys(pool, { tenantId, filter: { keys: ["none", "order-1", "nor this"] } })).toEqual(["none", "nor this"]);
  expect(await findMissingKeys(pool, { tenantId, filter: { keys: ["order-1", "order-2"], subtenantId: 2 } })).toEqual(["order-1"]);
  expect(await list({ originId: "77" })).toEqual([ids[0]]);
  expect(await list({ subtenantId: 2, state: "ready", from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) })).toEqual([
    ids[1],
  ]);
  expect(await countMessages(pool, { tenantId, filter: { state: "ready", queueIds: [queueId] } })).toBe(3);
  const page = await listMessages(pool, { tenantId, limit: 2 });
  expect(await listMessages(pool, { tenantId, limit: 2, cursor: page.nextCursor })).toMatchObject({
    items: [{ messageId: ids[0] }],
    nextCursor: null,
  });
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 3, inHand: 0, oldestWaitingAt: expect.any(Date) }]);
});

test("a purge removes what waits and leaves what is in hand", async () => {
  const queueId = await pullQueue();
  await publish(
    pool,
    Array.from({ length: 2500 }, (_, index) => message(queueId, `k${index}`)),
  );
  const held = await take(queueId, 5);
  expect(held.length).toBe(5);
  expect(await purgeQueue(pool, { tenantId, queueId })).toBe(2495);
  expect(await queueDepths(pool, { tenantId })).toMatchObject([{ ready: 0, inHand: 5 }]);
});

/** Publishes so many, each with a key of its own, to a queue of a tenant that no statistics know of. */
async function publishUnknown(mode: QueueMode, count: number): Promise<string[]> {
  const send = async (many: number): Promise<string[]> => {
    const queueId = await pullQueue(mode);
    return publish(
      pool,
      Array.from({ length: many }, (_, index) => message(queueId, `k${index}`)),
    );
  };
  await send(50);
  await database.pool("owner", 1).query("analyze queue.ready, queue.message");
  tenantId++;
  return send(count);
}

test("a removal of many messages looks at each once, also where the planner takes their table for almost empty", async () => {
  const messageIds = await publishUnknown("fifo", 600);
  const client = await pool.connect();
  await client.query("begin");
  expect(await remove(client, { tenantId, messageIds })).toHaveLength(600);
  const sql = `
    select pg_stat_get_xact_tuples_returned('queue.shard_pkey'::regclass)::integer as shards,
      pg_stat_get_xact_tuples_returned('queue.ready_pkey'::regclass)::integer as ready`;
  const { rows } = await client.query<{ shards: number; ready: number }>(sql);
  await client.query("rollback");
  client.release();
  // Some for each, and not some for each of each.
  for (const looks of Object.values(rows[0] ?? {})) expect(looks).toBeLessThan(60_000);
});

/** How many rows of messages are looked at to restore these. */
async function looksToRestore(messageIds: string[]): Promise<number> {
  const client = await pool.connect();
  await client.query("begin");
  expect(await restore(client, { tenantId, messageIds })).toHaveLength(messageIds.length);
  const sql = `
    select sum(idx_tup_fetch)::integer as looks from pg_stat_xact_all_tables
    where relid in (select inhrelid from pg_inherits where inhparent = 'queue.message'::regclass)`;
  const { rows } = await client.query<{ looks: number }>(sql);
  await client.query("rollback");
  client.release();
  return rows[0]?.looks ?? Infinity;
}

test.each(["latest", "fifo"] as const)(
  "whether a message of a %s lane has a newer one is looked up by its key, also where the planner takes their table for almost empty",
  async (mode) => {
    const messageIds = await publishUnknown(mode, 600);
    await remove(pool, { tenantId, messageIds });
    expect(await looksToRestore(messageIds)).toBeLessThan(60_000);
  },
);

test("what has passed messages of a lane is looked for once, however many of it come back", async () => {
  const queueId = await pullQueue();
  const messageIds = await publish(
    pool,
    Array.from({ length: 300 }, () => message(queueId, "a")),
  );
  await remove(pool, { tenantId, messageIds });
  await publish(
    pool,
    Array.from({ length: 300 }, () => message(queueId, "a")),
  );
  expect(await looksToRestore(messageIds)).toBeLessThan(10_000);
});

test("single messages, their attempts and their lanes are looked up by their keys, also where the planner takes the tables for almost empty", async () => {
  const owner = database.pool("owner", 1);
  const finish = async (count: number): Promise<{ queueId: number; messageIds: string[] }> => {
    tenantId++;
    const queueId = await pullQueue();
    const keys = Array.from({ length: count }, (_, index) => `k${index >> 1}`);
    const messageIds = await publish(
      pool,
      keys.map((key) => message(queueId, key)),
    );
    const values = [tenantId, queueId, messageIds];
    const ids = "unnest($3::bigint[]) as finished (id)";
    await owner.query(
      `insert into queue.history (tenant_id, queue_id, id, attempts, outcome) select $1, $2, id, 1, 'delivered' from ${ids}`,
      values,
    );
    await owner.query(
      `insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms) select $1, $2, id, 1, now(), 1 from ${ids}`,
      values,
    );
    return { queueId, messageIds };
  };
  await finish(50);
  await owner.query("analyze queue.message, queue.history, queue.attempt");
  const { queueId, messageIds } = await finish(3_000);
  const [messageId = ""] = messageIds;
  const client = await pool.connect();
  await client.query("begin");
  const lookSql = `
    select sum(idx_tup_fetch + seq_tup_read)::integer as looks from pg_stat_xact_all_tables
    where relid in (select inhrelid from pg_inherits where inhparent in ('queue.message'::regclass, 'queue.history'::regclass, 'queue.attempt'::regclass))`;
  // What this connection looked at earlier may still be counted.
  const looks = async (): Promise<number> => (await client.query<{ looks: number }>(lookSql)).rows[0]?.looks ?? 0;
  const before = await looks();
  expect(await getMessage(client, { tenantId, messageId })).toMatchObject({ key: "k0" });
  expect(await listAttempts(client, { tenantId, messageId })).toHaveLength(1);
  expect(await listAttemptNotes(client, { tenantId, messageIds: messageIds.slice(0, 20) })).toHaveLength(20);
  expect(await laneOf(client, { tenantId, messageId, limit: 20 })).toHaveLength(2);
  expect(await newestDelivered(client, { tenantId, queueId, keys: ["k7", "k700", "unknown"] })).toHaveLength(2);
  expect((await looks()) - before).toBeLessThan(1_000);
  await client.query("rollback");
  client.release();
});

test("dead letters are requeued by their cause", async () => {
  const queueId = await pullQueue();
  await publish(pool, [message(queueId, "a"), message(queueId, "b")]);
  for (const lease of await take(queueId)) await done(lease, dead);
  const messageIds = await deadOfGroup(pool, { tenantId, fingerprint: "http-400", limit: 10 });
  expect((await requeueDead(pool, { tenantId, messageIds })).length).toBe(2);
  expect((await take(queueId)).length).toBe(2);
});

test("what the app role may not see it can neither read nor publish", async () => {
  const queueId = await pullQueue();
  await publish(pool, [message(queueId, "a")]);
  const app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
  await app.query("begin");
  await app.query("select set_config('crossdock.tenant_id', $1, true)", [String(tenantId)]);
  expect((await listMessages(app, { tenantId, limit: 10 })).items.length).toBe(1);
  expect((await publish(app, [message(queueId, "b")])).length).toBe(1);
  await app.query("commit");
  await app.query("begin");
  await app.query("select set_config('crossdock.tenant_id', '99999', true)");
  expect((await listMessages(app, { tenantId, limit: 10 })).items).toEqual([]);
  await expect(publish(app, [message(queueId, "b")])).rejects.toThrow(/does not exist|row-level security/);
  await app.query("rollback");
  await app.end();
});

test("the circuit of a target and its blocked shards are seen; a sweep finds nothing to wake", async () => {
  const queueId = await pullQueue();
  await saveQueue(pool, { tenantId, targetId: 1, name: "b.order", mode: "fifo", delivery: "push" });
  await publish(pool, [message(queueId, "a")]);
  await pool.query("select queue.open_circuit($1, 1, 1000, 10000)", [tenantId]);
  expect(await targets(pool, { tenantId })).toMatchObject([{ circuit: { state: "open", openUntil: expect.any(Date) } }]);
  expect((await pool.query("select from queue.shard where tenant_id = $1 and is_active and not is_blocked", [tenantId])).rowCount).toBe(0);
  expect(await sweepShards(pool)).toBe(0);
});

test("lists and counts ask for rows by their whole keys, also for those that no statistics know of yet", async () => {
  const fill = async (): Promise<string[]> => {
    const queueId = await pullQueue();
    return publish(
      pool,
      Array.from({ length: 4_000 }, (_, index) => ({ ...message(queueId, `k${index}`), originId: String(index) })),
    );
  };
  for (let round = 0; round < 4; round++) await fill();
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query("analyze");
  await owner.end();
  // One that came after the statistics were made.
  tenantId += 1_000;
  const messageIds = await fill();
  await remove(pool, { tenantId, messageIds });
  const statements: { text: string; values: unknown[] }[] = [];
  const noting = {
    query: async (text: string, values: unknown[] = []) => {
      statements.push({ text, values });
      return { rows: [], rowCount: 0 };
    },
  } as unknown as pg.Pool;
  await listMessages(noting, { tenantId, filter: { state: "removed" }, limit: 100 });
  await listMessages(noting, { tenantId, filter: { state: "removed", keys: ["k7", "k8"] }, limit: 100 });
  await countMessages(noting, { tenantId, filter: { state: "removed", keyPrefix: "k" } });
  await listRetrying(noting, { tenantId, filter: { keyPrefix: "k" }, limit: 100 });
  await listRetrying(noting, { tenantId, filter: { keys: ["k7"] }, limit: 100 });
  await listMessages(noting, { tenantId, filter: { state: "removed", originId: "7" }, limit: 100 });
  await listMessages(noting, { tenantId, filter: { originId: "7" }, limit: 100 });
  for (const { text, values } of statements) {
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain (analyze, timing off) ${text}`, values);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    const discarded = [...plan.matchAll(/Rows Removed by (?:Join )?Filter: (\d+)/g)].map(([, count]) => Number(count));
    // Shards beside the message's own, a few for each of the hundred.
    expect(Math.max(0, ...discarded)).toBeLessThan(4_000);
    // A message is asked for by its whole primary key, its business key or its origin: never all of a queue or a tenant for one of them.
    const conditions = [...plan.matchAll(/ on message.*\n\s+Index Cond: (.*)/g)].map(([, condition]) => condition ?? "");
    expect(conditions.filter((condition) => !/\bqueue_id = .*\bid = |\bkey = |\borigin_id = /.test(condition))).toEqual([]);
  }
});

test("a message that was put off before its first try frees its lane once it is delivered", async () => {
  const queueId = await pullQueue();
  const [first, second] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await done((await take(queueId))[0], { kind: "released", delayMs: 60_000 });
  // Its successor is looked at meanwhile, and waits behind it.
  expect(await take(queueId)).toEqual([]);
  await retryNow(pool, { tenantId, messageIds: [first ?? ""] });
  const [again] = await take(queueId);
  expect(again).toMatchObject({ messageId: first, attempt: 1 });
  await done(again, delivered);
  expect((await take(queueId)).map((lease) => lease.messageId)).toEqual([second]);
});

test.each([
  ["ready", null],
  ["retrying", { ...failed, retryAfterMs: 60_000 }],
  ["dead", dead],
])("what was %s when it was removed comes back before what follows it, also when that has failed meanwhile", async (_, outcome) => {
  const queueId = await pullQueue();
  const [first = "", second = "", third] = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  if (outcome) await done((await take(queueId))[0], outcome);
  await remove(pool, { tenantId, messageIds: [first] });
  await done((await take(queueId))[0], failed);
  await restore(pool, { tenantId, messageIds: [first] });
  expect(outcome ? await take(queueId) : []).toEqual([]);
  if (outcome) await (outcome === dead ? requeueDead : retryNow)(pool, { tenantId, messageIds: [first] });
  const [again] = await take(queueId);
  expect(again?.messageId).toBe(first);
  await done(again, delivered);
  const [held] = await take(queueId);
  expect(held?.messageId).toBe(second);
  await done(held, delivered);
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([third]);
});

test("a claim locks no shard of another queue, and so never waits in a circle with who has", async () => {
  const retried = async (queueId: number): Promise<void> => {
    await publish(pool, [message(queueId, "a")]);
    await done((await take(queueId))[0], failed);
  };
  const other = await pullQueue();
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "c.order", mode: "fifo", delivery: "pull" });
  await retried(other);
  await retried(queueId);
  const [holder, claimer] = [await pool.connect(), await pool.connect()];
  await holder.query("begin");
  await holder.query("select from queue.shard where tenant_id = $1 and queue_id = $2 for no key update", [tenantId, other]);
  await claimer.query("begin");
  await claimer.query("set local lock_timeout = '3s'");
  const claimed = await claim(claimer, { tenantId, queueId, max: 10, leaseSeconds: 30 }).catch(() => null);
  for (const client of [holder, claimer]) {
    await client.query("rollback");
    client.release();
  }
  expect(claimed).toHaveLength(1);
});

test("a message is claimed again without waiting for one shard of its queue while holding another", async () => {
  const queueId = await pullQueue();
  await publish(
    pool,
    Array.from({ length: 30 }, (_, index) => message(queueId, `key ${index}`)),
  );
  const shardsSql = "select shard, min(id)::text as id from queue.ready where tenant_id = $1 group by shard order by shard";
  const { rows } = await pool.query<{ shard: number; id: string }>(shardsSql, [tenantId]);
  const [low, high] = [rows[0], rows.at(-1)];
  await take(queueId, 30);
  await pool.query("update queue.lease set lease_until = '-infinity' where tenant_id = $1", [tenantId]);
  const client = await pool.connect();
  const lock = (shard: number | undefined) =>
    client.query("select from queue.shard where tenant_id = $1 and shard = $2 for no key update", [tenantId, shard]);
  await client.query("begin");
  await lock(low?.shard);
  const claiming = claimAgain(pool, { tenantId, queueId, messageId: high?.id ?? "", leaseSeconds: 30 });
  await untilBlockedBy(client);
  await lock(high?.shard);
  await client.query("rollback");
  client.release();
  expect((await claiming)?.messageId).toBe(high?.id);
});

test("a lease that runs out while a rescue waits for another shard is left to whoever holds its own", async () => {
  const queueId = await pullQueue();
  await publish(
    pool,
    Array.from({ length: 30 }, (_, index) => message(queueId, `key ${index}`)),
  );
  await take(queueId, 30);
  const lapse = "update queue.lease set lease_until = '-infinity' where tenant_id = $1 and shard = $2";
  const { rows } = await pool.query<{ shard: number }>("select distinct shard from queue.lease where tenant_id = $1 order by shard", [
    tenantId,
  ]);
  const [low, high] = [rows[0]?.shard, rows.at(-1)?.shard];
  await pool.query(lapse, [tenantId, low]);
  const client = await pool.connect();
  await client.query("begin");
  await client.query("select from queue.shard where tenant_id = $1 and shard = $2 for no key update", [tenantId, low]);
  const rescuing = rescueLeases(pool);
  await untilBlockedBy(client);
  await pool.query(lapse, [tenantId, high]);
  await client.query("rollback");
  client.release();
  await rescuing;
  const left = await pool.query<{ shard: number }>(
    "select distinct shard from queue.lease where tenant_id = $1 and lease_until = '-infinity'",
    [tenantId],
  );
  expect(left.rows).toEqual([{ shard: high }]);
});

test.each([
  ["requeued", dead, (client: pg.PoolClient, messageIds: string[]) => requeueDead(client, { tenantId, messageIds })],
  ["removed", dead, (client: pg.PoolClient, messageIds: string[]) => removeDead(client, { tenantId, messageIds })],
  ["retried", later, (client: pg.PoolClient, messageIds: string[]) => retryNow(client, { tenantId, messageIds })],
  ["locked", dead, lockedIds],
] as const)("what fails while those that are %s wait for another shard is left to whoever holds its own", async (_, outcome, operate) => {
  const queueId = await pullQueue();
  await publish(
    pool,
    Array.from({ length: 30 }, (_message, index) => message(queueId, `key ${index}`)),
  );
  const leases = await take(queueId, 30);
  const shardsSql = "select shard, min(message_id)::text as id from queue.lease where tenant_id = $1 group by shard order by shard";
  const { rows } = await pool.query<{ shard: number; id: string }>(shardsSql, [tenantId]);
  const [low, high] = [rows[0], rows.at(-1)];
  const fail = (id: string | undefined) =>
    done(
      leases.find(({ messageId }) => messageId === id),
      outcome,
    );
  await fail(low?.id);
  const [holder, operator] = [await pool.connect(), await pool.connect()];
  await holder.query("begin");
  await holder.query("select from queue.shard where tenant_id = $1 and shard = $2 for no key update", [tenantId, low?.shard]);
  await operator.query("begin");
  const operating = operate(operator, [low?.id ?? "", high?.id ?? ""]);
  await untilBlockedBy(holder);
  await fail(high?.id);
  await holder.query("rollback");
  expect(await operating).toEqual([low?.id]);
  await operator.query("commit");
  for (const client of [holder, operator]) client.release();
});

async function lockedIds(client: pg.PoolClient, ids: string[]): Promise<string[]> {
  const messages = await locateMessages(client, { tenantId, messageIds: ids });
  return (await lockDead(client, { tenantId, messages })).map(({ messageId }) => messageId);
}

test("a queue that changes from pull to push waits in no circle with a lease that is being settled", async () => {
  const queueId = await pullQueue();
  const [id] = await publish(pool, [message(queueId, "a")]);
  const [lease] = await take(queueId);
  const [client, operator] = [await pool.connect(), await pool.connect()];
  // As queue.settle_lease does: the shards, then the lease.
  await client.query("begin");
  await client.query("select from queue.shard where tenant_id = $1 for no key update", [tenantId]);
  await operator.query("begin");
  const saving = saveQueue(operator, { tenantId, targetId: 1, name: "b.order", mode: "fifo", delivery: "push" });
  await untilBlockedBy(client);
  const settling = client.query("delete from queue.lease where tenant_id = $1 and token = $2", [tenantId, lease?.leaseToken]);
  await Promise.all([settling.then(() => client.query("commit")), saving.then(() => operator.query("commit"))]);
  client.release();
  operator.release();
  expect(await stateOf(id)).toBe("ready");
});

async function untilBlockedBy(client: pg.PoolClient): Promise<void> {
  const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  const sql = "select exists (select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))) as is";
  while (!(await pool.query<{ is: boolean }>(sql, [pid])).rows[0]?.is);
}
