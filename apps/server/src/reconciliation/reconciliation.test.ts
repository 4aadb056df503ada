import type { Difference, Run, RunLine } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { startDelivery } from "../delivery/delivery.ts";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { type RunWorkers, startRunWorkers } from "../run-workers.ts";
import { type Loops, startLoops } from "../loops.ts";
import { callTenant, type TenantCall, type TestApp, testApp } from "../testing/test-app.ts";

let made: TestApp;
let sandbox: Sandbox;
let owner: pg.Pool;
let directory: Directory;
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
  directory = createDirectory(made.deps.pools.app, made.deps);
  await directory.ready;
  delivery = await startDelivery(made.deps);
  workers = await startRunWorkers(made.deps);
  loops = startLoops(workers.chores, made.deps.logger);
});
afterAll(async () => {
  await loops.stop();
  await workers.stop();
  await delivery.stop();
  await directory.close();
  await sandbox.close();
  await made.close();
});
beforeEach(async () => {
  tenants += 1;
  code = `compared-${tenants}`;
  sandbox.reset(code);
  const settings = { baseUrl: `${sandbox.url}/magento/${code}` };
  const credentials = { accessToken: "opensesame" };
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    { connector: "wgr", code: "pim", sourceTypes: ["item", "stock"] },
    { connector: "magento", code: "store", targetTypes: ["item", "stock", "order"], settings, credentials },
    { connector: "magento", code: "locked", targetTypes: ["item"], settings, credentials: { accessToken: "wrong" } },
    { connector: "centra", code: "mute", targetTypes: ["item"], settings: { url: `${sandbox.url}/generic/${code}` } },
    {
      connector: "centra",
      code: "pageless",
      targetTypes: ["item"],
      settings: {
        url: `${sandbox.url}/magento/${code}/rest/default/V1`,
        headers: { authorization: "Bearer opensesame" },
        list: { item: { path: "products?searchCriteria[pageSize]=2", pageParameter: "page", expression: 'items.{"sku": sku}' } },
      },
    },
    {
      connector: "magento",
      code: "other",
      sourceTypes: ["item", "order"],
      settings: { baseUrl: `${sandbox.url}/magento/${code}-source` },
      credentials,
    },
  ]);
  sandbox.reset(`${code}-source`);
});

const call = <Answer>(...asked: TenantCall): Promise<Answer> => callTenant(made, code, ...asked);

const sku = (number: number): string => `A-${String(number).padStart(4, "0")}`;
const itemOf = (number: number) => ({ schemaVersion: 1, sku: sku(number), name: `Boots ${number}`, isActive: true });

async function takeIn(documents: object[]): Promise<void> {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["pim"]?.id ?? 0);
  if (!point) throw new Error("no source");
  const intake = createIntake({ pool: made.deps.pools.app, directory, logger: made.deps.logger });
  await inTenant(made.deps.pools.app, tenant.tenantId, (client) =>
    intake.storeDocumentsIn(client, { point, entityType: "item", documents }),
  );
}

