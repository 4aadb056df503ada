import { afterEach, beforeEach, expect, test } from "vitest";
import { fillQueues, type FilledQueues } from "../testing-queues.ts";
import { testApp, type TestApp } from "../testing.ts";

let made: TestApp;
let queues: FilledQueues;
beforeEach(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
});
afterEach(() => made.close());

const base = "/api/v1/tenants/acme";
const get = (url: string) => made.call("viewer", "GET", base + url).then((answer) => answer.json());
const post = (url: string, payload: object) => made.call("user", "POST", base + url, payload).then((answer) => answer.json());
const stateOf = async (id: string) => (await get(`/messages/${id}`)).state;

test("dead letters are listed one by one and grouped by error", async () => {
  const { items } = await get("/dead-letters");
  expect(items).toEqual([expect.objectContaining({ id: queues.deadId, key: "o-1", errorClass: "rejected", error: "no such SKU" })]);
  const groups = (await get("/dead-letter-groups")).items;
  expect(groups).toEqual([expect.objectContaining({ count: 1, queueIds: [queues.orderQueueId], error: "no such SKU" })]);
  expect((await get(`/dead-letters?fingerprint=${groups[0].fingerprint}`)).items).toHaveLength(1);
  expect((await get("/dead-letters?fingerprint=other")).items).toHaveLength(0);
});

test("a requeued dead letter is ready again, by id and by its whole group", async () => {
  expect(await post("/dead-letters/requeue", { ids: [queues.deadId, queues.readyId] })).toEqual({ ids: [queues.deadId], hasMore: false });
  expect(await stateOf(queues.deadId)).toBe("ready");
});

test("a group is requeued by its fingerprint", async () => {
  const [group] = (await get("/dead-letter-groups")).items;
  expect(await post("/dead-letters/requeue", { fingerprint: group.fingerprint })).toEqual({ ids: [queues.deadId], hasMore: false });
});

test("removing dead letters touches no message that is not dead", async () => {
  expect(await post("/dead-letters/remove", { ids: [queues.deadId, queues.readyId] })).toEqual({ ids: [queues.deadId], hasMore: false });
  expect(await stateOf(queues.readyId)).toBe("ready");
  expect(await post("/messages/restore", { ids: [queues.deadId] })).toEqual({ ids: [queues.deadId] });
  expect(await stateOf(queues.deadId)).toBe("dead");
});

test("the retry queue names the next attempt and can be hurried", async () => {
  const { items } = await get("/retry-queue");
  expect(items).toEqual([expect.objectContaining({ id: queues.retryingId, key: "o-2", error: "target answered 503", attempts: 1 })]);
  expect(await post("/retry-queue/retry-now", { ids: [queues.retryingId, queues.deadId] })).toEqual({ ids: [queues.retryingId] });
  expect(await stateOf(queues.retryingId)).toBe("ready");
});

test("queues and the tenant's card count what waits", async () => {
  const order = (await get("/queues")).items.find((queue: { name: string }) => queue.name === "centra.order");
  expect(order).toMatchObject({
    depth: { ready: 1, inHand: 0, retrying: 1, dead: 1, parked: 0 },
    subtenantCode: "shop",
    circuit: "closed",
  });
  expect(await get("")).toMatchObject({ health: { waiting: 3, dead: 1, openCircuits: 0 } });
});
