import type { ExternalItem, ImportResult } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { storeDeliveries } from "../delivery/external-items.ts";
import { restoreItems } from "./rows.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { createIntakePruning } from "../scheduler/pruning.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let tenant: TestTenant;
let tenants = 0;
let base: string;

beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());
beforeEach(async () => {
  tenants += 1;
  tenant = await makeTenant(made.deps, made.ownerUrl, `items-${tenants}`, [
    { code: "shop", connector: "centra", targetTypes: ["item", "order"] },
    { code: "till", connector: "sitoo", targetTypes: ["item"] },
    { code: "erp", connector: "magento", sourceTypes: ["item"] },
    { code: "trial", connector: "sitoo", targetTypes: ["item"], environment: "development" },
  ]);
  await made.pool("owner", 1).query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
  base = `/api/v1/tenants/items-${tenants}/external-items`;
});

const pointId = (code: string): number => tenant.points[code]?.id ?? 0;
const header = "integrationPoint,entityType,key,externalId";

async function importCsv(csv: string, isDryRun = false): Promise<ImportResult> {
  return (await made.call("user", "POST", `${base}/import`, { csv, isDryRun })).json();
}

async function list(query = ""): Promise<ExternalItem[]> {
  return (await made.call("viewer", "GET", `${base}${query}`)).json<{ items: ExternalItem[] }>().items;
}

const names = (items: ExternalItem[]): string[] =>
  items.map(({ integrationPointCode, entityType, key, externalId }) => `${integrationPointCode} ${entityType} ${key}=${externalId}`);

const file = [header, "shop,item,A-1,100", "shop,item,A-2,101", "shop,order,A-1,7", "till,item,A-1,100"].join("\n");
const all = ["shop item A-1=100", "shop item A-2=101", "shop order A-1=7", "till item A-1=100"];

