import type { Entity, EntityDetails } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { deliveryHash, storeDeliveries } from "../delivery/external-items.ts";
import { createDirectory } from "../intake/directory.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let tenant: TestTenant;
const base = "/api/v1/tenants/objects";

beforeAll(async () => {
  made = await testApp();
  tenant = await makeTenant(made.deps, made.ownerUrl, "objects", [
    { code: "erp", connector: "magento", sourceTypes: ["item", "stock"] },
    { code: "oms", connector: "brink", sourceTypes: ["order", "shipment"] },
    { code: "trial", connector: "magento", sourceTypes: ["order", "shipment"], environment: "development" },
    { code: "pim", connector: "litium", sourceTypes: ["item"] },
    { code: "shop", connector: "centra", targetTypes: ["item"], deliveryMode: "pull" },
    { code: "till", connector: "sitoo", targetTypes: ["item"] },
  ]);
  await made.pool("owner", 1).query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
  await push("A-1", "Lamp");
  await push("A-1", "Lamp, green");
  await push("B-1", "Chair");
});
afterAll(() => made.close());

const push = (sku: string, name: string, path = "/magento/v1/items") => send(path, { sku, name });

async function send(path: string, document: object): Promise<void> {
  const answer = await made.app.inject({
    method: "POST",
    url: `${path}?subtenant=shop`,
    headers: { "x-api-key": tenant.apiKey },
    payload: { schemaVersion: 1, ...document },
  });
  expect(answer.statusCode).toBeLessThan(300);
}

const get = (path: string) => made.call("viewer", "GET", `${base}/${path}`);
const details = async (key = "A-1"): Promise<EntityDetails> => (await get(`entity?subtenant=shop&entityType=item&key=${key}`)).json();
const resync = (body: object) => made.call("user", "POST", `${base}/entity-resyncs`, { subtenant: "shop", entityType: "item", ...body });

test("types tell how many objects they have and when one was last heard of", async () => {
  const { items } = (await get("entity-types")).json<{ items: { entityType: string; count: unknown; heardOfAt: string | null }[] }>();
  expect(items.find(({ entityType }) => entityType === "item")).toEqual({
    entityType: "item",
    count: { count: 2, isExact: true },
    heardOfAt: expect.any(String),
  });
  expect(items.find(({ entityType }) => entityType === "order")).toMatchObject({ count: { count: 0 }, heardOfAt: null });
});

test("objects are listed by key, page by page, and found by the start of it", async () => {
  const keys = async (query: string) => (await get(`entities?${query}`)).json<{ items: Entity[] }>().items.map(({ key }) => key);
  expect(await keys("entityType=item")).toEqual(["A-1", "B-1"]);
  expect(await keys("entityType=item&keyPrefix=B")).toEqual(["B-1"]);
  expect(await keys("entityType=stock")).toEqual([]);
  const first = (await get("entities?entityType=item&limit=1")).json<{ items: Entity[]; nextCursor: string }>();
  expect(first.items).toMatchObject([{ key: "A-1", version: 2, subtenantCode: "shop", source: "magento" }]);
  expect(await keys(`entityType=item&limit=1&cursor=${first.nextCursor}`)).toEqual(["B-1"]);
});

test("an object shows its document, its versions and what each target knows", async () => {
  const entity = await details();
  expect(JSON.parse(entity.document)).toMatchObject({ name: "Lamp, green" });
  expect(entity.versions).toMatchObject([{ version: 2, externalMessageId: expect.any(String) }, { version: 1 }]);
  expect(entity.targets.map(({ name, sync, lastMessage }) => [name, sync, lastMessage?.state])).toEqual([
    ["shop", "never", "ready"],
    ["till", "never", "ready"],
  ]);
  const old = await get("entity-version?subtenant=shop&entityType=item&key=A-1&version=1");
  expect(JSON.parse(old.json<{ document: string }>().document)).toMatchObject({ name: "Lamp" });
});

