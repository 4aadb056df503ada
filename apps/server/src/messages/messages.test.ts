import { afterAll, beforeAll, expect, test } from "vitest";
import { retryNow } from "@crossdock/queue";
import { fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let queues: FilledQueues;
beforeAll(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme";
const get = (url: string) => made.call("viewer", "GET", base + url).then((answer) => answer.json());
const ids = (page: { items: { id: string }[] }) => page.items.map((item) => item.id);

test("the list shows every message with its state, newest first, and pages meet without gap or overlap", async () => {
  const all = await get("/messages");
  expect(all.items.map((item: { key: string; state: string }) => [item.key, item.state])).toEqual([
    ["o-2", "retrying"],
    ["o-1", "ready"],
    ["o-1", "dead"],
    ["a-1", "ready"],
  ]);
  expect(all.items[0]).toMatchObject({ queueName: "centra.order", subtenantCode: "shop", attempts: 1, error: "target answered 503" });
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: { items: { id: string }[]; nextCursor: string | null } = await get(`/messages?limit=1${cursor && `&cursor=${cursor}`}`);
    seen.push(...ids(page));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(ids(all));
});

test("filters narrow list and count alike, several states are one list", async () => {
  for (const [filter, count] of [
    ["state=dead", 1],
    ["state=ready&state=retrying", 3],
    ["key=o-1", 2],
    ["key=o-1&key=o-2&key=none", 3],
    ["key=o-1&key=o-2&state=dead&state=retrying", 2],
    [`id=${queues.deadId}&id=${queues.readyId}&id=1`, 2],
    [`id=${queues.deadId}&id=${queues.behindId}&state=dead&key=o-1`, 1],
    [`id=${queues.deadId}&queueId=${queues.itemQueueId}`, 0],
    ["keyPrefix=o-", 3],
    ["entityType=item", 1],
    ["entityType=order&subtenant=shop", 3],
    ["entityType=customer", 0],
    ["subtenant=shop", 4],
    ["subtenant=nowhere", 0],
    [`queueId=${queues.itemQueueId}`, 1],
    [`integrationPointId=${queues.integrationPointId}`, 4],
    ["from=2001-01-01T00:00:00Z", 4],
    ["to=2001-01-01T00:00:00Z", 0],
  ] as const) {
    const found = { filter, listed: ids(await get(`/messages?${filter}`)).length, counted: await get(`/message-count?${filter}`) };
    expect(found).toMatchObject({ filter, listed: count, counted: { count, isExact: true } });
  }
});

test("lists and groups of one state are of the messages that are asked for by their ids", async () => {
  const ofRetrying = `id=${queues.retryingId}`;
  expect(ids(await get(`/retry-queue?${ofRetrying}&id=${queues.deadId}`))).toEqual([queues.retryingId]);
  expect(ids(await get(`/dead-letters?${ofRetrying}&id=${queues.deadId}`))).toEqual([queues.deadId]);
  expect(await get(`/dead-letter-groups?id=${queues.deadId}`)).toMatchObject({ items: [{ count: 1 }] });
  expect(await get(`/dead-letter-groups?${ofRetrying}`)).toMatchObject({ items: [] });
});

test("a list of keys is told which of them nothing was found of, a search is not", async () => {
  const keys = "key=none&key=o-1&key=o-2&key=N-9";
  expect(await get(`/message-count?${keys}`)).toEqual({ count: 3, isExact: true, keysNotFound: ["none", "N-9"] });
  expect(await get(`/message-count?${keys}&state=dead`)).toMatchObject({ keysNotFound: expect.arrayContaining(["none", "N-9"]) });
  expect(await get("/message-count?key=o-1&entityType=item")).toEqual({ count: 0, isExact: true, keysNotFound: ["o-1"] });
  expect(await get("/message-count?keyPrefix=o-")).toEqual({ count: 3, isExact: true });
  expect((await made.call("admin", "GET", `${base}/message-count?key=o-1&search=lamp`)).json()).not.toHaveProperty("keysNotFound");
  const many = Array.from({ length: 501 }, (_, number) => `key=${number}`).join("&");
  expect((await made.call("user", "GET", `/api/v1/tenants/acme/message-count?${many}`)).statusCode).toBe(400);
  expect(await get(`/message-count?${many.slice(0, many.lastIndexOf("&"))}`)).toMatchObject({ count: 0 });
});

test("a page of several states is cut where the next begins", async () => {
  const first = await get("/messages?state=dead&state=retrying&limit=1");
  const second = await get(`/messages?state=dead&state=retrying&limit=1&cursor=${first.nextCursor}`);
  expect([...ids(first), ...ids(second)]).toEqual([queues.retryingId, queues.deadId]);
});

test("details carry the document, attempts what was sent and answered, the trace who stands in whose way", async () => {
  expect(await get(`/messages/${queues.deadId}`)).toMatchObject({ state: "dead", document: '{"orderNumber":"o-1"}', error: "no such SKU" });
  expect((await get(`/messages/${queues.deadId}/attempts`)).items).toEqual([
    expect.objectContaining({
      number: 1,
      outcome: "failed",
      request: expect.objectContaining({ method: "POST" }),
      response: expect.objectContaining({ status: 422 }),
      error: expect.objectContaining({ class: "rejected" }),
    }),
  ]);
  expect((await get(`/messages/${queues.behindId}/trace`)).lane).toMatchObject({
    ahead: 1,
    behind: 0,
    heldBy: queues.deadId,
    waiting: [{ id: queues.deadId }, { id: queues.behindId }],
  });
});

test("a removed message is gone from what waits and comes back when restored", async () => {
  const change = async (verb: string) => (await made.call("user", "POST", `${base}/messages/${verb}`, { ids: [queues.readyId] })).json();
  expect(await change("remove")).toEqual({ ids: [queues.readyId], skipped: [] });
  expect(await change("remove")).toMatchObject({ ids: [], skipped: [{ state: "removed", lastAction: { verb: "remove", by: "Uli" } }] });
  expect(await get(`/messages/${queues.readyId}`)).toMatchObject({ state: "removed" });
  expect(await change("restore")).toEqual({ ids: [queues.readyId], skipped: [] });
  expect(await get(`/messages/${queues.readyId}`)).toMatchObject({ state: "ready" });
  const { messages } = await get(`/messages/${queues.readyId}/object-trace`);
  expect(messages).toMatchObject([
    {
      id: queues.readyId,
      actions: [
        { verb: "remove", by: "Uli", at: expect.any(String) },
        { verb: "restore", by: "Uli", at: expect.any(String) },
      ],
    },
  ]);
  await made
    .pool("owner", 1)
    .query(
      "insert into hub.message_action (tenant_id, message_id, verb, actor_name) select tenant_id, message_id, verb, n::text from hub.message_action, generate_series(1, 100) n where message_id = $1 and verb = 'restore' order by n.n",
      [queues.readyId],
    );
  const { messages: often } = await get(`/messages/${queues.readyId}/object-trace`);
  expect(often[0].actions.map(({ by }: { by: string }) => by)).toEqual(Array.from({ length: 100 }, (_, index) => String(index + 1)));
});

test.each(["limit=0", "limit=501", "state=lost", "queueId=x", "from=yesterday", "cursor=bm90IGpzb24", "search=x"])(
  "%s is refused",
  async (query) => {
    expect((await made.call("viewer", "GET", `${base}/messages?${query}`)).statusCode).toBe(400);
  },
);

test("a search text of fewer than three characters is refused: it would read every message", async () => {
  expect((await made.call("viewer", "GET", "/api/v1/tenants/acme/messages?search=%20ab%20")).json()).toMatchObject({
    status: 400,
    code: "validation-failed",
  });
  expect((await made.call("viewer", "GET", "/api/v1/tenants/acme/messages?search=abc")).statusCode).toBe(200);
});

test("an object's trace has all messages with its key, each with its attempts", async () => {
  const trace = await get(`/messages/${queues.behindId}/object-trace`);
  expect(trace).toMatchObject({ entityType: "order", key: "o-1", subtenantCode: "shop", versions: [], externalItems: [], hasMore: false });
  expect(trace.messages.map(({ id, attemptNotes }: { id: string; attemptNotes: object[] }) => [id, attemptNotes])).toEqual([
    [queues.behindId, []],
    [queues.deadId, [expect.objectContaining({ number: 1, status: 422, errorClass: "rejected", versions: null })]],
  ]);
});

test("a count of several states holds a message that moves from one to another meanwhile", async () => {
  const owner = made.pool("owner", 2);
  const mover = await owner.connect();
  await mover.query("begin");
  await mover.query("lock table queue.retrying in access exclusive mode");
  const counting = get("/message-count?state=ready&state=retrying&keyPrefix=o-2");
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  await retryNow(mover, { tenantId: 1001, messageIds: [queues.retryingId] });
  await mover.query("commit");
  mover.release();
  expect(await counting).toMatchObject({ count: 1 });
});
