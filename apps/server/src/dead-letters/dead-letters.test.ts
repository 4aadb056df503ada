import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { claim, claimAgain, settle } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import { emptyQueues, failMessage, fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let owner: pg.Pool;
let queues: FilledQueues;
beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
});
beforeEach(async () => {
  await emptyQueues(owner);
  queues = await fillQueues(made, "acme");
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme";
const get = (url: string) => made.call("viewer", "GET", base + url).then((answer) => answer.json());
const post = (url: string, payload: object) => made.call("user", "POST", base + url, payload).then((answer) => answer.json());
const makeDead = (key: string, errorClass = "rejected") =>
  failMessage(made, "acme", { queueId: queues.orderQueueId, key, errorClass, kind: "dead" });
const makeRetrying = (key: string) => failMessage(made, "acme", { queueId: queues.orderQueueId, key, errorClass: "busy", kind: "retry" });
const claimAll = () =>
  inTenant(made.deps.pools.app, 1001, (client) =>
    claim(client, { tenantId: 1001, queueId: queues.orderQueueId, max: 10, leaseSeconds: 60 }),
  );
const stateOf = async (id: string) => (await get(`/messages/${id}`)).state;

test("dead letters are listed one by one and grouped by error", async () => {
  const { items } = await get("/dead-letters");
  expect(items).toEqual([expect.objectContaining({ id: queues.deadId, key: "o-1", errorClass: "rejected", error: "no such SKU" })]);
  const groups = (await get("/dead-letter-groups")).items;
  expect(groups).toEqual([
    expect.objectContaining({
      count: 1,
      queueIds: [queues.orderQueueId],
      integrationPointIds: [queues.integrationPointId],
      subtenantCodes: ["shop"],
      error: "no such SKU",
      // The clock may have struck since.
      hours: expect.arrayContaining([1]),
    }),
  ]);
  expect((await get(`/dead-letters?fingerprint=${groups[0].fingerprint}`)).items).toHaveLength(1);
  expect((await get("/dead-letters?fingerprint=other")).items).toHaveLength(0);
});

const changeOf = async (errorClass: string) =>
  (await get("/dead-letter-groups")).items.find((group: { errorClass: string }) => group.errorClass === errorClass).changeBefore;

test("an error names the change of settings that it followed: the last one in the day before, pausing and renaming aside", async () => {
  const ask = async (method: "PATCH" | "PUT" | "POST", path: string, body: object) => {
    const answer = await made.call("admin", method, base + path, body);
    expect([path, answer.statusCode < 300]).toEqual([path, true]);
    return answer.json<{ version: number }>();
  };
  const point = `/integration-points/${queues.integrationPointId}`;
  expect(await changeOf("rejected")).toBeNull();
  const { version } = await ask("PATCH", point, { concurrency: 3 });
  for (const isPaused of [true, false]) await ask("PUT", `${point}/pause`, { isPaused });
  await ask("PATCH", point, { name: "Renamed" });
  await makeDead("after-change", "changed");
  const changed = { integrationPointId: queues.integrationPointId, version, madeAt: expect.any(String), madeBy: "Ada" };
  expect(await changeOf("changed")).toEqual(changed);
  await ask("PATCH", point, { credentials: { token: "another-token" } });
  await makeDead("after-credentials", "unauthorised");
  expect(await changeOf("unauthorised")).toMatchObject({ version: version + 4 });
  await ask("POST", "/mappings", { fieldName: "currency", source: "shopify", sourceValue: "SEK", target: "centra", targetValue: "kr" });
  const mappedId = await makeDead("after-mapping", "mapped");
  expect(await changeOf("mapped")).toMatchObject({ integrationPointId: null, version: 1 });
  expect(await changeOf("changed")).toEqual(changed);
  // What had failed before the change and dies again is none of its making.
  await post("/dead-letters/requeue", { ids: [mappedId] });
  await ask("PATCH", point, { concurrency: 4 });
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    const [lease] = await claim(client, { tenantId: 1001, queueId: queues.orderQueueId, max: 10, leaseSeconds: 60 });
    const attempt = { durationMs: 5, error: { class: "again", message: "no such SKU" } };
    await settle(client, { tenantId: 1001, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "dead", attempt } });
  });
  expect(await changeOf("again")).toBeNull();
  await makeDead("after-mapping-2", "mapped");
  expect(await changeOf("mapped")).toMatchObject({ integrationPointId: queues.integrationPointId });
  for (const table of ["mapping_version", "integration_point_version"])
    await owner.query(`update hub.${table} set made_at = made_at - interval '1 day'`);
  expect(await changeOf("mapped")).toBeNull();
});