test("a target is in sync exactly as long as it was told the present version, by its present settings", async () => {
  const directory = createDirectory(made.deps.pools.app, made.deps);
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["till"]?.id ?? 0);
  await directory.close();
  if (!point) throw new Error("no point");
  const { document, targets } = await details();
  const deliveredHash = deliveryHash(point, document);
  const delivery = { entityType: "item" as const, key: "A-1", subtenantId: tenant.subtenantId, externalId: "9", deliveredHash };
  const messageId = targets[1]?.lastMessage?.id ?? "";
  await inTenant(made.deps.pools.worker, tenant.tenantId, (client) =>
    storeDeliveries(client, tenant.tenantId, [{ ...delivery, integrationPointId: point.id, system: point.system, messageId }]),
  );
  expect((await details()).targets[1]).toMatchObject({ sync: "in-sync", externalId: "9", deliveredVersion: 2 });
  const change = async (method: "PUT" | "PATCH", path: string, body: object) =>
    expect((await made.call("admin", method, `${base}/integration-points/${point.id}${path}`, body)).statusCode).toBe(200);
  for (const isPaused of [true, false]) await change("PUT", "/pause", { isPaused });
  await change("PATCH", "", { name: "Renamed" });
  await expect.poll(async () => (await details()).targets[1]).toMatchObject({ name: "Renamed", sync: "in-sync" });
  await push("A-1", "Lamp, red");
  expect((await details()).targets[1]).toMatchObject({ sync: "outdated", deliveredVersion: 2 });
  await push("A-1", "Lamp, green");
  expect((await details()).targets[1]).toMatchObject({ sync: "in-sync" });
  await change("PATCH", "", { name: "till", settings: { url: "https://till.example", auth: "none" }, isAnotherSystem: false });
  await expect.poll(async () => (await details()).targets[1]?.sync).toBe("outdated");
});

test("a resync publishes the current version to one target or to all", async () => {
  const one = await resync({ key: "B-1", integrationPointId: tenant.points["till"]?.id });
  expect(one.statusCode).toBe(201);
  const { messageIds } = one.json<{ messageIds: string[] }>();
  expect((await details("B-1")).targets.map(({ lastMessage }) => lastMessage?.id)).toEqual([expect.any(String), messageIds[0]]);
  const all = (await resync({ key: "B-1" })).json<{ version: number; messageIds: string[] }>();
  expect(all).toMatchObject({ version: 1, messageIds: [expect.any(String), expect.any(String)] });
  const message = await made.call("viewer", "GET", `${base}/messages/${all.messageIds[0]}`);
  expect(message.json()).toMatchObject({ key: "B-1", entityVersion: 1, source: "magento", document: (await details("B-1")).document });
});

test("an object is of the source that brought in its newest version, also when another one has told the same since", async () => {
  await push("E-1", "Echo");
  const before = await details("E-1");
  await push("E-1", "Echo", "/litium/v1/items");
  expect(await details("E-1")).toMatchObject({ version: 1, source: "magento", targets: before.targets });
  const listed = ["magento", "litium"].map((source) => get(`entities?entityType=item&key=E-1&source=${source}`));
  const [own, others] = (await Promise.all(listed)).map((answer) => answer.json<{ items: Entity[] }>().items);
  expect(own).toMatchObject([{ source: "magento" }]);
  expect(others).toEqual([]);
  const { messageIds } = (await resync({ key: "E-1" })).json<{ messageIds: string[] }>();
  const sources = messageIds.map(
    async (id) => (await made.call("viewer", "GET", `${base}/messages/${id}`)).json<{ source: string }>().source,
  );
  expect(await Promise.all(sources)).toEqual(["magento", "magento"]);
});

/** What belongs to it, which its page and its whole way tell alike. */
async function related(entityType: string, key: string, isDevelopment = false): Promise<EntityDetails["related"]> {
  const query = `subtenant=shop&entityType=${entityType}&key=${key}&isDevelopment=${isDevelopment}`;
  const page = (await get(`entity?${query}`)).json<EntityDetails>();
  expect((await get(`object-trace?${query}`)).json()).toMatchObject({ related: page.related });
  return page.related;
}
const mask = (...fields: string[]) => made.call("admin", "PUT", `${base}/masking-rules`, { fields });

