import type { Job, PatchCounts, PatchedMessage } from "@crossdock/contract";
import { claim, claimAgain, publish, settle } from "@crossdock/queue";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { createJobRunner, runBatch } from "./runner.ts";
import { dyingPool, endAll, failure, jobCalls, makeDue } from "./testing.ts";

const tenantId = 1001;
const base = "/api/v1/tenants/acme";

let made: TestApp;
let owner: pg.Pool;
let queueId = 0;
let runs = 0;
let prefix = "";

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    code: "patch",
    name: "Patch",
    deliveryMode: "pull",
    sourceTypes: ["order"],
    targetTypes: ["order"],
  };
  await made.call("admin", "POST", `${base}/integration-points`, { ...point, settings: { url: "https://shop.example" } });
  queueId = (await owner.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId])).rows[0]?.id ?? 0;
});
afterAll(() => made.close());

beforeEach(async () => {
  prefix = `p${++runs}-`;
  await endAll(owner);
});

const order = (orderNumber: string, sku = "OLD") => ({
  orderNumber,
  kind: "sale",
  orderedAt: "2010-12-01T09:41:00Z",
  currency: "GBP",
  customer: null,
  lines: [{ lineNumber: "1", kind: "product", sku, description: null, quantity: "1", unitPrice: { amount: "2.50", currency: "GBP" } }],
});

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

async function put(documents: readonly { orderNumber: string }[]): Promise<string[]> {
  const common = { tenantId, queueId, subtenantId: 1101, entityType: "order" };
  const messages = documents.map((document) => ({ ...common, key: document.orderNumber, document: JSON.stringify(document) }));
  return inTenant(made.deps.pools.app, tenantId, (client) => publish(client, messages));
}

/** Each delivery there was, by order number and SKU. */
let deliveries: string[] = [];
beforeEach(() => (deliveries = []));

/** The target as it is: knows NEW, and never takes what `refuses` says. */
async function deliver(refuses: (orderNumber: string) => boolean = () => false, attempt = failure): Promise<void> {
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const leases = await claim(client, { tenantId, queueId, max: 10_000, leaseSeconds: 60 });
    for (const { leaseToken, key, document } of leases) {
      const { sku } = (JSON.parse(document) as ReturnType<typeof order>).lines[0] ?? { sku: "" };
      const isTaken = sku === "NEW" && !refuses(key);
      if (isTaken) deliveries.push(key);
      const outcome = isTaken ? ({ kind: "delivered", attempt: { durationMs: 1 } } as const) : ({ kind: "dead", attempt } as const);
      await settle(client, { tenantId, leaseToken, outcome });
    }
  });
}

async function putDead(count: number): Promise<string[]> {
  const ids = await put(names(count).map((name) => order(name)));
  await deliver();
  return ids;
}

const { get, post, read, itemsOf, ...calls } = jobCalls({ made: () => made, base: () => base, reader: "user" });
const newSku = { kind: "mapping", path: "$.lines[*].sku", from: "OLD", to: "NEW" };
const create = (patch: object = newSku, more: object = {}) =>
  post<Job>("/jobs", { kind: "patch", selection: { filter: { keyPrefix: prefix, fingerprint: "f-1" } }, patch, ...more });
const start = (job: Job) => calls.start(job, "renamed");
const countOf = (state: string) => calls.countIn(prefix, state);
const workOnce = async () => {
  await makeDue(owner);
  await createJobRunner(made.deps.pools.worker, pino({ level: "silent" }))(new AbortController().signal);
};

test("a dry run tells of each message what would change and whether it would be valid, and changes nothing", async () => {
  const odd = { ...order(`${prefix}odd`, "OTHER"), customer: { email: "ada@example.com" } };
  await put([...names(3).map((name) => order(name)), odd]);
  await deliver();
  const job = await create();
  expect(job).toMatchObject({ kind: "patch", state: "ready", total: 4, patch: newSku, failureLimit: 10, stage: { number: 1, size: 1 } });
  const { items } = await get<{ items: PatchedMessage[] }>(`/jobs/${job.id}/dry-run`);
  expect(items.map(({ verdict }) => verdict)).toEqual(["changed", "changed", "changed", "unchanged"]);
  expect(items[3]?.before).toMatch(/"email":"••• [0-9a-f]{8}"/);
  expect(JSON.parse(items[0]?.before ?? "")).toMatchObject({ lines: [{ sku: "OLD" }] });
  expect(JSON.parse(items[0]?.after ?? "")).toMatchObject({ lines: [{ sku: "NEW" }] });
  expect(await get<PatchCounts>(`/jobs/${job.id}/dry-run-count`)).toEqual({
    changed: 3,
    unchanged: 1,
    invalid: 0,
    superseded: 0,
    gone: 0,
    isExact: true,
  });
  const wrong = await create({ kind: "merge", merge: { currency: "pounds", customer: { email: "eva@example.com" } } });
  expect((await get<{ items: PatchedMessage[] }>(`/jobs/${wrong.id}/dry-run?verdict=invalid&limit=1`)).items).toMatchObject([
    { verdict: "invalid", after: expect.stringMatching(/"email":"••• [0-9a-f]{8}"/), errors: [{ path: "currency" }] },
  ]);
  expect(await get<PatchCounts>(`/jobs/${wrong.id}/dry-run-count`)).toMatchObject({ invalid: 4, changed: 0 });
  expect(await countOf("dead")).toBe(4);
});

