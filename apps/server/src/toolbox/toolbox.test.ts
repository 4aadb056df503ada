import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ToolboxResult, ToolboxRun } from "@crossdock/contract";
import { claim, publish, remove, replaceMessage, settle } from "@crossdock/queue";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { startDelivery } from "../delivery/delivery.ts";
import { createDirectory } from "../intake/directory.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { claimRun, finishRun } from "../runs/runs.ts";
import { fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { runRebuild } from "./run-rebuild.ts";

let made: TestApp;
let owner: pg.Pool;
let target: Server;
let url: string;
let tenant: TestTenant;
let queues: FilledQueues;

beforeAll(async () => {
  // Takes what comes and names it by what was sent.
  target = createServer((request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    request.resume().on("end", () => response.setHeader("content-type", "application/json").end(JSON.stringify({ id: `X-${name}` })));
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${port}` });
  owner = made.pool("owner", 1);
  const settings = { url, auth: "bearer", deliver: { item: { path: "/items/{key}", externalIdPath: "id" } } };
  tenant = await makeTenant(made.deps, made.ownerUrl, "bench", [
    { code: "erp", connector: "magento", sourceTypes: ["item"] },
    {
      code: "store",
      connector: "magento",
      targetTypes: ["stock"],
      settings: { baseUrl: url },
      credentials: { accessToken: "t" },
    },
    { code: "shop", connector: "wgr", targetTypes: ["item"], settings, credentials: { token: "bench-canary" } },
  ]);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
  queues = await fillQueues(made, "acme");
});
afterAll(async () => {
  await made.close();
  await new Promise((resolve) => target.close(resolve));
});

async function run<Kind extends ToolboxResult["kind"]>(
  _kind: Kind,
  body: object,
  code = "bench",
): Promise<Extract<ToolboxResult, { kind: Kind }>> {
  const answer = await made.call("user", "POST", `/api/v1/tenants/${code}/toolbox-runs`, body);
  expect({ body: answer.body, status: answer.statusCode }).toMatchObject({ status: 201 });
  return answer.json<{ result: Extract<ToolboxResult, { kind: Kind }> }>().result;
}

async function refused(body: object, code = "bench"): Promise<[number, string]> {
  const answer = await made.call("user", "POST", `/api/v1/tenants/${code}/toolbox-runs`, body);
  return [answer.statusCode, answer.json<{ code: string }>().code];
}

const history = async (code = "bench", query = ""): Promise<ToolboxRun[]> =>
  (await made.call("viewer", "GET", `/api/v1/tenants/${code}/toolbox-runs?${query}`)).json<{ items: ToolboxRun[] }>().items;

const pointId = (code: string): number => tenant.points[code]?.id ?? 0;
const item = (sku: string, name = "Lamp") => JSON.stringify({ schemaVersion: 1, sku, name });
const handIn = (operation: string, payload: string, more: object = {}) =>
  run("handed-in", { operation, integrationPointId: pointId("erp"), entityType: "item", payload, ...more });

test("the next message is looked at without being taken, then leased to one person only", async () => {
  const look = { operation: "fetch-next", queueId: queues.itemQueueId };
  const seen = await run("message", look, "acme");
  expect(seen).toMatchObject({ message: { id: queues.readyId, key: "a-1", entityType: "item" }, lease: null });
  const taken = await run("message", { ...look, isDryRun: false, leaseSeconds: 60 }, "acme");
  expect(taken).toMatchObject({ message: { id: queues.readyId }, lease: { token: expect.any(String) } });
  expect(await run("message", { ...look, isDryRun: false }, "acme")).toEqual({ kind: "message", message: null, lease: null });
  const ack = await made.call("user", "POST", `/centra/v1/items/${queues.readyId}/ack?tenant=acme&subtenant=shop`, {
    leaseToken: taken.lease?.token,
  });
  expect(ack.statusCode).toBe(204);
  expect(JSON.stringify(await history("acme"))).not.toContain(taken.lease?.token);
});

test("a message of a pull queue is leased again, and a dry run only says so", async () => {
  const body = { operation: "resend", messageId: queues.deadId };
  expect(await run("resent", body, "acme")).toMatchObject({ way: "leased", state: "dead", lease: null });
  expect(await run("resent", { ...body, isDryRun: false }, "acme")).toMatchObject({
    way: "leased",
    message: { id: queues.deadId, key: "o-1" },
    lease: { token: expect.any(String) },
  });
  expect(await refused({ ...body, messageId: "207990000000001" }, "acme")).toEqual([404, "not-found"]);
});

test("a message of a pull queue is shown as a worker would be handed it, and one that lacks a mapping is not taken", async () => {
  const mapped = await makeTenant(made.deps, made.ownerUrl, "mapped", [
    { code: "shop", connector: "sitoo", targetTypes: ["order"], deliveryMode: "pull" },
  ]);
  const { tenantId, subtenantId } = mapped;
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2)", [tenantId]);
  await owner.query(
    `insert into hub.mapping (tenant_id, field_name, source, source_value, target, target_value) values ($1, 'currency', '*', 'SEK', 'sitoo', 'EUR')`,
    [tenantId],
  );
  const { rows } = await owner.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId]);
  const queueId = rows[0]?.id ?? 0;
  const order = { tenantId, queueId, subtenantId, entityType: "order" };
  const [nextId, badId, otherId] = await inTenant(made.deps.pools.app, tenantId, (client) =>
    publish(client, [
      { ...order, key: "1", document: '{"orderNumber":"1","currency":"SEK"}' },
      { ...order, key: "2", document: '{"orderNumber":"2","currency":"NOK"}' },
      { ...order, key: "3", document: '{"orderNumber":"3","currency":"SEK"}' },
    ]),
  );
  const inWords = { id: nextId, document: '{"orderNumber":"1","currency":"EUR"}' };
  const next = { operation: "fetch-next", queueId };
  expect(await run("message", next, "mapped")).toMatchObject({ message: inWords, lease: null });
  expect(await run("message", { ...next, isDryRun: false }, "mapped")).toMatchObject({ message: inWords });
  expect(await run("resent", { operation: "resend", messageId: otherId, isDryRun: false }, "mapped")).toMatchObject({
    message: { id: otherId, document: '{"orderNumber":"3","currency":"EUR"}' },
  });
  for (const isDryRun of [true, false])
    for (const body of [next, { operation: "resend", messageId: badId }]) {
      const answer = await made.call("user", "POST", "/api/v1/tenants/mapped/toolbox-runs", { ...body, isDryRun });
      const values = { messageId: badId, fault: "mapping missing: currency 'NOK'" };
      expect(answer.json()).toMatchObject({ status: 409, reason: "message-unmapped", values });
    }
  const leased = await owner.query("select message_id::text as id from queue.lease where tenant_id = $1 order by message_id", [tenantId]);
  expect(leased.rows).toEqual([{ id: nextId }, { id: otherId }]);
});

test("a message whose place an edited copy took is not sent again: the copy is", async () => {
  const messageId = queues.retryingId;
  const edit = { tenantId: 1001, messageId, document: '{"orderNumber":"o-2","change":1}' };
  const answer = await inTenant(made.deps.pools.app, 1001, (client) => replaceMessage(client, edit));
  const successorId = answer.outcome === "replaced" ? answer.successorId : "";
  for (const isDryRun of [true, false])
    expect(await refused({ operation: "resend", messageId, isDryRun }, "acme")).toEqual([409, "conflict"]);
  expect(await run("resent", { operation: "resend", messageId: successorId, isDryRun: false }, "acme")).toMatchObject({
    way: "leased",
    message: { id: successorId },
  });
});

/** A tenant with two states of one order, and who delivers the next that waits. */
async function twoStates(code: string, versions: (number | null)[]) {
  const { tenantId, subtenantId } = await makeTenant(made.deps, made.ownerUrl, code, [
    { code: "shop", connector: "sitoo", targetTypes: ["order"], deliveryMode: "pull" },
  ]);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2)", [tenantId]);
  const { rows } = await owner.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId]);
  const queueId = rows[0]?.id ?? 0;
  const { app } = made.deps.pools;
  const orders = versions.map((entityVersion) => ({
    tenantId,
    queueId,
    subtenantId,
    entityType: "order",
    key: "1",
    document: "{}",
    entityVersion,
  }));
  const [first = "", second = ""] = await inTenant(app, tenantId, (client) => publish(client, orders));
  const deliverNext = () =>
    inTenant(app, tenantId, async (client) => {
      const [lease] = await claim(client, { tenantId, queueId, max: 1, leaseSeconds: 60 });
      await settle(client, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
    });
  return { tenantId, first, second, deliverNext };
}

const resendIn = async (code: string, messageId: string, isDryRun = false): Promise<object> =>
  (await made.call("user", "POST", `/api/v1/tenants/${code}/toolbox-runs`, { operation: "resend", messageId, isDryRun })).json();

test("a delivered order is not sent again behind a later state of it, whether that waits or was delivered, which itself is", async () => {
  const { tenantId, first, second, deliverNext } = await twoStates("later", [1, 2]);
  await deliverNext();
  await owner.query("update queue.queue set delivery = 'push' where tenant_id = $1", [tenantId]);
  const outdated = { status: 409, reason: "message-outdated", values: { messageId: second } };
  expect(await resendIn("later", first)).toMatchObject(outdated);
  await owner.query("update queue.queue set delivery = 'pull' where tenant_id = $1", [tenantId]);
  await deliverNext();
  expect(await resendIn("later", first)).toMatchObject(outdated);
  await owner.query("update queue.queue set delivery = 'push' where tenant_id = $1", [tenantId]);
  expect(await resendIn("later", first)).toMatchObject(outdated);
  expect(await resendIn("later", second)).toMatchObject({ result: { way: "copied" } });
  // Its copy is no later state.
  expect(await resendIn("later", second)).toMatchObject({ result: { way: "copied" } });
});

test("a delivered order is not sent again over a later state of it, however many came between", async () => {
  const { first, deliverNext } = await twoStates("far-later", [1, ...Array.from({ length: 12 }, () => null), 2]);
  for (let delivered = 0; delivered < 14; delivered++) await deliverNext();
  expect(await resendIn("far-later", first)).toMatchObject({ status: 409, reason: "message-outdated" });
});

test("a removed order is not sent again over a later one that was delivered", async () => {
  const { tenantId, first: messageId, deliverNext } = await twoStates("passed", [null, null]);
  await inTenant(made.deps.pools.app, tenantId, (client) => remove(client, { tenantId, messageIds: [messageId] }));
  await deliverNext();
  await owner.query("update queue.queue set delivery = 'push' where tenant_id = $1", [tenantId]);
  expect(await resendIn("passed", messageId, true)).toMatchObject({ status: 409, reason: "message-superseded" });
  expect(await resendIn("passed", messageId)).toMatchObject({ status: 409, reason: "message-superseded" });
});

const counted = () => owner.query("select (select count(*) from hub.external_message) + (select count(*) from queue.message) as count");

test("a payload is read as intake would read it, told where it would go, and leaves nothing behind", async () => {
  const before = (await counted()).rows;
  const good = await handIn("validate", item("T-1"));
  expect(good).toMatchObject({ state: "accepted", documents: [{ key: "T-1", targets: [{ name: "shop", error: null }] }] });
  expect(good.documents[0]?.targets[0]?.request).toMatchObject({ url: `${url}/items/T-1` });
  expect(await handIn("publish-test", item("T-1"))).toMatchObject({ state: "accepted", messageIds: [] });
  expect(await handIn("validate", '{"schemaVersion":1}')).toMatchObject({
    state: "rejected",
    reasons: [{ path: "sku" }, { path: "name" }],
  });
  expect(await handIn("validate", "{")).toMatchObject({ state: "rejected", reasons: [{ path: "" }] });
  expect((await counted()).rows).toEqual(before);
  expect(await refused({ operation: "validate", integrationPointId: pointId("shop"), entityType: "item", payload: "{}" })).toEqual([
    409,
    "conflict",
  ]);
  const stock = { operation: "validate", integrationPointId: pointId("erp"), entityType: "stock", payload: '{"sku":"T-1","quantity":"1"}' };
  expect(await refused(stock)).toEqual([409, "conflict"]);
});

test("a test message goes the whole way, is copied when it is sent again, and older data never overwrite newer", async () => {
  const delivery = await startDelivery(made.deps);
  const deliveredCount = async () =>
    (await made.call("user", "GET", "/api/v1/tenants/bench/message-count?state=delivered")).json<{ count: number }>().count;
  const patience = { timeout: 60_000 };
  const first = await handIn("publish-test", item("P-1"), { isDryRun: false });
  expect(first).toMatchObject({ state: "accepted", messageIds: [expect.any(String)] });
  await expect.poll(deliveredCount, patience).toBe(1);
  const messageId = first.messageIds[0];
  expect(await run("resent", { operation: "resend", messageId })).toMatchObject({ way: "copied", state: "delivered" });
  const copy = await run("resent", { operation: "resend", messageId, isDryRun: false });
  await expect.poll(deliveredCount, patience).toBe(2);
  expect(copy.messageId).not.toBe(messageId);
  expect(await refused({ operation: "resend", messageId, isDryRun: false })).toEqual([409, "conflict"]);
  for (const sku of ["P-2", "P-3"]) await handIn("publish-test", item(sku), { isDryRun: false });
  await expect.poll(deliveredCount, patience).toBe(4);
  await delivery.stop();
});

async function startRebuild(isDryRun: boolean): Promise<number> {
  const request = { operation: "rebuild-external-items", integrationPointId: pointId("shop"), entityType: "item", isDryRun };
  return (await run("run", request)).runId;
}

async function workOn(runId: number, before: () => Promise<unknown> = () => Promise.resolve()): Promise<ToolboxRun["run"]> {
  const directory = createDirectory(made.deps.pools.app, made.deps);
  const claimed = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (claimed?.id !== runId) throw new Error("another run was claimed");
  await before();
  const { state, fault } = await runRebuild({ pools: made.deps.pools, directory }, claimed, new AbortController().signal);
  await finishRun(made.deps.pools.worker, claimed, state, fault);
  await directory.close();
  return (await history())[0]?.run ?? null;
}

const rebuild = async (isDryRun: boolean) => workOn(await startRebuild(isDryRun));

test("external items that were lost are rebuilt from what was removed and from what targets answered, the others stay", async () => {
  const items = async () =>
    (
      await owner.query(
        'select business_key as key, external_id as "externalId", message_id is not null as "isTold" from hub.external_item where tenant_id = $1 order by 1',
        [tenant.tenantId],
      )
    ).rows;
  const whole = [
    { key: "P-1", externalId: "X-P-1", isTold: true },
    { key: "P-2", externalId: "X-P-2", isTold: true },
    { key: "P-3", externalId: "X-P-3", isTold: true },
  ];
  expect(await items()).toEqual(whole);
  const removal = { items: [{ integrationPointId: pointId("shop"), entityType: "item", key: "P-1" }] };
  await made.call("user", "POST", "/api/v1/tenants/bench/external-items/remove", removal);
  await owner.query("delete from hub.external_item where tenant_id = $1 and business_key = 'P-2'", [tenant.tenantId]);
  expect(await rebuild(true)).toMatchObject({ state: "done", done: 3, accepted: 2, unchanged: 1, rejected: 0 });
  expect(await items()).toHaveLength(1);
  expect(await rebuild(false)).toMatchObject({ state: "done", done: 3, accepted: 2, unchanged: 1, rejected: 0 });
  expect(await items()).toEqual(whole);
  expect(await rebuild(false)).toMatchObject({ done: 3, accepted: 0, unchanged: 3 });
  expect(await refused({ operation: "rebuild-external-items", integrationPointId: pointId("erp"), entityType: "item" })).toEqual([
    409,
    "conflict",
  ]);
});

test("an answer that names an object in a way that can't be stored is rebuilt without the name, as it was delivered", async () => {
  await owner.query("update queue.attempt set exchange = replace(exchange, 'X-P-2', $2) where tenant_id = $1", [
    tenant.tenantId,
    String.raw`X\\u0000`,
  ]);
  const rebuilt = `
    delete from hub.external_item where tenant_id = $1 and business_key = 'P-2'
    returning external_id as "externalId", message_id is not null as "isTold"`;
  await owner.query(rebuilt, [tenant.tenantId]);
  expect(await rebuild(false)).toMatchObject({ state: "done", accepted: 1, unchanged: 2 });
  expect((await owner.query(rebuilt, [tenant.tenantId])).rows).toEqual([{ externalId: null, isTold: true }]);
});

test("a rebuild is put aside after the objects in hand, and goes on behind them", async () => {
  const more = `
    insert into hub.entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, integration_point_id)
    select tenant_id, subtenant_id, entity_type, 'more ' || n, is_development, version, hash, integration_point_id
    from hub.entity cross join generate_series(1, 300) n where tenant_id = $1 and business_key = 'P-1' and entity_type = 'item'`;
  await owner.query(more, [tenant.tenantId]);
  const runId = await startRebuild(true);
  const ask = (verb: string) => made.call("user", "POST", `/api/v1/tenants/bench/runs/${runId}/${verb}`);
  expect(await workOn(runId, () => ask("pause"))).toMatchObject({ state: "paused", done: 200 });
  await ask("resume");
  expect(await workOn(runId)).toMatchObject({ state: "done", done: 303 });
  await owner.query("delete from hub.entity where tenant_id = $1 and business_key like 'more %'", [tenant.tenantId]);
});

test("a rebuild names no object of another system by what the former one called it", async () => {
  await rebuild(false);
  const removal = { items: [{ integrationPointId: pointId("shop"), entityType: "item", key: "P-1" }] };
  await made.call("user", "POST", "/api/v1/tenants/bench/external-items/remove", removal);
  const settings = { url: `${url}/other`, auth: "bearer", deliver: { item: { path: "/items/{key}", externalIdPath: "id" } } };
  const change = { settings, credentials: { token: "bench-canary" }, isAnotherSystem: true };
  const changed = await made.call("admin", "PATCH", `/api/v1/tenants/bench/integration-points/${pointId("shop")}`, change);
  expect(changed.statusCode).toBe(200);
  expect(await rebuild(false)).toMatchObject({ state: "done", done: 3, accepted: 0, rejected: 3 });
});

test("nor does one that comes by while the address is just being turned to another system", async () => {
  const items = "/api/v1/tenants/bench/external-items";
  const csv = "integrationPoint,entityType,key,externalId\nshop,item,P-1,former";
  expect((await made.call("user", "POST", `${items}/import`, { csv, isDryRun: false })).json()).toMatchObject({ created: 1 });
  await made.call("user", "POST", `${items}/remove`, { items: [{ integrationPointId: pointId("shop"), entityType: "item", key: "P-1" }] });
  const runId = await startRebuild(false);
  const holder = await made.pool("owner", 1).connect();
  await holder.query("begin; lock table hub.audit_event in share mode");
  const path = `/api/v1/tenants/bench/integration-points/${pointId("shop")}`;
  const turning = made.call("admin", "PATCH", path, { isAnotherSystem: true });
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  let isOver = false;
  const rebuilding = workOn(runId).finally(() => (isOver = true));
  await expect.poll(async () => isOver || (await waitingForLocks(owner)) === 2).toBe(true);
  await holder.query("commit");
  holder.release();
  expect((await turning).statusCode).toBe(200);
  expect(await rebuilding).toMatchObject({ state: "done", accepted: 0 });
  expect((await made.call("user", "GET", items)).json()).toMatchObject({ items: [] });
});

test("a connection is tested with what is stored, and its secrets are in neither answer nor history", async () => {
  const result = await run("connection", { operation: "test-connection", integrationPointId: pointId("shop") });
  expect(result.test.result).toEqual(expect.any(String));
  expect(JSON.stringify([result, await history()])).not.toContain("bench-canary");
});

test("a reconciliation that was started here stands in the history with its run", async () => {
  const body = { kind: "reconciliation", integrationPointId: pointId("store"), entityType: "stock", isFromToolbox: true };
  const answer = await made.call("user", "POST", "/api/v1/tenants/bench/runs", body);
  expect({ body: answer.body, status: answer.statusCode }).toMatchObject({ status: 201 });
  const [newest] = await history();
  expect(newest).toMatchObject({ operation: "reconcile", parameters: { entityType: "stock" }, run: { state: "waiting", differing: 0 } });
});

test("the history tells operation, parameters, person and result, newest first, of jobs and resyncs too", async () => {
  const secret = JSON.stringify({ schemaVersion: 1, sku: "H-1", name: "Lamp", password: "history-canary", email: "ada@example.com" });
  await handIn("validate", secret);
  const queue = await owner.query<{ id: number }>("select id from queue.queue where target_id = $1", [pointId("shop")]);
  const searched = { search: "ada@example.com", payload: '$.customer.email = "ada@example.com"' };
  await made.call("user", "POST", "/api/v1/tenants/bench/jobs", {
    kind: "remove",
    selection: { filter: { queueId: [queue.rows[0]?.id], state: ["ready"], keyPrefix: "none", ...searched } },
    isFromToolbox: true,
  });
  const resync = { subtenant: "shop", entityType: "item", key: "P-1", isFromToolbox: true };
  expect((await made.call("user", "POST", "/api/v1/tenants/bench/entity-resyncs", resync)).statusCode).toBe(201);
  const [newest, job, validated] = await history();
  expect(newest).toMatchObject({ operation: "resync", parameters: { key: "P-1" }, startedBy: "Uli", result: { version: 1 } });
  expect(job).toMatchObject({
    operation: "purge",
    job: { state: "ready", total: 0 },
    parameters: { keyPrefix: "none", search: "•••", payload: "•••" },
  });
  expect(validated).toMatchObject({ operation: "validate", result: { documents: expect.any(Number) } });
  expect(JSON.stringify([job, validated])).not.toMatch(/history-canary|ada@example/);
  expect((await history("bench", "operation=resync")).map(({ operation }) => operation)).toEqual(["resync"]);
  expect(
    (await made.call("viewer", "POST", "/api/v1/tenants/bench/toolbox-runs", { operation: "fetch-next", queueId: 1 })).statusCode,
  ).toBe(403);
  expect(await history("acme", "operation=resync")).toEqual([]);
});