async function atStore(method: "PUT" | "DELETE", number: number, fields: object = {}, system = code): Promise<void> {
  const answer = await fetch(`${sandbox.url}/magento/${system}/rest/default/V1/products/${sku(number)}`, {
    method,
    headers: { authorization: "Bearer opensesame" },
    body: method === "PUT" ? JSON.stringify({ product: { sku: sku(number), ...fields } }) : null,
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

const stored = (): number => sandbox.stored(code)["products"] ?? 0;
const getRun = (id: number): Promise<Run> => call("GET", `runs/${id}`);
async function ended(id: number): Promise<Run> {
  await expect.poll(async () => (await getRun(id)).finishedAt, { timeout: 60_000 }).not.toBeNull();
  return getRun(id);
}

const pointId = (name: string): number => tenant.points[name]?.id ?? 0;
async function reconciled(body: object = {}): Promise<Run> {
  const what = { kind: "reconciliation", integrationPointId: pointId("store"), entityType: "item", ...body };
  return ended((await call<Run>("POST", "runs", what, 201)).id);
}

type Differences = { items: Difference[]; nextCursor: string | null; counts: Record<string, number> };
const differences = (id: number, query = ""): Promise<Differences> => call("GET", `runs/${id}/differences?limit=500${query}`);

test("exactly the planted differences are listed, with both values; fixing them leaves none", async () => {
  const count = 620;
  await takeIn(Array.from({ length: count }, (_, index) => itemOf(index + 1)));
  await expect.poll(stored, { timeout: 60_000 }).toBe(count);
  expect(await reconciled()).toMatchObject({ state: "done", total: count, done: count, accepted: count, unchanged: count, differing: 0 });

  await atStore("PUT", 3, { name: "Changed by hand" });
  await atStore("PUT", 7, { status: 2, name: "Boots 7" });
  await atStore("DELETE", 11);
  await atStore("PUT", 9_001, { name: "Made by hand" });
  const run = await reconciled();
  expect(run).toMatchObject({ state: "done", done: count, unchanged: count - 3, differing: 4 });
  const found = await differences(run.id);
  expect(found.counts).toEqual({ missing: 1, extra: 1, differing: 2, sent: 0 });
  expect(found.items.map(({ key, kind, fields }) => ({ key, kind, fields: kind === "differing" ? fields : [] }))).toEqual([
    { key: sku(3), kind: "differing", fields: [{ path: "name", source: "Boots 3", target: "Changed by hand" }] },
    { key: sku(7), kind: "differing", fields: [{ path: "isActive", source: "true", target: "false" }] },
    { key: sku(11), kind: "missing", fields: [] },
    { key: sku(9_001), kind: "extra", fields: [] },
  ]);
  expect((await differences(run.id, "&kind=missing")).items.map(({ key }) => key)).toEqual([sku(11)]);
  expect((await differences(run.id, `&key=${sku(3)}&key=${sku(7)}&key=A-`)).items).toHaveLength(2);
  expect((await differences(run.id, "&keyPrefix=A-000")).items).toHaveLength(2);

  const first = found.items[0]?.id;
  const fixOne = await ended((await call<Run>("POST", `runs/${run.id}/fixes`, { ids: [first] }, 201)).id);
  expect(fixOne).toMatchObject({ kind: "resync", state: "done", ofRun: run.id, done: 1, accepted: 1 });
  expect((await differences(run.id, "&isSent=true")).items).toMatchObject([{ key: sku(3), fixedBy: fixOne.id }]);
  const fixAll = await ended((await call<Run>("POST", `runs/${run.id}/fixes`, {}, 201)).id);
  expect(fixAll).toMatchObject({ state: "done", total: 2, done: 2, accepted: 2 });
  await expect.poll(async () => (await reconciled()).differing, { timeout: 60_000 }).toBe(1);
  const onlyExtra = (await call<{ items: Run[] }>("GET", "runs?limit=1")).items[0];
  expect((await differences(onlyExtra?.id ?? 0)).items.map(({ kind }) => kind)).toEqual(["extra"]);
  await call("POST", `runs/${onlyExtra?.id}/fixes`, {}, 409);
});

test("what was delivered since the target was asked keeps its external item, and what was sent is left out of all", async () => {
  await takeIn([1, 2, 3].map(itemOf));
  await expect.poll(stored, { timeout: 60_000 }).toBe(3);
  for (const number of [2, 3]) await atStore("DELETE", number);
  const run = await reconciled();
  expect(run).toMatchObject({ state: "done", differing: 2 });
  const [first] = (await differences(run.id)).items;
  const fix = async (body: object) => ended((await call<Run>("POST", `runs/${run.id}/fixes`, body, 201)).id);
  const count = async (table: string) =>
    (
      await owner.query(`select from hub.${table} where tenant_id = $1 and integration_point_id = $2 and business_key = $3`, [
        tenant.tenantId,
        pointId("store"),
        first?.key,
      ])
    ).rowCount;
  await fix({ ids: [first?.id] });
  await expect.poll(() => count("external_item"), { timeout: 60_000 }).toBe(1);
  expect(await fix({ ids: [first?.id] })).toMatchObject({ accepted: 1 });
  expect([await count("external_item"), await count("external_item_removed")]).toEqual([1, 1]);
  expect(await fix({})).toMatchObject({ total: 1, accepted: 1 });
  await call("POST", `runs/${run.id}/fixes`, {}, 409);
});

test("all differences are listed and sent, page by page, also where their numbers get another digit", async () => {
  const count = 120;
  await takeIn(Array.from({ length: count }, (_, index) => itemOf(index + 1)));
  await expect.poll(stored, { timeout: 60_000 }).toBe(count);
  sandbox.reset(code);
  await owner.query("select setval(pg_get_serial_sequence('hub.run_difference', 'id'), 99940)");
  const run = await reconciled();
  const listed: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Differences = await call("GET", `runs/${run.id}/differences?limit=50${cursor && `&cursor=${cursor}`}`);
    listed.push(...page.items.map(({ key }) => key));
    cursor = page.nextCursor;
  }
  expect(listed).toEqual(Array.from({ length: count }, (_, index) => sku(index + 1)));
  expect(await ended((await call<Run>("POST", `runs/${run.id}/fixes`, {}, 201)).id)).toMatchObject({ done: count, accepted: count });
});

test("what the source system answers is compared where it is asked, and nothing of it is taken in", async () => {
  for (const number of [1, 2, 3])
    await atStore("PUT", number, { name: `Boots ${number}`, updated_at: "2025-11-21 08:00:00" }, `${code}-source`);
  await atStore("PUT", 1, { name: "Boots 1" });
  await atStore("PUT", 2, { name: "Old boots" });
  const run = await reconciled({ sourceIntegrationPointId: pointId("other") });
  expect(run).toMatchObject({ state: "done", done: 3, differing: 2, unchanged: 1 });
  expect((await differences(run.id)).items.map(({ key, kind }) => `${key} ${kind}`)).toEqual([`${sku(2)} differing`, `${sku(3)} missing`]);
  const { rows } = await owner.query("select from hub.entity where tenant_id = $1", [tenant.tenantId]);
  expect(rows).toHaveLength(0);
});

test("an order that the source cancelled need not be at a target that never had it, whoever is asked for it", async () => {
  const line = { sku: "A-1", qty_ordered: 1, price: 10, row_total: 10 };
  const order = { created_at: "2025-11-21 08:00:00", order_currency_code: "EUR", grand_total: 10, items: [line] };
  const url = `${sandbox.url}/magento/${code}-source/rest/default/V1/orders`;
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${url}${path}`, { method: "POST", headers: { authorization: "Bearer opensesame" }, body: JSON.stringify(body) });
  for (const [number, state] of Object.entries({ "100": "new", "101": "canceled" }))
    expect((await post("", { entity: { ...order, state, ext_order_id: number } })).status).toBe(200);
  const run = await reconciled({ entityType: "order", sourceIntegrationPointId: pointId("other") });
  expect((await differences(run.id)).items.map(({ key, kind }) => `${key} ${kind}`)).toEqual(["100 missing"]);
  expect(run).toMatchObject({ state: "done", done: 2, differing: 1, unchanged: 1, rejected: 0 });
});

test("a run that lost its worker between two pages goes on there and finds the same", async () => {
  await takeIn([1, 2, 3].map(itemOf));
  await expect.poll(stored, { timeout: 60_000 }).toBe(3);
  await atStore("PUT", 2, { name: "Changed" });
  await owner.query(
    `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, started_at, lease_epoch, lease_until, cursor, accepted)
     values ($1, 'reconciliation', $2, $3, 'item', 'running', now(), 1, now() - interval '1 second', '{"phase":"compare","at":"A-0001"}', 3)`,
    [tenant.tenantId, tenant.subtenantId, pointId("store")],
  );
  await owner.query(
    `insert into hub.run_object (tenant_id, run_id, side, business_key, fields)
     select tenant_id, id, 'target', key, jsonb_build_object('name', name) from hub.run,
       (values ('A-0002', 'Changed'), ('A-0003', 'Boots 3')) as shown (key, name) where tenant_id = $1`,
    [tenant.tenantId],
  );
  const id = (await call<{ items: Run[] }>("GET", "runs")).items[0]?.id ?? 0;
  expect(await ended(id)).toMatchObject({ state: "done", done: 2, differing: 1 });
  expect((await call<{ items: RunLine[] }>("GET", `runs/${id}/lines`)).items.map(({ text }) => text)).toEqual([
    "taken up again after an interruption",
  ]);
});

test("a target that refuses, or has no listing, or is compared already, says so", async () => {
  const mute = { kind: "reconciliation", integrationPointId: pointId("mute"), entityType: "item" };
  expect(await call("POST", "runs", mute, 409)).toMatchObject({
    reason: "system-read-fault",
    values: { fault: "settings: list.item is missing" },
  });
  await call("POST", "runs", { kind: "reconciliation", integrationPointId: pointId("pim"), entityType: "item" }, 409);
  await call("POST", "runs", { kind: "reconciliation", integrationPointId: 999_999, entityType: "item" }, 404);
  await call("POST", "runs", { kind: "reconciliation", entityType: "item" }, 400);
  expect(await reconciled({ integrationPointId: pointId("locked") })).toMatchObject({
    state: "failed",
    fault: expect.stringContaining("the target could not be read"),
  });
  sandbox.control(code, { mode: "hang" });
  const what = { kind: "reconciliation", integrationPointId: pointId("store"), entityType: "item" };
  const open = await call<Run>("POST", "runs", what, 201);
  await call("POST", "runs", what, 409);
  await call("POST", `runs/${open.id}/fixes`, {}, 409);
  await call("POST", `runs/${open.id}/cancel`);
  sandbox.control(code, {});
});

test("a target's text with half of a character or a NUL differs, and the other objects are compared", async () => {
  await takeIn([1, 2, 3].map(itemOf));
  await expect.poll(stored, { timeout: 60_000 }).toBe(3);
  await atStore("PUT", 1, { name: "Boots \ud83e" });
  await atStore("PUT", 2, { name: "Boots\0" });
  await atStore("PUT", 9_001, { name: "\0" });
  const run = await reconciled();
  expect(run).toMatchObject({ state: "done", unchanged: 1, differing: 3 });
  expect((await differences(run.id, "&kind=differing")).items.map(({ key, fields }) => ({ key, fields }))).toEqual([
    { key: sku(1), fields: [{ path: "name", source: "Boots 1", target: "Boots \ufffd" }] },
    { key: sku(2), fields: [{ path: "name", source: "Boots 2", target: "Boots\ufffd" }] },
  ]);
});

test("a target that doesn't heed which page it is asked for is not asked for ever", async () => {
  for (const number of [1, 2, 3]) await atStore("PUT", number);
  expect(await reconciled({ integrationPointId: pointId("pageless") })).toMatchObject({
    state: "failed",
    fault: "the system gives the same page again and again",
  });
});

test("a schedule compares by its time, beside a poll of another point", async () => {
  const what = { kind: "reconciliation", integrationPointId: pointId("store"), entityType: "item", cron: "0 3 * * *" };
  const schedule = await call<{ id: number }>("POST", "schedules", what, 201);
  expect(schedule).toMatchObject({ kind: "reconciliation", integrationPointName: "store", sourceIntegrationPointId: null });
  await call("POST", "schedules", what, 409);
  const first = async () => (await call<{ items: Run[] }>("GET", `runs?schedule=${schedule.id}`)).items[0];
  const compared = async (targetTypes: string[]): Promise<Run | undefined> => {
    await call("PATCH", `integration-points/${pointId("store")}`, { targetTypes });
    await workers.directory.fresh(tenant.tenantId);
    const before = (await first())?.id;
    await owner.query("update hub.schedule set next_at = clock_timestamp() where tenant_id = $1", [tenant.tenantId]);
    const isOver = async () => ((await first())?.id === before ? null : (await first())?.finishedAt);
    await expect.poll(isOver, { timeout: 60_000 }).toEqual(expect.any(String));
    return first();
  };
  // What it takes may change meanwhile.
  expect(await compared(["stock"])).toMatchObject({ state: "failed", fault: expect.stringContaining("no target of this") });
  expect(await compared(["item"])).toMatchObject({ kind: "reconciliation", state: "done", startedBy: null });
});
