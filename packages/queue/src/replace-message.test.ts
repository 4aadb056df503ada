import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  claimAgain,
  createMaintenance,
  createWorker,
  getMessage,
  listMessages,
  publish,
  remove,
  replaceMessage,
  requeueDead,
  restore,
  retryNow,
  saveQueue,
  saveTarget,
  settle,
  type Handler,
  type MessageDetail,
  type NewMessage,
  type Outcome,
  type QueueDelivery,
  type QueueMode,
} from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 20);
});
beforeEach(() => void tenantId++);
afterAll(() => database.drop());

async function makeQueue(mode: QueueMode, delivery: QueueDelivery = "pull", targetId = 1): Promise<number> {
  await saveTarget(pool, { tenantId, targetId, concurrency: 4 });
  const retry = { maxAttempts: 1000, baseDelayMs: 1, maxDelayMs: 1 };
  return saveQueue(pool, { tenantId, targetId, name: "q", mode, delivery, retry });
}

const message = (queueId: number, key: string, more: Partial<NewMessage> = {}): NewMessage => ({
  tenantId,
  queueId,
  subtenantId: 3,
  key,
  entityType: "order",
  document: '{"a":1}',
  source: "shop",
  headers: { h: "1" },
  originId: "77",
  entityVersion: 5,
  ...more,
});
const publishOne = async (news: NewMessage): Promise<string> => (await publish(pool, [news]))[0] ?? "";
const replace = (messageId: string, more: { queueId?: number; document?: string } = {}) =>
  replaceMessage(pool, { tenantId, messageId, ...more });
const find = async (messageId: string): Promise<MessageDetail | null> => getMessage(pool, { tenantId, messageId });
const take = (queueId: number) => claim(pool, { tenantId, queueId, max: 10, leaseSeconds: 60 });
const attempt = { durationMs: 1, error: { class: "e", message: "m" } };

async function successorOf(messageId: string, more: Parameters<typeof replace>[1] = {}): Promise<string> {
  const answer = await replace(messageId, more);
  if (answer.outcome !== "replaced") throw new Error(answer.outcome);
  return answer.successorId;
}

test("the successor has everything of its message but the document, and each knows the other", async () => {
  const id = await publishOne(message(await makeQueue("fifo"), "a", { version: "9" }));
  const successorId = await successorOf(id, { document: '{"a":2}' });
  const { source, headers, originId, entityVersion, subtenantId, key, version, document } = (await find(successorId)) ?? {};
  expect({ source, headers, originId, entityVersion, subtenantId, key, version, document }).toEqual({
    source: "shop",
    headers: { h: "1" },
    originId: "77",
    entityVersion: 5,
    subtenantId: 3,
    key: "a",
    version: "9",
    document: '{"a":2}',
  });
  expect(await find(id)).toMatchObject({ state: "redirected", successorId, predecessorId: null });
  expect(await find(successorId)).toMatchObject({ state: "ready", successorId: null, predecessorId: id });
});

test("a message in hand, delivered, or of another tenant is refused and nothing is published", async () => {
  const queueId = await makeQueue("fifo");
  const id = await publishOne(message(queueId, "a"));
  const [lease] = await take(queueId);
  expect(await replace(id)).toEqual({ outcome: "refused", state: "in-hand" });
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt } });
  expect(await replace(id)).toEqual({ outcome: "refused", state: "delivered" });
  expect(await replaceMessage(pool, { tenantId: tenantId + 1000, messageId: id })).toEqual({ outcome: "unknown" });
  await expect(replace(id, { queueId: 999_999 })).rejects.toMatchObject({ code: "unknown-queue" });
  expect((await listMessages(pool, { tenantId, limit: 10 })).items.length).toBe(1);
});

test("a message that was replaced is not claimed again, delivered or not: its copy is", async () => {
  const queueId = await makeQueue("fifo");
  const id = await publishOne(message(queueId, "a"));
  const successorId = await successorOf(id);
  const again = (messageId: string) => claimAgain(pool, { tenantId, queueId, messageId, leaseSeconds: 60 });
  expect(await again(id)).toBeNull();
  expect(await deliverNext(queueId)).toBe(successorId);
  expect(await again(id)).toBeNull();
  expect(await find(id)).toMatchObject({ state: "redirected", successorId });
  expect(await again(successorId)).toMatchObject({ messageId: successorId });
});

test("a removed message's successor stands where it would have been restored to", async () => {
  const queueId = await makeQueue("fifo");
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  await remove(pool, { tenantId, messageIds: [ids[0] ?? ""] });
  const successorId = await successorOf(ids[0] ?? "");
  expect((await take(queueId)).map((lease) => lease.messageId)).toEqual([successorId]);
});

async function deliverNext(queueId: number): Promise<string | undefined> {
  const [lease] = await take(queueId);
  if (lease) await settle(pool, { tenantId, leaseToken: lease.leaseToken, outcome: { kind: "delivered", attempt } });
  return lease?.messageId;
}

