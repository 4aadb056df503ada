import type { ExternalItem, ExternalMessage, Job } from "@crossdock/contract";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { storeDeliveries } from "../delivery/external-items.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { createJobRunner, runBatch } from "./runner.ts";
import { jobCalls } from "./testing.ts";

/** Bulk operations on what came in and on what targets know. */

let made: TestApp;
let tenant: TestTenant;
let base: string;
let count = 0;

beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());
beforeEach(async () => {
  const code = `external-${++count}`;
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    { code: "shop", connector: "centra", sourceTypes: ["item"], targetTypes: ["item"] },
    { code: "till", connector: "sitoo", targetTypes: ["item"] },
  ]);
  await made.pool("owner", 1).query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
  base = `/api/v1/tenants/${code}`;
});

const { get, post, start, read, itemsOf } = jobCalls({ made: () => made, base: () => base, reader: "viewer" });
const list = async <Row>(url: string) => (await get<{ items: Row[] }>(url)).items;
const create = (body: object) => post<Job>("/external-jobs", body);

const work = () => {
  const { pools } = made.deps;
  const { directory, intake } = made.parts;
  return createJobRunner(pools.worker, pino({ level: "silent" }), { directory, intake, pool: pools.app })(new AbortController().signal);
};

async function run(body: object): Promise<Job> {
  const job = await create(body);
  await start(job);
  await work();
  return read(job);
}

const code = () => base.split("/").at(-1);
const receive = (body: object) => made.call("user", "POST", `/centra/v1/items?tenant=${code()}&subtenant=shop`, body);
const messages = (query = "") => list<ExternalMessage>(`/external-messages?limit=500${query}`);
const items = (query = "") => list<ExternalItem>(`/external-items?limit=500${query}`);

async function receiveSome(...skus: string[]): Promise<void> {
  for (const sku of skus) await receive({ schemaVersion: 1, sku, name: `Item ${sku}` });
}

test("all external messages that match are removed, those that were there when they were counted, and come back by Undo", async () => {
  await receiveSome("a-1", "a-2", "b-1");
  const before = await messages();
  const job = await create({ subject: "external-messages", kind: "remove", selection: { filter: { keyPrefix: "a-" } } });
  expect(job).toMatchObject({ subject: "external-messages", state: "ready", total: 2, mustConfirm: false });
  await receiveSome("a-3");
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 2, skipped: 0, failed: 0, canUndo: true });
  expect((await messages()).map(({ key }) => key)).toEqual(["a-3", "b-1"]);
  expect((await messages("&removed=true")).map(({ key, removedBy }) => `${key} ${removedBy}`)).toEqual(["a-2 Uli", "a-1 Uli"]);
  expect((await itemsOf(job)).map(({ key, outcome, queueName }) => [key, outcome, queueName])).toEqual([
    ["a-1", "done", null],
    ["a-2", "done", null],
  ]);
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  expect(undo).toMatchObject({ kind: "restore", subject: "external-messages", state: "running", total: 2 });
  await work();
  expect((await messages()).filter(({ key }) => key !== "a-3")).toEqual(before);
});

