import type { Difference, Run, RunLine } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { startDelivery } from "../delivery/delivery.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { type Loops, startLoops } from "../loops.ts";
import { type RunWorkers, startRunWorkers } from "../run-workers.ts";
import { callTenant, type TenantCall, type TestApp, testApp } from "../testing/test-app.ts";

let made: TestApp;
let sandbox: Sandbox;
let owner: pg.Pool;
let delivery: { stop: () => Promise<void> };
let workers: RunWorkers;
let loops: Loops;
let tenant: TestTenant;
let code: string;
let tenants = 0;

beforeAll(async () => {
  sandbox = await startSandbox();
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${sandbox.port}` });
  owner = made.pool("owner", 1);
  delivery = await startDelivery(made.deps);
  workers = await startRunWorkers(made.deps);
  loops = startLoops(workers.chores, made.deps.logger);
});
afterAll(async () => {
  await loops.stop();
  await workers.stop();
  await delivery.stop();
  await sandbox.close();
  await made.close();
});
beforeEach(async () => {
  tenants += 1;
  code = `gone-${tenants}`;
  for (const system of [code, `${code}-shop`]) sandbox.reset(system);
  const credentials = { accessToken: "opensesame" };
  const magento = (system: string) => ({
    connector: "magento" as const,
    credentials,
    settings: { baseUrl: `${sandbox.url}/magento/${system}` },
  });
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    { ...magento(code), code: "store", sourceTypes: ["item", "order"] },
    { ...magento(code), code: "locked", sourceTypes: ["item"], credentials: { accessToken: "wrong" } },
    { connector: "wgr", code: "pim", sourceTypes: ["item"] },
    { ...magento(`${code}-shop`), code: "shop", targetTypes: ["item"] },
  ]);
});

const call = <Answer>(...asked: TenantCall): Promise<Answer> => callTenant(made, code, ...asked);
const pointId = (name: string): number => tenant.points[name]?.id ?? 0;

async function product(method: "PUT" | "DELETE" | "GET", sku: string, fields: object = {}, system = code): Promise<{ status: number }> {
  const answer = await fetch(`${sandbox.url}/magento/${system}/rest/default/V1/products/${sku}`, {
    method,
    headers: { authorization: "Bearer opensesame" },
    ...(method === "PUT" && {
      body: JSON.stringify({ product: { sku, name: sku, status: 1, updated_at: "2025-11-21 08:00:00", ...fields } }),
    }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { status: number };
}

async function ended(id: number): Promise<Run> {
  const run = (): Promise<Run> => call("GET", `runs/${id}`);
  await expect.poll(async () => (await run()).finishedAt, { timeout: 60_000 }).not.toBeNull();
  return run();
}

async function takeIn(...skus: string[]): Promise<void> {
  const documents = skus.map((sku) => ({ schemaVersion: 1, sku, name: sku, isActive: true, updatedAt: "2025-11-21T08:00:00Z" }));
  const point = (await workers.directory.of(tenant.tenantId)).points.get(pointId("store"));
  if (!point) throw new Error("no source");
  for (let at = 0; at < documents.length; at += 500)
    await inTenant(made.deps.pools.app, tenant.tenantId, (client) =>
      workers.intake.storeDocumentsIn(client, { point, entityType: "item", documents: documents.slice(at, at + 500) }),
    );
}

async function look(point = "store"): Promise<Run> {
  const run = await call<Run>("POST", "runs", { kind: "deletions", integrationPointId: pointId(point), entityType: "item" }, 201);
  return ended(run.id);
}

const found = async (id: number): Promise<Difference[]> =>
  (await call<{ items: Difference[] }>("GET", `runs/${id}/differences?limit=500`)).items;
const fix = async (id: number, body: object = {}): Promise<Run> => ended((await call<Run>("POST", `runs/${id}/fixes`, body, 201)).id);
const lines = async (id: number): Promise<string[]> =>
  (await call<{ items: RunLine[] }>("GET", `runs/${id}/lines`)).items.map(({ text }) => text);
async function deletedKeys(): Promise<string[]> {
  const sql = "select business_key as key from hub.entity where tenant_id = $1 and deleted_at is not null order by 1";
  return (await owner.query<{ key: string }>(sql, [tenant.tenantId])).rows.map(({ key }) => key);
}

test("an item that its source has no more is listed, and taken off sale when an operator says so", async () => {
  for (const sku of ["A-1", "A-2", "A-3", "A-4", "A-5"]) await product("PUT", sku);
  await takeIn("A-1", "A-2", "A-3", "A-4", "A-5");
  expect(await look()).toMatchObject({ state: "done", total: 5, done: 5, unchanged: 5, differing: 0 });

  await product("DELETE", "A-2");
  await product("DELETE", "A-4");
  const run = await look();
  expect(run).toMatchObject({ state: "done", total: 5, done: 5, unchanged: 3, differing: 2 });
  const gone = await found(run.id);
  expect(gone.map(({ key, kind }) => `${key} ${kind}`)).toEqual(["A-2 missing", "A-4 missing"]);
  expect(await deletedKeys()).toEqual([]);

  const shop = `${code}-shop`;
  await expect.poll(() => sandbox.stored(shop)["products"], { timeout: 60_000 }).toBe(5);
  expect(await fix(run.id, { ids: [gone[0]?.id] })).toMatchObject({
    kind: "deletions",
    state: "done",
    ofRun: run.id,
    done: 1,
    accepted: 1,
  });
  expect(await deletedKeys()).toEqual(["A-2"]);
  await expect.poll(async () => (await product("GET", "A-2", {}, shop)).status, { timeout: 60_000 }).toBe(2);
  expect((await product("GET", "A-4", {}, shop)).status).toBe(1);
  expect(await fix(run.id)).toMatchObject({ state: "done", total: 1, done: 1, accepted: 1, rejected: 0 });
  expect((await found(run.id)).every(({ fixedBy }) => fixedBy !== null)).toBe(true);
  expect(await deletedKeys()).toEqual(["A-2", "A-4"]);
  expect(await look()).toMatchObject({ state: "done", total: 3, differing: 0 });
});

test("nothing is handed on as deleted while the subtenant's intake is paused", async () => {
  for (const sku of ["A-1", "A-2", "A-3"]) await product("PUT", sku);
  await takeIn("A-1", "A-2", "A-3");
  await product("DELETE", "A-2");
  const run = await look();
  const setPaused = async (incomingPaused: boolean) => {
    await made.call("admin", "PATCH", `/api/v1/tenants/${code}/subtenants/shop/switches`, { incomingPaused });
    await workers.directory.fresh(tenant.tenantId);
  };
  await setPaused(true);
  const { id } = await call<Run>("POST", `runs/${run.id}/fixes`, {}, 201);
  const resting = "select from hub.run where tenant_id = $1 and id = $2 and rests_until is not null";
  await expect.poll(async () => (await owner.query(resting, [tenant.tenantId, id])).rowCount).toBe(1);
  expect(await deletedKeys()).toEqual([]);
  await setPaused(false);
  await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
  expect(await ended(id)).toMatchObject({ state: "done", accepted: 1 });
  expect(await deletedKeys()).toEqual(["A-2"]);
});

test("nothing is looked for, or handed on as deleted, from a point that is no source of items any more", async () => {
  for (const sku of ["A-1", "A-2", "A-3"]) await product("PUT", sku);
  await takeIn("A-1", "A-2", "A-3");
  await product("DELETE", "A-2");
  const { id } = await call<Run>(
    "POST",
    "schedules",
    { kind: "deletions", integrationPointId: pointId("store"), entityType: "item", everySeconds: 86_400 },
    201,
  );
  const newest = async (): Promise<number> => (await call<{ items: Run[] }>("GET", "runs")).items[0]?.id ?? 0;
  const scheduled = async (): Promise<Run> => {
    const before = await newest();
    await owner.query("update hub.schedule set next_at = clock_timestamp() where id = $1", [id]);
    await expect.poll(newest).toBeGreaterThan(before);
    return ended(await newest());
  };
  const run = await scheduled();
  expect(run).toMatchObject({ state: "done", differing: 1 });
  await call("PATCH", `integration-points/${pointId("store")}`, { sourceTypes: ["order"] });
  await workers.directory.fresh(tenant.tenantId);
  const refused = { state: "failed", done: 0, fault: "The integration point 'store' is no source of this entity type." };
  expect(await fix(run.id)).toMatchObject(refused);
  expect(await scheduled()).toMatchObject(refused);
  expect(await call("POST", `schedules/${id}/run`, undefined, 409)).toMatchObject({ reason: "point-no-source-of-type" });
  expect(await deletedKeys()).toEqual([]);
});

test("an empty or half a list, or one with an item that can't be read, marks nothing", async () => {
  await takeIn("A-1", "A-2", "A-3", "A-4");
  expect(await look()).toMatchObject({ state: "failed", fault: expect.stringContaining("lists 0 items, and 4 of the 4") });
  await product("PUT", "A-1");
  expect(await look()).toMatchObject({ state: "failed", fault: expect.stringContaining("lists 1 items, and 3 of the 4") });
  for (const sku of ["A-2", "A-3"]) await product("PUT", sku);
  await product("PUT", "A-9", { name: { not: "a text" } });
  const unfit = await look();
  expect(unfit).toMatchObject({ state: "failed", fault: expect.stringContaining("can't be read") });
  expect(await lines(unfit.id)).toContainEqual(expect.stringContaining("name"));
  expect(await look("locked")).toMatchObject({ state: "failed", fault: expect.stringContaining("could not be read") });
  expect(await found(unfit.id)).toEqual([]);
  await call("POST", `runs/${unfit.id}/fixes`, {}, 409);
  expect(await deletedKeys()).toEqual([]);
});

test("what the source has told of again since it was asked, or comes from another source, stays on sale", async () => {
  for (const sku of ["A-1", "A-2", "A-3", "A-4", "A-5", "A-6", "A-7"]) await product("PUT", sku);
  await takeIn("A-1", "A-2", "A-3", "A-4", "A-5", "A-6", "A-7");
  for (const sku of ["A-1", "A-2", "A-3"]) await product("DELETE", sku);
  const run = await look();
  expect(run).toMatchObject({ state: "done", differing: 3 });
  await takeIn("A-1");
  await owner.query("update hub.entity set integration_point_id = $2 where tenant_id = $1 and business_key = 'A-2'", [
    tenant.tenantId,
    pointId("pim"),
  ]);
  const fixed = await fix(run.id);
  expect(fixed).toMatchObject({ state: "done", done: 3, accepted: 1, rejected: 2 });
  expect(await lines(fixed.id)).toEqual(["A-1", "A-2"].map((key) => expect.stringContaining(`${key}: was told of again`)));
  expect(await deletedKeys()).toEqual(["A-3"]);
});

test("what a list left out as it was read is looked for once more, also by a worker that takes the run up", async () => {
  const skus = Array.from({ length: 103 }, (_, index) => `B-${String(index).padStart(3, "0")}`);
  for (const sku of skus) await product("PUT", sku);
  await takeIn(...skus);
  await product("DELETE", "B-102");
  await owner.query(
    `with run as (
       insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, started_at, lease_epoch, lease_until, cursor)
       values ($1, 'deletions', $2, $3, 'item', 'running', now(), 1, now() - interval '1 second', $4) returning *
     )
     insert into hub.run_object (tenant_id, run_id, side, business_key, fields)
     select tenant_id, id, 'source', key, '{}' from run, unnest($5::text[]) as key`,
    [
      tenant.tenantId,
      tenant.subtenantId,
      pointId("store"),
      JSON.stringify({ round: 1, at: JSON.stringify({ since: null, page: 2, newest: "2025-11-21 08:00:00" }) }),
      // A product of the first page went as it was read, and the first one of the second page took its place.
      skus.slice(0, 99),
    ],
  );
  const id = (await call<{ items: Run[] }>("GET", "runs")).items[0]?.id ?? 0;
  expect(await ended(id)).toMatchObject({ state: "done", total: 103, done: 103, unchanged: 102, differing: 1 });
  expect((await found(id)).map(({ key }) => key)).toEqual(["B-102"]);
  const { rows } = await owner.query("select from hub.run_object where tenant_id = $1", [tenant.tenantId]);
  expect(rows).toHaveLength(0);
});

async function leadElsewhere(): Promise<void> {
  const url = `/api/v1/tenants/${code}/integration-points/${pointId("store")}`;
  expect((await made.call("admin", "PATCH", url, { isAnotherSystem: true })).statusCode).toBe(200);
}

test("what one system has no more is no finding of another that the address leads to since", async () => {
  const skus = ["E-1", "E-2", "E-3"];
  for (const sku of skus.slice(1)) await product("PUT", sku);
  await takeIn(...skus);
  const run = await look();
  expect(run).toMatchObject({ state: "done", differing: 1 });
  await loops.stop();
  const { id } = await call<Run>("POST", "runs", { kind: "deletions", integrationPointId: pointId("store"), entityType: "item" }, 201);
  // A worker that took it up and is gone.
  await owner.query("update hub.run set system = 1 where tenant_id = $1 and id = $2", [tenant.tenantId, id]);
  await leadElsewhere();
  loops = startLoops(workers.chores, made.deps.logger);
  const fault = "the integration point's address leads to another system by now";
  expect(await ended(id)).toMatchObject({ state: "failed", fault, differing: 0 });
  expect(await fix(run.id)).toMatchObject({ state: "failed", fault, accepted: 0 });
  expect(await deletedKeys()).toEqual([]);
  expect(await look()).toMatchObject({ state: "done", differing: 1 });
});

test("it is for sources that can be asked for items, by a schedule too, one at a time", async () => {
  const what = { kind: "deletions", integrationPointId: pointId("store"), entityType: "item" };
  await call("POST", "runs", { ...what, entityType: "order" }, 409);
  await call("POST", "runs", { ...what, integrationPointId: pointId("shop") }, 409);
  await call("POST", "runs", { ...what, integrationPointId: pointId("pim") }, 409);
  const schedule = await call<{ id: number }>("POST", "schedules", { ...what, cron: "0 3 * * *" }, 201);
  sandbox.control(code, { mode: "hang" });
  const open = await call<Run>("POST", `schedules/${schedule.id}/run`);
  await call("POST", "runs", what, 409);
  await call("POST", `runs/${open.id}/fixes`, {}, 409);
  await call("POST", `runs/${open.id}/cancel`);
  sandbox.control(code, {});
  expect(await ended(open.id)).toMatchObject({ state: "cancelled" });
});