test("an error names no change of mappings that can have nothing to do with it, and no settings where a mapping is missing", async () => {
  const map = async (fieldName: string, others: object = {}) => {
    const mapping = { fieldName, source: "shopify", sourceValue: "books", target: "centra", targetValue: "B", ...others };
    expect((await made.call("admin", "POST", `${base}/mappings`, mapping)).statusCode).toBe(201);
    return (await get("/mapping-versions")).items[0].version;
  };
  await map("taxCode", { target: "litium" });
  await makeDead("other-target", "to-another");
  expect(await changeOf("to-another")).toBeNull();
  const tax = await map("taxCode");
  const colour = await map("options.Colour");
  await made.call("admin", "PATCH", `${base}/integration-points/${queues.integrationPointId}`, { concurrency: 5 });
  const settings = { integrationPointId: queues.integrationPointId };
  for (const [errorClass, error, change] of [
    ["mapping-missing", "mapping missing: lines.taxCode 'food'", { integrationPointId: null, version: tax }],
    ["mapping-missing", "mapping missing: lines.sku 'a', options.Colour 'red'", { integrationPointId: null, version: colour }],
    ["mapping-missing", "mapping missing: lines.noTaxCode 'food'", null],
    ["rejected", "no such SKU", settings],
    ["http-401", "HTTP 401", settings],
  ] as const) {
    await owner.query("delete from queue.dead");
    await makeDead("told", errorClass);
    await owner.query("update queue.dead set error_message = $1", [error]);
    const found = await changeOf(errorClass);
    expect([error, found]).toMatchObject([error, change]);
  }
  await owner.query("update hub.integration_point_version set made_at = made_at - interval '1 day'");
  for (const [errorClass, change] of [
    ["rejected", { integrationPointId: null, version: colour }],
    ["http-401", null],
  ] as const) {
    await makeDead(`late-${errorClass}`, errorClass);
    expect([errorClass, await changeOf(errorClass)]).toMatchObject([errorClass, change]);
  }
});

test("a requeued dead letter is ready again, by id and by its whole group", async () => {
  expect(await post("/dead-letters/requeue", { ids: [queues.deadId, queues.readyId] })).toEqual({
    ids: [queues.deadId],
    skipped: [{ id: queues.readyId, key: "a-1", state: "ready", lastAction: null }],
    hasMore: false,
  });
  expect(await stateOf(queues.deadId)).toBe("ready");
});

test.each(["requeued", "restored"])("a dead order that is %s after a later one was delivered is told as superseded", async (verb) => {
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    const request = { tenantId: 1001, queueId: queues.orderQueueId, messageId: queues.behindId, leaseSeconds: 60 };
    const lease = await claimAgain(client, request);
    const outcome = { kind: "delivered", attempt: { durationMs: 1 } } as const;
    await settle(client, { tenantId: 1001, leaseToken: lease?.leaseToken ?? "", outcome });
  });
  const ids = [queues.deadId];
  if (verb === "restored") await post("/dead-letters/remove", { ids });
  expect(await post(verb === "requeued" ? "/dead-letters/requeue" : "/messages/restore", { ids })).toMatchObject({
    ids: [],
    skipped: [{ id: queues.deadId, key: "o-1", state: "superseded" }],
  });
  expect(await stateOf(queues.deadId)).toBe("superseded");
});

test("a group is requeued by its fingerprint", async () => {
  const [group] = (await get("/dead-letter-groups")).items;
  expect(await post("/dead-letters/requeue", { fingerprint: group.fingerprint })).toEqual({
    ids: [queues.deadId],
    skipped: [],
    hasMore: false,
  });
});

test("removing dead letters touches no message that is not dead", async () => {
  expect(await post("/dead-letters/remove", { ids: [queues.deadId, queues.readyId] })).toMatchObject({ ids: [queues.deadId] });
  expect(await stateOf(queues.readyId)).toBe("ready");
  expect(await post("/messages/restore", { ids: [queues.deadId] })).toEqual({ ids: [queues.deadId], skipped: [] });
  expect(await stateOf(queues.deadId)).toBe("dead");
});