test("an empty filter and more than a hundred take the tenant's code and a reason", async () => {
  await receiveSome("a-1");
  const job = await create({ subject: "external-messages", kind: "remove", selection: { filter: {} } });
  expect(job.mustConfirm).toBe(true);
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/start`, { total: 1 })).statusCode).toBe(400);
  expect(await messages()).toHaveLength(1);
});

test("what somebody else removed or restored meanwhile is skipped", async () => {
  await receiveSome("a-1", "a-2");
  const [newest] = await messages();
  const job = await create({ subject: "external-messages", kind: "remove", selection: { filter: { keyPrefix: "a-" } } });
  await post("/external-messages/remove", { ids: [newest?.id] });
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ done: 1, skipped: 1 });
});

test("Undo leaves what somebody has removed or put back since, and takes the rest", async () => {
  await receiveSome("a-1", "a-2", "a-3");
  const keys = async (query = "") => (await messages(query)).map(({ key }) => key);
  const [, { id } = { id: "" }] = await messages();
  const removed = await run({ subject: "external-messages", kind: "remove", selection: { filter: { keyPrefix: "a-" } } });
  await post("/external-messages/restore", { ids: [id] });
  await post("/external-messages/remove", { ids: [id] });
  const undo = await post<Job>(`/jobs/${removed.id}/undo`);
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 2, skipped: 1 });
  expect([await keys(), await keys("&removed=true")]).toEqual([["a-3", "a-1"], ["a-2"]]);

  await run({ subject: "external-messages", kind: "remove", selection: { filter: { keyPrefix: "a-" } } });
  const restored = await run({
    subject: "external-messages",
    kind: "restore",
    selection: { filter: { keyPrefix: "a-", removed: "true" } },
  });
  expect(restored).toMatchObject({ done: 3 });
  await post("/external-messages/remove", { ids: [id] });
  await post("/external-messages/restore", { ids: [id] });
  await post(`/jobs/${restored.id}/undo`);
  await work();
  expect([await keys(), await keys("&removed=true")]).toEqual([["a-2"], ["a-3", "a-1"]]);
});

test("messages that take long to be translated are committed a few at a time, so that nobody waits for their objects' locks", async () => {
  await receiveSome("s-1", "s-2", "s-3");
  const job = await create({ subject: "external-messages", kind: "replay", selection: { filter: { keyPrefix: "s-" } } });
  await start(job);
  const { directory, intake } = made.parts;
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  const check: typeof intake.check = (arrival) => {
    now += 600;
    return intake.check(arrival);
  };
  const replaying = { directory, intake: { ...intake, check } };
  try {
    expect(await runBatch(made.deps.pools.app, tenant.tenantId, { replaying })).toBe("more");
    expect(await read(job)).toMatchObject({ state: "running", done: 2 });
    expect(await runBatch(made.deps.pools.app, tenant.tenantId, { replaying })).toBe("finished");
  } finally {
    clock.mockRestore();
  }
  expect(await read(job)).toMatchObject({ state: "done", done: 3, failed: 0 });
});

test("many that go through intake once more and whoever hands in the same objects never wait each for the other", async () => {
  await receiveSome("b-2", "a-1");
  const sender = await made.pool("owner", 2).connect();
  const lock = (key: string) =>
    sender.query("select from hub.entity where tenant_id = $1 and business_key = $2 for no key update", [tenant.tenantId, key]);
  await sender.query("begin");
  await lock("a-1");
  const replaying = run({ subject: "external-messages", kind: "replay", selection: { filter: {} } });
  await expect.poll(() => waitingForLocks(made.pool("owner", 1))).toBe(1);
  await lock("b-2");
  await sender.query("commit");
  sender.release();
  expect(await replaying).toMatchObject({ state: "done", done: 2, failed: 0, fault: null });
});

test("all that match go through intake once more; one that would be rejected again is told with its reason, and leaves the others alone", async () => {
  await receiveSome("a-1", "a-2");
  await receive({ schemaVersion: 1, sku: "a-3", name: 5 });
  const done = await run({ subject: "external-messages", kind: "replay", selection: { filter: {} } });
  expect(done).toMatchObject({ state: "done", total: 3, done: 2, failed: 1, canUndo: false });
  const failed = (await itemsOf(done)).filter(({ outcome }) => outcome === "failed");
  expect(failed).toEqual([
    expect.objectContaining({
      key: null,
      error: expect.stringContaining("name"),
      faults: [expect.objectContaining({ path: "item[0].name", reason: "wrong-type" })],
    }),
  ]);
  const replays = (await messages()).filter(({ replayOf }) => replayOf !== null);
  expect(replays.map(({ key, state }) => `${key} ${state}`)).toEqual(["a-2 unchanged", "a-1 unchanged"]);
});

test("all external items that match are removed, but for those taken out, and come back by Undo", async () => {
  const csv = "integrationPoint,entityType,key,externalId\ntill,item,A 1,10\ntill,item,A 2,11\ntill,item,A 3,12\nshop,item,A 1,13";
  await post("/external-items/import", { csv });
  const before = await items();
  const spared = before.find(({ key }) => key === "A 2")?.id;
  const selection = { filter: { integrationPointId: tenant.points["till"]?.id }, except: [spared] };
  const done = await run({ subject: "external-items", kind: "remove", selection });
  expect(done).toMatchObject({ state: "done", total: 2, done: 2, canUndo: true });
  expect((await items()).map(({ key }) => key).toSorted()).toEqual(["A 1", "A 2"]);
  expect((await itemsOf(done)).map(({ key }) => key)).toEqual(["A 1", "A 3"]);
  await post(`/jobs/${done.id}/undo`);
  await work();
  expect(await items()).toEqual(before);
});

test("named items are removed, and what a delivery made anew meanwhile stays as it is when they are restored", async () => {
  const csv = "integrationPoint,entityType,key,externalId\ntill,item,A 1,10\ntill,item,A 2,11";
  await post("/external-items/import", { csv });
  const ids = (await items()).map(({ id }) => id);
  expect(await run({ subject: "external-items", kind: "remove", selection: { ids } })).toMatchObject({ done: 2 });
  await post("/external-items/import", { csv: "integrationPoint,entityType,key,externalId\ntill,item,A 1,99" });
  const removed = (await items("&removed=true")).map(({ id }) => id);
  const back = await run({ subject: "external-items", kind: "restore", selection: { ids: removed } });
  expect(back).toMatchObject({ total: 2, done: 1, skipped: 1 });
  expect((await items()).map(({ key, externalId }) => `${key} ${externalId}`)).toEqual(["A 1 99", "A 2 11"]);
});

test("Undo of a restore leaves the item that has been delivered since", async () => {
  await post("/external-items/import", { csv: "integrationPoint,entityType,key,externalId\ntill,item,A 1,10\ntill,item,A 2,11" });
  const ids = (await items()).map(({ id }) => id);
  await run({ subject: "external-items", kind: "remove", selection: { ids } });
  const removed = (await items("&removed=true")).map(({ id }) => id);
  const restored = await run({ subject: "external-items", kind: "restore", selection: { ids: removed } });
  const delivery = {
    system: 1,
    entityType: "item" as const,
    key: "A 2",
    externalId: null,
    deliveredHash: Buffer.alloc(32),
    messageId: "1",
  };
  const place = { integrationPointId: tenant.points["till"]?.id ?? 0, subtenantId: tenant.subtenantId };
  await inTenant(made.deps.pools.worker, tenant.tenantId, (client) =>
    storeDeliveries(client, tenant.tenantId, [{ ...delivery, ...place }]),
  );
  const undo = await post<Job>(`/jobs/${restored.id}/undo`);
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 1, skipped: 1 });
  expect((await items()).map(({ key, externalId }) => `${key} ${externalId}`)).toEqual(["A 2 11"]);
});

async function leadElsewhere(pointCode: string): Promise<void> {
  const url = `${base}/integration-points/${tenant.points[pointCode]?.id}`;
  expect((await made.call("admin", "PATCH", url, { isAnotherSystem: true })).statusCode).toBe(200);
}

test("what a job was to do with ids and messages of one system is not done with another that the address leads to meanwhile", async () => {
  const csv = "integrationPoint,entityType,key,externalId\ntill,item,A 1,10\ntill,item,A 2,11\nshop,item,A 1,12";
  await post("/external-items/import", { csv });
  await receiveSome("a-1");
  const named = async (query = "") => ({ ids: (await items(query)).map(({ id }) => id) });
  const removing = await create({ subject: "external-items", kind: "remove", selection: await named() });
  await leadElsewhere("till");
  await post("/external-items/import", { csv: "integrationPoint,entityType,key,externalId\ntill,item,A 1,99" });
  await start(removing);
  await work();
  expect(await read(removing)).toMatchObject({ state: "done", done: 1, skipped: 2 });
  expect((await items()).map(({ key, externalId }) => `${key} ${externalId}`)).toEqual(["A 1 99"]);

  const restoring = await create({ subject: "external-items", kind: "restore", selection: await named("&removed=true") });
  const replaying = await create({ subject: "external-messages", kind: "replay", selection: { filter: {} } });
  await leadElsewhere("shop");
  for (const job of [restoring, replaying]) await start(job);
  await work();
  // A person may still put back what belonged to the till's former system.
  expect(await read(restoring)).toMatchObject({ state: "done", done: 1, skipped: 2 });
  expect((await items()).map(({ key, externalId }) => `${key} ${externalId}`)).toEqual(["A 1 99", "A 2 11"]);
  expect(await read(replaying)).toMatchObject({ state: "done", done: 0, skipped: 1 });
  // The one that was removed before its address led elsewhere stays away by Undo, too.
  expect(await post<Job>(`/jobs/${removing.id}/undo`)).toMatchObject({ kind: "restore", total: 1 });
  await work();
  expect((await items()).map(({ key }) => key)).toEqual(["A 1", "A 2"]);
});

test("what is named twice is removed once, and comes back once", async () => {
  await receiveSome("a-1");
  await post("/external-items/import", { csv: "integrationPoint,entityType,key,externalId\ntill,item,A 1,10\ntill,item,A 2,11" });
  const before = await items();
  const { integrationPointId, entityType, key } = before[0]!;
  const [message] = await messages();
  const twice = { ids: [message?.id, message?.id] };
  expect(await run({ subject: "external-messages", kind: "remove", selection: twice })).toMatchObject({ total: 1, done: 1 });
  const item = { integrationPointId, entityType, key };
  const { removedIds } = await post<{ removedIds: string[] }>("/external-items/remove", { items: [item, item] });
  expect(await items("&removed=true")).toHaveLength(1);
  expect(await post("/external-items/restore", { removedIds })).toMatchObject({ restored: 1, madeAnew: 0 });
  const ids = before.flatMap(({ id }) => [id, id]);
  const removed = await run({ subject: "external-items", kind: "remove", selection: { ids } });
  expect(removed).toMatchObject({ total: 2, done: 2 });
  await post(`/jobs/${removed.id}/undo`);
  await work();
  expect(await items()).toEqual(before);
});

test("a job is paused after the batch in hand, goes on and ends with exact counts", async () => {
  await receiveSome("a-1", "a-2", "a-3");
  const job = await create({ subject: "external-messages", kind: "remove", selection: { filter: {} } });
  await start(job);
  expect(await runBatch(made.deps.pools.worker, tenant.tenantId, { size: 1 })).toBe("more");
  expect(await post<Job>(`/jobs/${job.id}/pause`)).toMatchObject({ state: "paused", done: 1 });
  await work();
  expect(await read(job)).toMatchObject({ state: "paused", done: 1 });
  await post(`/jobs/${job.id}/resume`);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 3 });
});

test("a viewer may start none, and names that are none of the list's are refused", async () => {
  const body = { subject: "external-messages", kind: "remove", selection: { filter: {} } };
  expect((await made.call("viewer", "POST", `${base}/external-jobs`, body)).statusCode).toBe(403);
  for (const kind of ["remove", "restore"]) {
    const wrong = { subject: "external-items", kind, selection: { ids: ["nonsense"] } };
    expect((await made.call("user", "POST", `${base}/external-jobs`, wrong)).statusCode).toBe(400);
  }
});