test("an order names its shipments, a shipment its order, on its page and on its whole way, and what is masked stays so", async () => {
  const order = { orderNumber: "O-1", orderedAt: "2026-01-01T00:00:00Z", currency: "EUR", customer: null, lines: [] };
  const shipment = { orderNumber: "O-1", status: "shipped", lines: [] };
  await send("/brink/v1/orders", order);
  await send("/magentodev/v1/orders", order);
  const tracking = [{ number: "TR-1" }, { number: "TR-2" }];
  await send("/brink/v1/shipments", { ...shipment, shipmentNumber: "S-1", carrier: "PostNord", tracking });
  await send("/brink/v1/shipments", { ...shipment, shipmentNumber: "S-2" });
  await send("/magentodev/v1/shipments", { ...shipment, shipmentNumber: "S-3" });
  await send("/brink/v1/shipments", { ...shipment, shipmentNumber: "S-4", orderNumber: "O-2" });
  const first = { entityType: "shipment", key: "S-1", carrier: "PostNord", trackingNumbers: ["TR-1", "TR-2"] };
  const second = { entityType: "shipment", key: "S-2", carrier: null, trackingNumbers: [] };
  expect(await related("order", "O-1")).toEqual([first, second]);
  expect(await related("order", "O-1", true)).toEqual([{ ...second, key: "S-3" }]);
  expect(await related("shipment", "S-2")).toEqual([{ entityType: "order", key: "O-1", carrier: null, trackingNumbers: [] }]);
  expect(await related("shipment", "S-4")).toEqual([]);
  expect(await related("item", "A-1")).toEqual([]);

  await send("/brink/v1/shipments", { ...shipment, shipmentNumber: "S-2", orderNumber: "O-2" });
  expect(await related("order", "O-1")).toEqual([first]);
  expect(await related("shipment", "S-2")).toEqual([]);

  await mask("carrier");
  expect((await related("order", "O-1"))[0]?.carrier).toMatch(/^•••/);
  await mask("orderNumber");
  expect(await related("order", "O-1")).toEqual([]);
  expect(await related("shipment", "S-1")).toEqual([]);
  await mask();
});

test("bad input, unknown objects and targets that want nothing are told apart", async () => {
  expect((await get("entities")).statusCode).toBe(400);
  expect((await get("entities?entityType=item&cursor=nonsense")).json()).toMatchObject({ code: "cursor-invalid" });
  expect((await get("entity?subtenant=shop&entityType=item&key=Z")).statusCode).toBe(404);
  expect((await get("entity-version?subtenant=shop&entityType=item&key=A-1&version=99")).statusCode).toBe(404);
  expect((await resync({ key: "Z" })).statusCode).toBe(404);
  expect((await resync({ key: "A-1", integrationPointId: tenant.points["erp"]?.id })).json()).toMatchObject({
    status: 409,
    code: "conflict",
  });
  expect((await made.call("viewer", "POST", `${base}/entity-resyncs`, {})).statusCode).toBe(403);
});

test("a target whose worker fetches its messages is in sync once that has acknowledged one, whatever its mappings made of it", async () => {
  const mapping = { fieldName: "brand", source: "*", sourceValue: "Acme", target: "centra", targetValue: "ACME", subtenantCode: null };
  expect((await made.call("admin", "POST", `${base}/mappings`, mapping)).statusCode).toBe(201);
  const call = (method: "GET" | "POST", path: string, payload?: object) =>
    made.app.inject({ method, url: `${path}subtenant=shop`, headers: { "x-api-key": tenant.apiKey }, ...(payload && { payload }) });
  await call("POST", "/magento/v1/items?", { schemaVersion: 1, sku: "W-1", name: "Wardrobe", brand: "Acme" });
  type Leased = { id: string; key: string; leaseToken: string; document: object };
  const { messages } = (await call("GET", "/centra/v1/items/next?max=100&")).json<{ messages: Leased[] }>();
  const leased = messages.find(({ key }) => key === "W-1");
  expect(leased?.document).toMatchObject({ brand: "ACME" });
  expect((await call("POST", `/centra/v1/items/${leased?.id}/ack?`, { leaseToken: leased?.leaseToken })).statusCode).toBe(204);
  expect((await details("W-1")).targets[0]).toMatchObject({ name: "shop", sync: "in-sync" });
});