test("a dry run foresees which messages newer data has passed, as the job then tells of them", async () => {
  const [passed = "", newer = ""] = await put([order(`${prefix}twice`), order(`${prefix}twice`, "NEW")]);
  await put([order(`${prefix}once`)]);
  await deliver();
  // An operator has sent the later one before the one that holds it up.
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const lease = await claimAgain(client, { tenantId, queueId, messageId: newer, leaseSeconds: 60 });
    await settle(client, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
  });
  const job = await create();
  expect(await get<PatchCounts>(`/jobs/${job.id}/dry-run-count`)).toMatchObject({ changed: 1, superseded: 1, gone: 0 });
  const { items } = await get<{ items: PatchedMessage[] }>(`/jobs/${job.id}/dry-run?verdict=superseded`);
  expect(items.map(({ messageId }) => messageId)).toEqual([passed]);
  await start(job);
  await workOnce();
  await deliver();
  await workOnce();
  expect(await itemsOf(job, "skipped")).toMatchObject([{ messageId: passed, foundIn: "superseded" }]);
  expect(await read(job)).toMatchObject({ state: "done", done: 1, skipped: 1 });
});

/** How many documents each statement read that read any, while `work` went on. */
async function documentsRead(work: () => Promise<void>): Promise<number[]> {
  const asked = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    const answers = asked.mock.results.map(({ value }): Promise<Partial<pg.QueryResult<object>> | undefined> => value);
    const counts = (await Promise.all(answers)).map((answer) => answer?.rows?.filter((row) => "document" in row).length ?? 0);
    return counts.filter((count) => count > 0);
  } finally {
    asked.mockRestore();
  }
}

test("a dry run and a batch read few documents at a time, however many there are", async () => {
  await putDead(60);
  const job = await create(newSku, { failureLimit: 100 });
  const counting = async () =>
    expect(await get<PatchCounts>(`/jobs/${job.id}/dry-run-count`)).toMatchObject({ changed: 60, isExact: true });
  expect(await documentsRead(counting)).toEqual([25, 25, 10]);
  await start(job);
  const sent: number[] = [];
  while ((await read(job)).state === "running") {
    sent.push(...(await documentsRead(workOnce)));
    await deliver();
  }
  expect(sent.reduce((sum, count) => sum + count)).toBe(60);
  expect(Math.max(...sent)).toBe(25);
});

test("a verdict that no message has is looked for in all of them", async () => {
  await putDead(60);
  const job = await create();
  const rare = await get<{ items: PatchedMessage[] }>(`/jobs/${job.id}/dry-run?verdict=unchanged`);
  expect(rare).toEqual({ items: [], nextCursor: null });
});