test.each([
  { of: "the first message", which: 0, edits: 1 },
  { of: "the second message", which: 1, edits: 1 },
  { of: "a copy", which: 1, edits: 2 },
])("a copy of $of that is removed and restored is delivered in the place that it took", async ({ which, edits }) => {
  const queueId = await makeQueue("fifo");
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  let copy = ids[which] ?? "";
  for (let edit = 0; edit < edits; edit++) copy = await successorOf(copy);
  await remove(pool, { tenantId, messageIds: [copy] });
  if (which === 1) await deliverNext(queueId);
  expect(await restore(pool, { tenantId, messageIds: [copy] })).toEqual([copy]);
  const order: string[] = [];
  for (let id = await deliverNext(queueId); id; id = await deliverNext(queueId)) order.push(id);
  expect(order).toEqual([copy, ...ids.slice(which + 1)]);
  const left = "select from queue.held where tenant_id = $1 union all select from queue.place where tenant_id = $1";
  expect((await pool.query(left, [tenantId])).rowCount).toBe(0);
});

test.each([
  { which: "the second message", edited: 1, edits: 1, isRemoved: false },
  { which: "a copy", edited: 1, edits: 2, isRemoved: false },
  { which: "the last message, which was removed since,", edited: 2, edits: 1, isRemoved: true },
])("what comes back to a lane goes before what is behind it, though $which was edited", async ({ edited, edits, isRemoved }) => {
  const queueId = await makeQueue("fifo");
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  await remove(pool, { tenantId, messageIds: [ids[0] ?? ""] });
  let copy = ids[edited] ?? "";
  for (let edit = 0; edit < edits; edit++) copy = await successorOf(copy);
  if (isRemoved) await remove(pool, { tenantId, messageIds: [copy] });
  await restore(pool, { tenantId, messageIds: [ids[0] ?? ""] });
  const order: string[] = [];
  for (let id = await deliverNext(queueId); id; id = await deliverNext(queueId)) order.push(id);
  expect(order).toEqual(ids.with(edited, copy).slice(0, isRemoved ? 2 : 3));
});

test("the copy of a removed message goes before what is behind it, though that was edited first", async () => {
  const queueId = await makeQueue("fifo");
  const [first = "", second = "", third = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  await remove(pool, { tenantId, messageIds: [first] });
  const copies = [await successorOf(third), await successorOf(first)].toReversed();
  const order = [await deliverNext(queueId), await deliverNext(queueId), await deliverNext(queueId)];
  expect(order).toEqual(copies.toSpliced(1, 0, second));
});

test("a dead letter that comes back to a lane holds it, though a later message was edited", async () => {
  const queueId = await makeQueue("fifo");
  const [first = "", second = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  const [lease] = await take(queueId);
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
  await remove(pool, { tenantId, messageIds: [first] });
  const copy = await successorOf(second);
  await restore(pool, { tenantId, messageIds: [first] });
  expect(await take(queueId)).toEqual([]);
  await requeueDead(pool, { tenantId, messageIds: [first] });
  expect([await deliverNext(queueId), await deliverNext(queueId)]).toEqual([first, copy]);
});

test("what comes back before a dead letter goes first, also while an edited copy behind it is removed", async () => {
  const queueId = await makeQueue("fifo");
  const [first = "", second = "", third = ""] = await publish(pool, [message(queueId, "a"), message(queueId, "a"), message(queueId, "a")]);
  await remove(pool, { tenantId, messageIds: [first] });
  const [lease] = await take(queueId);
  const copy = await successorOf(third);
  await remove(pool, { tenantId, messageIds: [copy] });
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
  await restore(pool, { tenantId, messageIds: [first] });
  expect(await deliverNext(queueId)).toBe(first);
  await requeueDead(pool, { tenantId, messageIds: [second] });
  await restore(pool, { tenantId, messageIds: [copy] });
  expect([await deliverNext(queueId), await deliverNext(queueId)]).toEqual([second, copy]);
});

test.each(["removed", "dead"])(
  "a message that is %s is not edited and sent over what followed it in a fifo lane and was delivered",
  async (state) => {
    const queueId = await makeQueue("fifo");
    const [first = "", second = "", third = ""] = await publish(pool, [
      message(queueId, "a"),
      message(queueId, "a"),
      message(queueId, "a"),
    ]);
    const [lease] = await take(queueId);
    await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
    const copy = await successorOf(second);
    const again = await claimAgain(pool, { tenantId, queueId, messageId: copy, leaseSeconds: 60 });
    await settle(pool, { tenantId, leaseToken: again?.leaseToken ?? "", outcome: { kind: "delivered", attempt } });
    if (state === "removed") await remove(pool, { tenantId, messageIds: [first] });
    expect(await replace(first)).toEqual({ outcome: "overtaken" });
    expect((await find(first))?.state).toBe(state);
    // The copy has a higher id than the third message, which follows it all the same.
    await remove(pool, { tenantId, messageIds: [third] });
    expect(await successorOf(third)).toBeDefined();
  },
);

test("redirected to another queue, a blocker frees its lane", async () => {
  const queueId = await makeQueue("fifo");
  const otherQueueId = await makeQueue("fifo", "pull", 2);
  const ids = await publish(pool, [message(queueId, "a"), message(queueId, "a")]);
  const [lease] = await take(queueId);
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
  expect(await take(queueId)).toEqual([]);
  const successorId = await successorOf(ids[0] ?? "", { queueId: otherQueueId });
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([ids[1]]);
  expect((await take(otherQueueId)).map(({ messageId, document }) => [messageId, document])).toEqual([[successorId, '{"a":1}']]);
});

test.each([
  ["with versions", "5", "6"],
  ["without versions", null, null],
  ["with the same version", "5", "5"],
])("what a latest lane has newer overtakes a copy, %s, in its own queue and in another", async (_, older, newer) => {
  const queueId = await makeQueue("latest");
  const otherQueueId = await makeQueue("latest", "pull", 2);
  const id = await publishOne(message(queueId, "a", { version: older }));
  await remove(pool, { tenantId, messageIds: [id] });
  expect((await replace(id, { queueId: otherQueueId })).outcome).toBe("replaced");
  const second = await publishOne(message(queueId, "a", { version: older }));
  await publish(
    pool,
    [queueId, otherQueueId].map((queue) => message(queue, "a", { version: newer, originId: "78" })),
  );
  const [lease] = await take(otherQueueId);
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt } });
  expect(await replace(second)).toEqual({ outcome: "overtaken" });
  expect(await replace(second, { queueId: otherQueueId })).toEqual({ outcome: "overtaken" });
  expect((await take(queueId)).map(({ version }) => version)).toEqual([newer]);
  expect((await find(second))?.state).toBe("superseded");
});