test("items are found by our key and by the target's id, page by page", async () => {
  await importCsv(file);
  expect(names(await list())).toEqual(all);
  expect(names(await list("?key=A-1"))).toEqual(["shop item A-1=100", "shop order A-1=7", "till item A-1=100"]);
  expect(names(await list("?externalId=10"))).toEqual(["shop item A-1=100", "shop item A-2=101", "till item A-1=100"]);
  expect(names(await list(`?integrationPointId=${pointId("till")}&entityType=item`))).toEqual(["till item A-1=100"]);
  expect(await list("?subtenant=nowhere")).toEqual([]);
  for (const filter of ["", "&externalId=10"]) {
    const paged: ExternalItem[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const answer = await made.call("viewer", "GET", `${base}?limit=1${filter}${cursor && `&cursor=${cursor}`}`);
      const page: { items: ExternalItem[]; nextCursor: string | null } = answer.json();
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(names(paged)).toEqual(names(await list(filter.replace("&", "?"))));
  }
  expect((await made.call("viewer", "GET", base.replace("external-items", "external-item-count"))).json()).toEqual({
    count: 4,
    isExact: true,
  });
});

const withName = (name: string) => list(`?${new URLSearchParams({ payload: `$.name = "${name}"` }).toString()}`);

test("an item is found by the document of its own side: what a test system has is not the real one", async () => {
  const documents = `
    with known (is_development, document) as (values (false, '{"name":"Lamp"}'), (true, '{"name":"Trial lamp"}')),
    heads as (
      insert into hub.entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, integration_point_id)
      select $1, $2, 'item', 'A-1', is_development, 1, '\\x00', $3 from known
    )
    insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id,
      integration_point_id, document)
    select $1, $2, 'item', 'A-1', is_development, 1, 1, $3, document from known`;
  await made.pool("owner", 1).query(documents, [tenant.tenantId, tenant.subtenantId, pointId("erp")]);
  await importCsv([header, "shop,item,A-1,100", "trial,item,A-1,200"].join("\n"));
  expect(names(await withName("Lamp"))).toEqual(["shop item A-1=100"]);
  expect(names(await withName("Trial lamp"))).toEqual(["trial item A-1=200"]);
});

test("an item of a test system is found by the document of the real object that it was sent", async () => {
  const received = await made.app.inject({
    method: "POST",
    url: "/magento/v1/items?subtenant=shop",
    headers: { "x-api-key": tenant.apiKey, "content-type": "application/json" },
    payload: { schemaVersion: 1, sku: "A-1", name: "Lamp" },
  });
  expect(received.statusCode).toBe(202);
  await importCsv([header, "shop,item,A-1,100", "trial,item,A-1,200"].join("\n"));
  expect(names(await withName("Lamp"))).toEqual(["shop item A-1=100", "trial item A-1=200"]);
});

test("a removed item is unknown to deliveries and comes back as it was", async () => {
  await inTenant(made.deps.pools.worker, tenant.tenantId, (client) =>
    storeDeliveries(client, tenant.tenantId, [
      {
        integrationPointId: pointId("shop"),
        system: 1,
        entityType: "item",
        key: "B-1",
        subtenantId: tenant.subtenantId,
        externalId: "55",
        deliveredHash: Buffer.alloc(32, 1),
        messageId: "207990000000001",
      },
    ]),
  );
  const before = await list();
  expect(before).toMatchObject([{ key: "B-1", externalId: "55", hash: "01".repeat(32), messageId: "207990000000001" }]);
  const item = { integrationPointId: pointId("shop"), entityType: "item", key: "B-1" };
  const removed = await made.call("user", "POST", `${base}/remove`, { items: [item] });
  const { removedIds } = removed.json<{ removedIds: string[] }>();
  expect(removedIds).toHaveLength(1);
  expect(await list()).toEqual([]);
  expect(await list("?removed=true")).toMatchObject([{ id: removedIds[0], key: "B-1", removedBy: "Uli" }]);
  // What is named twice is told once.
  const late = await made.call("admin", "POST", `${base}/remove`, { items: [item, item] });
  expect(late.json()).toMatchObject({ removedIds: [], skipped: [{ name: "B-1", removedBy: "Uli", removedAt: expect.any(String) }] });
  const restored = await made.call("user", "POST", `${base}/restore`, { removedIds });
  expect(restored.json()).toEqual({ restored: 1, madeAnew: 0, unknown: 0 });
  const again = await made.call("admin", "POST", `${base}/restore`, { removedIds });
  expect(again.json()).toEqual({ restored: 0, madeAnew: 0, unknown: 1 });
  expect(await list()).toEqual(before);
  expect(await list("?removed=true")).toEqual([]);
});

test("restoring never overwrites what a delivery has made anew", async () => {
  await importCsv(file);
  const { removedIds } = (await made.call("user", "POST", `${base}/remove`, { filter: { entityType: "order" } })).json<{
    removedIds: string[];
  }>();
  await importCsv([header, "shop,order,A-1,8"].join("\n"));
  expect((await made.call("user", "POST", `${base}/restore`, { removedIds })).json()).toEqual({ restored: 0, madeAnew: 1, unknown: 0 });
  expect(names(await list("?entityType=order"))).toEqual(["shop order A-1=8"]);
});

test("of an item that was removed twice the later one comes back, and is told as the one", async () => {
  const removedIds: string[] = [];
  for (const externalId of [7, 8]) {
    await importCsv([header, `shop,order,A-1,${externalId}`].join("\n"));
    const removed = await made.call("user", "POST", `${base}/remove`, { filter: { entityType: "order" } });
    removedIds.push(...removed.json<{ removedIds: string[] }>().removedIds);
  }
  const { tenantId } = tenant;
  const back = await inTenant(made.deps.pools.app, tenantId, (client) => restoreItems(client, tenantId, removedIds));
  expect(back.filter(({ isRestored }) => isRestored)).toEqual([{ id: removedIds[1], isRestored: true }]);
  expect(names(await list())).toEqual(["shop order A-1=8"]);
});

test("all that match are removed and all come back", async () => {
  await importCsv(file);
  const removed = await made.call("user", "POST", `${base}/remove`, { filter: { key: ["A-1", "A"] } });
  const { removedIds, hasMore } = removed.json<{ removedIds: string[]; hasMore: boolean }>();
  expect([removedIds.length, hasMore]).toEqual([3, false]);
  expect(names(await list())).toEqual(["shop item A-2=101"]);
  await made.call("user", "POST", `${base}/restore`, { removedIds });
  expect(names(await list())).toEqual(all);
});

const undoImport = (importId: number | null) => made.call("user", "POST", `${base}/import/${importId}/undo`);

test("an undone import leaves external ids as they were before it, and what it made is gone", async () => {
  await importCsv(file);
  const { importId } = await importCsv([header, "shop,item,A-1,900", "shop,item,A-2,101", "till,item,B-1,901"].join("\n"));
  expect(names(await list())).toEqual([
    "shop item A-1=900",
    "shop item A-2=101",
    "shop order A-1=7",
    "till item A-1=100",
    "till item B-1=901",
  ]);
  expect((await undoImport(importId)).json()).toEqual({ restored: 1, removed: 1, changed: 0 });
  expect(names(await list())).toEqual(all);
  expect((await undoImport(importId)).statusCode).toBe(404);
});

test("an undone import leaves alone what was changed, removed or delivered since", async () => {
  await importCsv(file);
  const { importId } = await importCsv(
    [header, "shop,item,A-1,900", "shop,item,A-2,901", "till,item,B-1,902", "till,item,B-2,903"].join("\n"),
  );
  await importCsv([header, "shop,item,A-1,950"].join("\n"));
  const key = { integrationPointId: pointId("shop"), entityType: "item", key: "A-2" };
  await made.call("user", "POST", `${base}/remove`, { items: [key] });
  const owner = made.pool("owner", 1);
  await owner.query(
    "update hub.external_item set delivered_at = now(), message_id = 1, delivered_hash = '' where tenant_id = $1 and business_key = 'B-1'",
    [tenant.tenantId],
  );
  expect((await undoImport(importId)).json()).toEqual({ restored: 0, removed: 1, changed: 3 });
  expect(names(await list())).toEqual(["shop item A-1=950", "shop order A-1=7", "till item A-1=100", "till item B-1=902"]);
});

test("of two imports at the same moment each is undone to what was before it", async () => {
  await importCsv(file);
  const holder = await made.pool("owner", 1).connect();
  await holder.query("begin");
  await holder.query("select from hub.external_item where tenant_id = $1 for update", [tenant.tenantId]);
  const waiting = async (count: number) => {
    await expect.poll(() => waitingForLocks(made.pool("owner", 2))).toBe(count);
  };
  const first = importCsv([header, "shop,item,A-1,900", "till,item,B-1,901"].join("\n"));
  await waiting(1);
  const second = importCsv([header, "shop,item,A-1,950", "till,item,B-1,951"].join("\n"));
  await waiting(2);
  await holder.query("commit");
  holder.release();
  await first;
  expect((await undoImport((await second).importId)).json()).toEqual({ restored: 2, removed: 0, changed: 0 });
  expect(await list("?externalId=90")).toMatchObject([{ externalId: "900" }, { externalId: "901" }]);
});

test("an import of one system's ids is not undone in another that the address leads to since", async () => {
  await importCsv(file);
  const { importId } = await importCsv([header, "till,item,A-1,900", "shop,item,A-1,901"].join("\n"));
  const url = `${base.replace("external-items", "integration-points")}/${pointId("till")}`;
  expect((await made.call("admin", "PATCH", url, { isAnotherSystem: true })).statusCode).toBe(200);
  await importCsv([header, "till,item,A-1,900"].join("\n"));
  expect((await undoImport(importId)).json()).toEqual({ restored: 1, removed: 0, changed: 0 });
  expect(names(await list())).toEqual(expect.arrayContaining(["shop item A-1=100", "till item A-1=900"]));
});

test("what is told to a system while the address is turned to another one is not kept as a name of the new one's", async () => {
  const { tenantId } = tenant;
  const { worker } = made.deps.pools;
  const told = {
    integrationPointId: pointId("till"),
    entityType: "item",
    subtenantId: tenant.subtenantId,
    externalId: "7",
    messageId: "1",
  } as const;
  const deliver = (key: string) =>
    inTenant(worker, tenantId, (client) =>
      storeDeliveries(client, tenantId, [{ ...told, key, system: 1, deliveredHash: Buffer.from([1]) }]),
    );
  const owner = made.pool("owner", 3);
  const holder = await owner.connect();
  await holder.query("begin");
  await holder.query("lock table hub.external_item_imported in share mode");
  const url = `${base.replace("external-items", "integration-points")}/${pointId("till")}`;
  await deliver("before");
  const turning = made.call("admin", "PATCH", url, { isAnotherSystem: true });
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  let isDelivered = false;
  const delivering = deliver("meanwhile").finally(() => (isDelivered = true));
  await expect.poll(async () => isDelivered || (await waitingForLocks(owner)) === 2).toBe(true);
  await holder.query("commit");
  holder.release();
  expect((await turning).statusCode).toBe(200);
  await delivering;
  expect(await list()).toEqual([]);
});

test("an import can be undone for as long as removed things are kept", async () => {
  const { importId } = await importCsv(file);
  const age = (days: number) =>
    made.pool("owner", 1).query("update hub.external_item_imported set imported_at = now() - make_interval(days => $1)", [days]);
  await age(29);
  await createIntakePruning(made.deps.pools.worker, 30)();
  const { rowCount } = await made.pool("owner", 1).query("select from hub.external_item_imported where tenant_id = $1", [tenant.tenantId]);
  expect(rowCount).toBe(4);
  await age(31);
  await createIntakePruning(made.deps.pools.worker, 30)();
  expect((await undoImport(importId)).statusCode).toBe(404);
});

test("an import that is only tried, that is wrong or that changes nothing has nothing to undo", async () => {
  expect((await importCsv(file, true)).importId).toBeNull();
  expect((await importCsv(`${file}\nshop,thing,A-9,1`)).importId).toBeNull();
  await importCsv(file);
  expect((await importCsv(file)).importId).toBeNull();
});

test("an import looks through a long line of names once, not for each cell", async () => {
  const indexOf = vi.spyOn(Array.prototype, "indexOf");
  const lines = Array.from({ length: 50 }, (_, index) => `shop,order,A-${index},${index}`);
  const result = await importCsv([`${header}${",".repeat(300)}`, ...lines].join("\n"), true);
  const looks = indexOf.mock.contexts.filter((names) => Array.isArray(names) && names.length > 300).length;
  indexOf.mockRestore();
  expect(result).toMatchObject({ created: 50, errorCount: 0 });
  expect(looks).toBeLessThan(10);
});

test("an import says what it would do, does it, and finds nothing left to do", async () => {
  expect(await importCsv(file, true)).toMatchObject({ created: 4, updated: 0, unchanged: 0, errorCount: 0 });
  expect(await list()).toEqual([]);
  expect(await importCsv(file)).toMatchObject({ created: 4 });
  expect(await importCsv(file.replace("101", "999"))).toMatchObject({ created: 0, updated: 1, unchanged: 3 });
  expect(await list("?key=A-2")).toMatchObject([{ externalId: "999", hash: null, deliveredAt: null }]);
});

test("an export of the list is taken as it is, what a target gave no id included", async () => {
  await importCsv(file);
  const unnamed = {
    entityType: "order",
    key: "A-2",
    subtenantId: tenant.subtenantId,
    externalId: null,
    messageId: "207990000000002",
  } as const;
  await inTenant(made.deps.pools.worker, tenant.tenantId, (client) =>
    storeDeliveries(client, tenant.tenantId, [
      { integrationPointId: pointId("shop"), system: 1, deliveredHash: Buffer.alloc(32, 2), ...unnamed },
    ]),
  );
  const exported = (await made.call("viewer", "GET", `${base}/export`)).body;
  expect(await importCsv(exported)).toMatchObject({ created: 0, updated: 0, unchanged: 5, errorCount: 0 });
  await made.call("user", "POST", `${base}/remove`, { filter: { keyPrefix: "A-" } });
  expect(await importCsv(exported)).toMatchObject({ created: 4, updated: 0, unchanged: 1, errorCount: 0 });
  expect(names(await list())).toEqual(all);
});

test("a wrong line is told by its number and keeps the whole file out", async () => {
  const wrong = [
    header,
    "shop,item,A-1,1",
    'shop,item,A-2,"2\n2"',
    "nowhere,item,A-3,3",
    "erp,thing,,4",
    "shop,item,A-1,5",
    "shop,item,A-1\u200b,6",
    "shop,item",
    "",
  ].join("\n");
  const result = await importCsv(wrong);
  expect(result.errors).toEqual([
    {
      line: 5,
      message: 'No integration point that takes deliveries has the code "nowhere".',
      reason: "csv-point",
      values: { code: "nowhere" },
    },
    { line: 6, message: 'No integration point that takes deliveries has the code "erp".', reason: "csv-point", values: { code: "erp" } },
    { line: 6, message: '"thing" is no entity type.', reason: "csv-entity-type", values: { type: "thing" } },
    { line: 6, message: "The key must have 1 to 500 characters.", reason: "csv-key" },
    { line: 7, message: "Line 2 names the same item.", reason: "csv-same-item", values: { line: 2 } },
    {
      line: 8,
      message: "key must not hold control characters, such as tabs and line breaks, nor begin or end with an invisible character.",
      reason: "csv-unseen",
      values: { column: "key" },
    },
    { line: 9, message: "2 cells, but 4 columns", reason: "file-cells", values: { cells: 2, columns: 4 } },
  ]);
  expect(await list()).toEqual([]);
  expect((await importCsv("key,externalId\nA,1")).errors).toMatchObject([
    { line: 1, message: "The header lacks integrationPoint, entityType." },
  ]);
  expect((await importCsv("integrationPoint,entityType,key,externalId,externalId\nshop,item,A-1,1,2")).errors).toMatchObject([
    { line: 1, reason: "csv-column-twice", values: { column: "externalId" } },
  ]);
  // Else the rest of the file would be the id of one item.
  expect((await importCsv(`${header}\nshop,item,A-1,"1\nshop,item,A-2,2\n`)).errors).toMatchObject([
    { line: 2, reason: "file-quote-open" },
  ]);
  expect(await list()).toEqual([]);
});

test("removed items are kept for as long as the retention lasts", async () => {
  await importCsv(file);
  await made.call("user", "POST", `${base}/remove`, { filter: {} });
  const owner = made.pool("owner", 1);
  await owner.query(
    "update hub.external_item_removed set removed_at = now() - interval '31 days' where tenant_id = $1 and business_key = 'A-2'",
    [tenant.tenantId],
  );
  await createIntakePruning(made.deps.pools.worker, 30)();
  expect(names(await list("?removed=true")).toSorted()).toEqual(all.filter((name) => !name.includes("A-2")));
});

test("bad input is refused", async () => {
  expect((await made.call("user", "POST", `${base}/remove`, {})).statusCode).toBe(400);
  expect((await made.call("user", "POST", `${base}/restore`, { removedIds: ["x"] })).statusCode).toBe(400);
  expect((await made.call("viewer", "GET", `${base}?entityType=thing`)).statusCode).toBe(400);
  expect((await made.call("viewer", "GET", `${base}?cursor=nonsense`)).json()).toMatchObject({ code: "cursor-invalid" });
});