test("500 of one cause are repaired by one patch: a poisoned one stops it after five deliveries, and none is sent twice", async () => {
  const ids = await putDead(500);
  const poisoned = `${prefix}3`;
  const turn = async () => {
    await workOnce();
    await deliver((orderNumber) => orderNumber === poisoned);
  };
  const job = await create();
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/start`, { total: 500, confirmation: "acme" })).statusCode).toBe(400);
  await start(job);
  // One, and no second before that one is delivered.
  await workOnce();
  await workOnce();
  expect(await read(job)).toMatchObject({ inFlight: 1, done: 0, stage: { number: 1, sent: 1 } });
  await turn();
  await turn();
  await workOnce();
  expect(await read(job)).toMatchObject({ state: "stopped", isHalted: true, done: 5, failed: 1, stage: { number: 2, sent: 5, failed: 1 } });
  expect(deliveries).toHaveLength(5);
  await turn();
  expect(await countOf("dead")).toBe(495);

  await post(`/jobs/${job.id}/resume`);
  for (let turns = 0; (await read(job)).state === "running"; turns++) {
    expect(turns).toBeLessThan(40);
    await turn();
  }
  expect(await read(job)).toMatchObject({ state: "done", done: 499, failed: 1, skipped: 0, inFlight: 0 });
  expect(deliveries.toSorted()).toEqual(
    names(500)
      .filter((name) => name !== poisoned)
      .toSorted(),
  );
  expect(await itemsOf(job, "failed")).toMatchObject([{ key: poisoned, error: "no such SKU", successorId: expect.any(String) }]);

  const old = await get<{ state: string; successor: { id: string } }>(`/messages/${ids[0]}`);
  expect(old).toMatchObject({ state: "redirected", successor: { by: "Uli", reason: "renamed", isEdited: true } });
  expect(await get(`/messages/${old.successor.id}`)).toMatchObject({ state: "delivered", predecessor: { id: ids[0], reason: "renamed" } });
});

test("what moved on, does not change or would be invalid is left alone, and told with the reason", async () => {
  const [requeued = ""] = await putDead(2);
  await put([order(`${prefix}same`, "OTHER")]);
  await put([{ ...order(`${prefix}wrong`), note: 7 } as never]);
  await deliver();
  const job = await create(newSku, { failureLimit: 100 });
  await start(job);
  await post("/dead-letters/requeue", { ids: [requeued] });
  await workOnce();
  await deliver();
  await workOnce();
  expect(await read(job)).toMatchObject({ state: "done", done: 1, skipped: 2, failed: 1 });
  expect(await itemsOf(job, "skipped")).toMatchObject([
    { messageId: requeued, foundIn: "ready", isUnchanged: false },
    { key: `${prefix}same`, foundIn: null, isUnchanged: true },
  ]);
  expect(await itemsOf(job, "failed")).toMatchObject([
    {
      key: `${prefix}wrong`,
      error: expect.stringContaining("note"),
      faults: [{ path: "note", reason: "wrong-type", values: { expected: "string" } }],
      successorId: null,
    },
  ]);
});

test.each(["faults at the till", 'faults [{"path":"a","message":"b"}]', "unfit mapping colour"])(
  "what a target says of a copy stands as it said it, also where a job's own notes begin so: %s",
  async (message) => {
    await putDead(1);
    const job = await create();
    await start(job);
    await workOnce();
    await deliver(() => true, { ...failure, error: { ...failure.error, message } });
    await workOnce();
    expect(await itemsOf(job, "failed")).toMatchObject([{ error: message, faults: [], unfit: null }]);
  },
);

test("of two operators the second is told who replaced the message", async () => {
  const [id = ""] = await putDead(1);
  const job = await create();
  await start(job);
  await workOnce();
  const second = await post<{ ids: string[]; skipped: object[] }>("/dead-letters/requeue", { ids: [id] });
  expect(second).toMatchObject({ ids: [], skipped: [{ id, state: "redirected", lastAction: { verb: "replace", by: "Uli" } }] });
});

test("whenever its runners are killed, each message is replaced once and delivered once", async () => {
  const count = 70;
  await putDead(count);
  const job = await create();
  await start(job);
  for (let fatal = 1; (await read(job)).state === "running"; fatal = (fatal % 14) + 1) {
    await makeDue(owner);
    await runBatch(dyingPool(made.deps.pools.worker, owner, { fatal, isLate: fatal % 2 === 0 }), tenantId).catch(() => undefined);
    await makeDue(owner);
    await runBatch(made.deps.pools.worker, tenantId);
    await deliver();
  }
  expect(await read(job)).toMatchObject({ state: "done", done: count, skipped: 0, failed: 0 });
  expect(deliveries.toSorted()).toEqual(names(count).toSorted());
  const { rows } = await owner.query(
    "select from queue.history where outcome = 'redirected' and id in (select message_id from hub.job_item where job_id = $1)",
    [job.id],
  );
  expect(rows).toHaveLength(count);
});

test("a patch goes with its kind, names a path that is one, is no viewer's, and shows no viewer its values", async () => {
  const attempt = async (body: object, account: "user" | "viewer" = "user") =>
    (await made.call(account, "POST", `${base}/jobs`, { selection: { filter: {} }, ...body })).statusCode;
  expect(await attempt({ kind: "patch" })).toBe(400);
  expect(await attempt({ kind: "requeue", patch: newSku })).toBe(400);
  expect(await attempt({ kind: "patch", patch: { ...newSku, path: "lines" } })).toBe(400);
  expect(await attempt({ kind: "patch", patch: newSku }, "viewer")).toBe(403);
  await putDead(1);
  const job = await create();
  expect(await read(job)).toMatchObject({ patch: newSku });
  expect((await made.call("viewer", "GET", `${base}/jobs/${job.id}`)).json()).toMatchObject({ kind: "patch", patch: null });
  const requeue = await post<Job>("/jobs", { kind: "requeue", selection: { filter: { keyPrefix: prefix } } });
  expect((await made.call("user", "GET", `${base}/jobs/${requeue.id}/dry-run`)).statusCode).toBe(409);
});