test("the copy of a failed price of a latest lane is delivered, and only it", async () => {
  const queueId = await makeQueue("latest");
  const id = await publishOne(message(queueId, "a", { version: "5" }));
  const [lease] = await take(queueId);
  await settle(pool, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
  const successorId = await successorOf(id);
  expect((await take(queueId)).map(({ messageId }) => messageId)).toEqual([successorId]);
  expect((await find(id))?.state).toBe("redirected");
});

// Real workers deliver while operators edit the very same messages and hurry their retries.
test("under concurrent retries and deliveries exactly one of each message and its copies is sent", async () => {
  const queueId = await makeQueue("fifo", "push");
  const names = Array.from({ length: 40 }, (_, index) => `m${index}`);
  const failures = new Map(names.map((name, index) => [name, index % 4]));
  const sent: string[] = [];
  const handler: Handler = async ({ document }) => {
    const name = JSON.parse(document).name;
    const left = failures.get(name) ?? 0;
    failures.set(name, left - 1);
    const outcome: Outcome = left > 0 ? { kind: "retry", attempt, retryAfterMs: 0 } : { kind: "delivered", attempt };
    if (left <= 0) sent.push(name);
    return outcome;
  };
  const ids = await publish(
    pool,
    names.map((name, index) => message(queueId, `k${index % 6}`, { document: JSON.stringify({ name }) })),
  );
  const maintenance = createMaintenance(pool);
  maintenance.start();
  const workers = ["one", "two"].map((workerId) => createWorker(pool, { handler, workerId, pollMs: 10 }));
  for (const worker of workers) await worker.start();
  const edits = await Promise.all(ids.map((id, index) => editUntilSettled(id, names[index] ?? "")));
  await expect.poll(() => sent.length).toBeGreaterThanOrEqual(names.length);
  for (const worker of workers) await worker.stop();
  await maintenance.stop();
  expect(sent.toSorted()).toEqual(names.toSorted());
  expect(edits.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  // Of one key they went in the order in which they were published, edited or not.
  for (const lane of Map.groupBy(sent, (name) => Number(name.slice(1)) % 6).values()) {
    const places = lane.map((name) => Number(name.slice(1)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
}, 60_000);

/** Edits a message, then its copy, and so on, while it waits, and leaves the last copy to the workers. Returns how often. */
async function editUntilSettled(id: string, name: string): Promise<number> {
  let current = id;
  let count = 0;
  const state = async (): Promise<string | undefined> => (await find(current))?.state;
  while (count < 10 && (await state()) !== "delivered") {
    await retryNow(pool, { tenantId, messageIds: [current] });
    const answer = await replace(current, { document: JSON.stringify({ name, edit: count }) });
    if (answer.outcome !== "replaced") continue;
    current = answer.successorId;
    count++;
  }
  await expect.poll(state).toBe("delivered");
  return count;
}