test("the retry queue names the next attempt and can be hurried", async () => {
  const { items } = await get("/retry-queue");
  expect(items).toEqual([expect.objectContaining({ id: queues.retryingId, key: "o-2", error: "target answered 503", attempts: 1 })]);
  expect(await post("/retry-queue/retry-now", { ids: [queues.retryingId, queues.deadId] })).toMatchObject({ ids: [queues.retryingId] });
  expect(await stateOf(queues.retryingId)).toBe("ready");
});

test("one dead letter names its neighbours of the same error, newest first", async () => {
  expect(await get(`/dead-letters/${queues.deadId}`)).toMatchObject({ key: "o-1", triage: { status: "new" }, previous: null, next: null });
  const newer = await makeDead("o-9");
  await makeDead("o-10", "not-json");
  expect(await get(`/dead-letters/${queues.deadId}`)).toMatchObject({ previous: { id: newer, queueName: "centra.order" }, next: null });
  expect(await get(`/dead-letters/${newer}`)).toMatchObject({ previous: null, next: { id: queues.deadId, queueName: "centra.order" } });
  expect(await get(`/dead-letters/${queues.readyId}`)).toMatchObject({ status: 404 });
});

test("who reaches for what a colleague took is told by whom and what became of it", async () => {
  await post("/dead-letters/requeue", { ids: [queues.deadId] });
  const told = await made.call("admin", "POST", `${base}/dead-letters/remove`, { ids: [queues.deadId] });
  expect(told.json()).toEqual({
    ids: [],
    skipped: [
      { id: queues.deadId, key: "o-1", state: "ready", lastAction: { verb: "requeue", by: "Uli", at: expect.stringMatching(/^\d{4}-/) } },
    ],
    hasMore: false,
  });
  await claimAll();
  const late = await made.call("admin", "POST", `${base}/messages/remove`, { ids: [queues.deadId] });
  expect(late.json().skipped).toMatchObject([{ state: "in-hand", lastAction: { verb: "requeue", by: "Uli" } }]);
});

test("two operators at the same row at once: one gets it, the other is told who did, and neither gets an error", async () => {
  for (let round = 0; round < 12; round++) {
    const dead = await Promise.all([1, 2, 3].map((place) => makeDead(`race-${round}-${place}`)));
    const answers = await Promise.all([
      made.call("user", "POST", `${base}/dead-letters/requeue`, { ids: dead }),
      made.call("admin", "POST", `${base}/dead-letters/remove`, { ids: dead.toReversed() }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    const [requeued, removed] = answers.map((answer) => answer.json());
    expect(new Set([...requeued.ids, ...removed.ids])).toEqual(new Set(dead));
    for (const { lastAction } of requeued.skipped) expect(lastAction).toMatchObject({ verb: "remove", by: "Ada" });
    for (const { lastAction } of removed.skipped) expect(lastAction).toMatchObject({ verb: "requeue", by: "Uli" });
    expect(requeued.ids.length + requeued.skipped.length).toBe(3);
  }
});

test("hurrying and removing the same retry at once deadlocks nobody", async () => {
  for (let round = 0; round < 12; round++) {
    const retrying = await Promise.all([1, 2, 3].map((place) => makeRetrying(`hurry-${round}-${place}`)));
    const answers = await Promise.all([
      made.call("user", "POST", `${base}/retry-queue/retry-now`, { ids: retrying }),
      made.call("admin", "POST", `${base}/messages/remove`, { ids: retrying.toReversed() }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    // What was hurried is ready, so it may have been removed all the same; but nothing is left out.
    const changed = new Set(answers.flatMap((answer) => answer.json<{ ids: string[] }>().ids));
    expect([...changed].toSorted()).toEqual(retrying.toSorted());
  }
});

test("queues and the tenant's card count what waits", async () => {
  const order = (await get("/queues")).items.find((queue: { name: string }) => queue.name === "centra.order");
  expect(order).toMatchObject({
    depth: { ready: 1, inHand: 0, retrying: 1, dead: 1, parked: 0 },
    subtenantCode: "shop",
    circuit: "closed",
    circuitFault: null,
  });
  expect(await get("")).toMatchObject({ health: { waiting: 3, dead: 1, openCircuits: 0 } });
});
