import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant, inTenantAtOnce } from "../db.ts";
import type { Deps } from "../deps.ts";
import { listEntities } from "../entities/rows.ts";
import { testDeps } from "../testing/test-app.ts";
import { createDirectory, type Directory, type Point } from "./directory.ts";
import { createIntake, type Intake, type IntakeAnswer } from "./intake.ts";
import type { IntakeJob } from "./job.ts";
import { claimBatch, storeBatch } from "./store.ts";
import { makeTenant, type TestTenant } from "./testing.ts";
import { translate } from "./translate.ts";

let deps: Deps;
let ownerUrl: string;
let close: () => Promise<void>;
let directory: Directory;
let intake: Intake;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  ({ deps, ownerUrl, close } = await testDeps());
  directory = createDirectory(deps.pools.app, deps);
  await directory.ready;
  intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
});
afterAll(async () => {
  await directory.close();
  await close();
});
beforeEach(async () => {
  tenants += 1;
  const settings = { shopUrl: "https://shop.myshopify.com", currency: "SEK", stockFromProducts: true };
  tenant = await makeTenant(deps, ownerUrl, `tenant-${tenants}`, [
    { code: "shop", connector: "shopify", sourceTypes: ["item", "price", "stock"], settings },
    { code: "other-shop", connector: "shopify", sourceTypes: ["item"], settings },
    { code: "pim", connector: "plytix", sourceTypes: ["item"] },
    { code: "store", connector: "centra", targetTypes: ["item", "stock"] },
  ]);
});

async function pointOf(code: string): Promise<Point> {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points[code]?.id ?? 0);
  if (!point) throw new Error(`no point ${code}`);
  return point;
}

async function hook(topic: string, body: object, at: string | null = null, code = "shop"): Promise<IntakeAnswer> {
  return intake.receive({
    point: await pointOf(code),
    channel: "hook",
    entityType: null,
    headers: { "x-shopify-topic": topic, ...(at !== null && { "x-shopify-triggered-at": at }) },
    body: Buffer.from(JSON.stringify(body)),
    signature: "valid",
    dedupeName: null,
  });
}

const product = (updatedAt: string, ...sizes: string[]) => ({
  id: 1,
  title: "Boots",
  options: [{ name: "Size" }],
  updated_at: updatedAt,
  variants: sizes.map((size) => ({
    id: Number(size),
    sku: `B-${size}`,
    option1: size,
    price: "199.00",
    inventory_management: "shopify",
    inventory_quantity: 5,
    updated_at: updatedAt,
  })),
});
const at = (minute: number) => `2026-11-02T08:${String(minute).padStart(2, "0")}:00Z`;

async function itemsNow() {
  const query = { entityType: "item" as const, limit: 50 };
  const { items } = await inTenant(deps.pools.app, tenant.tenantId, (client) => listEntities(client, tenant.tenantId, query));
  return Object.fromEntries(items.map(({ key, deletedAt }) => [key, deletedAt && new Date(deletedAt).toISOString()]));
}

/** What the targets were told last, by entity type and key. */
async function told() {
  const { rows } = await inTenant(deps.pools.app, tenant.tenantId, (client) =>
    client.query<{ type: string; key: string; document: string }>(
      "select entity_type as type, key, document from queue.message where tenant_id = $1 order by id",
      [tenant.tenantId],
    ),
  );
  return new Map(rows.map(({ type, key, document }) => [`${type} ${key}`, JSON.parse(document)]));
}

test("a deleted product's items go to their targets as they were, no longer sold, and its stock as none", async () => {
  await hook("products/create", product(at(0), "41", "42"));
  const deleted = await hook("products/delete", { id: 1 }, at(1));
  expect(deleted).toMatchObject({ state: "accepted", reasons: [], messageIds: { length: 4 } });
  const documents = await told();
  expect(documents.get("item B-41")).toMatchObject({
    name: "Boots - 41",
    isActive: false,
    deletedAt: "2026-11-02T08:01:00Z",
    group: { key: "1", isActive: false },
  });
  expect(documents.get("stock B-42@default")).toMatchObject({ quantity: "0" });
  expect(await itemsNow()).toEqual({ "B-41": "2026-11-02T08:01:00.000Z", "B-42": "2026-11-02T08:01:00.000Z" });
  expect(await hook("products/delete", { id: 1 }, at(1))).toMatchObject({ state: "ignored", reasons: [{ reason: "deletion-unknown" }] });
});

test("a product of another system, to which the address leads since, takes no place of the former one's by its id", async () => {
  await hook("products/create", product(at(0), "41", "42"));
  await inTenant(deps.pools.app, tenant.tenantId, (client) =>
    client.query("update hub.integration_point set system = system + 1 where tenant_id = $1 and code = 'shop'", [tenant.tenantId]),
  );
  directory.forget(tenant.tenantId);
  await hook("products/update", product(at(1), "43"));
  expect(await itemsNow()).toEqual({ "B-41": null, "B-42": null, "B-43": null });
});

test("stock that its own source has told of by itself since goes with its product all the same", async () => {
  await hook("products/create", product(at(0), "42"));
  const point = await pointOf("shop");
  const documents = [{ schemaVersion: 1, sku: "B-42", warehouse: "default", quantity: "8", updatedAt: at(1) }];
  await inTenant(deps.pools.app, tenant.tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "stock", documents }));
  expect((await told()).get("stock B-42@default")).toMatchObject({ quantity: "8" });
  await hook("products/delete", { id: 1 }, at(2));
  expect((await told()).get("stock B-42@default")).toMatchObject({ quantity: "0" });
});

test("an older product that comes late does not bring it back, and a newer one does", async () => {
  await hook("products/create", product(at(0), "41"));
  await hook("products/delete", { id: 1 }, at(5));
  const late = await hook("products/update", { ...product(at(3), "41"), title: "Better boots" });
  expect(late).toMatchObject({ state: "unchanged", reasons: [{ reason: "entity-outdated" }, {}] });
  expect(await itemsNow()).toEqual({ "B-41": "2026-11-02T08:05:00.000Z" });
  expect(await hook("products/update", product(at(6), "41"))).toMatchObject({ state: "accepted" });
  expect(await itemsNow()).toEqual({ "B-41": null });
  expect((await told()).get("item B-41")).toMatchObject({ isActive: true });
});

test("what another product sells again is sold, though the deletion of the one before was noticed after the second that bears both", async () => {
  await hook("products/create", product(at(0), "41"));
  await hook("products/delete", { id: 1 }, "2026-11-02T08:01:00.345Z");
  const anew = await hook("products/create", { ...product(at(1), "41"), id: 2 });
  expect(anew).toMatchObject({ state: "accepted", reasons: [] });
  expect(await itemsNow()).toEqual({ "B-41": null });
  const { rows } = await inTenant(deps.pools.app, tenant.tenantId, (client) =>
    client.query<{ version: string; document: string }>(
      "select version, document from queue.message where tenant_id = $1 and entity_type = 'stock' order by id",
      [tenant.tenantId],
    ),
  );
  expect(rows.map(({ document }) => JSON.parse(document).quantity)).toEqual(["5", "0", "5"]);
  // Queues go by it: with the deletion's time on its message, the last one would count as older.
  const versions = rows.map(({ version }) => BigInt(version));
  expect(versions).toEqual(versions.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
});

test("a deletion without a time holds from its arrival on, so that what was sent before it stays outdated", async () => {
  await hook("products/create", product(at(0), "41"));
  expect(await hook("products/delete", { id: 1 })).toMatchObject({ state: "accepted" });
  expect(await hook("products/update", { ...product(at(3), "41"), title: "Better boots" })).toMatchObject({ state: "unchanged" });
});

test("a variant that is not in its product any more is deleted, its sisters are not", async () => {
  await hook("products/create", product(at(0), "41", "42", "43"));
  const answer = await hook("products/update", product(at(1), "42", "43"));
  expect(answer).toMatchObject({ state: "accepted", messageIds: { length: 2 } });
  expect(await itemsNow()).toEqual({ "B-41": "2026-11-02T08:01:00.000Z", "B-42": null, "B-43": null });
  expect((await told()).get("item B-41")).toMatchObject({ isActive: false, group: { isActive: true } });
  // Told of once: further changes of the product say nothing of it.
  expect(await hook("products/update", product(at(2), "42", "43"))).toMatchObject({ state: "unchanged", messageIds: [] });
  // An older message that lacks a newer variant does not delete it.
  await hook("products/update", product(at(4), "42", "43", "44"));
  await hook("products/update", product(at(3), "42", "43"));
  expect(await itemsNow()).toMatchObject({ "B-44": null });
});

test("a product that was deleted before its older messages came is not sold by them, by a newer one it is", async () => {
  expect(await hook("products/delete", { id: 1 }, at(5))).toMatchObject({ state: "ignored" });
  const late = await hook("products/create", product(at(0), "41"));
  expect(late.reasons).toMatchObject([
    { path: "B-41", reason: "entity-outdated" },
    { path: "B-41@default", reason: "entity-outdated" },
  ]);
  expect(await itemsNow()).toEqual({});
  expect([...(await told()).keys()].filter((name) => !name.startsWith("price"))).toEqual([]);
  expect(await hook("products/update", product(at(6), "41"))).toMatchObject({ state: "accepted" });
  expect(await itemsNow()).toEqual({ "B-41": null });
});

test("an older product that comes late brings in no variant that a newer one has no more", async () => {
  await hook("products/update", product(at(5), "41"));
  await hook("products/create", product(at(0), "41", "42"));
  expect(await itemsNow()).toEqual({ "B-41": null });
  await hook("products/delete", { id: 1 }, at(8));
  await hook("products/update", product(at(6), "41", "43"));
  expect(await itemsNow()).toEqual({ "B-41": at(8).replace("Z", ".000Z") });
});

test("an older product with more variants than its message shows brings in none of them either", async () => {
  await hook("products/delete", { id: 1 }, at(5));
  const shown = { ...product(at(0), "41"), variant_gids: [{ admin_graphql_api_id: "a" }, { admin_graphql_api_id: "b" }] };
  await hook("products/create", shown);
  expect(await itemsNow()).toEqual({});
  await hook("products/update", { ...shown, updated_at: at(6) });
  expect(await itemsNow()).toEqual({ "B-41": null });
  expect((await told()).get("stock B-41@default")).toMatchObject({ quantity: "5" });
});

test("a product of another shop, or an item that another source has told of since, is left alone", async () => {
  await hook("products/create", product(at(0), "41"));
  expect(await hook("products/delete", { id: 1 }, at(1), "other-shop")).toMatchObject({ state: "ignored" });
  await hook("products/update", { ...product(at(2), "41"), id: 2 }, null, "other-shop");
  expect(await hook("products/delete", { id: 1 }, at(3))).toMatchObject({ state: "accepted", messageIds: { length: 1 } });
  expect(await itemsNow()).toEqual({ "B-41": null });
  // Also where the other source knows no products.
  await hook("products/create", { ...product(at(4), "42"), id: 3 });
  await send({ sku: "B-42", name: "Boots", updatedAt: at(5) });
  await hook("products/delete", { id: 3 }, at(6));
  expect(await itemsNow()).toEqual({ "B-41": null, "B-42": null });
});

test("a deletion's time of more than a day ahead is refused, and outdates nothing", async () => {
  await hook("products/create", product(at(0), "41"));
  expect(await hook("products/delete", { id: 1 }, "9999-12-31T23:59:59Z")).toMatchObject({
    state: "rejected",
    reasons: [{ reason: "source-time-ahead" }],
  });
  expect(await itemsNow()).toEqual({ "B-41": null });
});

async function jobOf(topic: string, body: object, { code = "shop", minute = 9 } = {}): Promise<IntakeJob> {
  const point = await pointOf(code);
  const headers = { "x-shopify-topic": topic, "x-shopify-triggered-at": at(minute) };
  const bytes = Buffer.from(JSON.stringify(body));
  const own = await directory.of(tenant.tenantId);
  const translation = await translate({ body: bytes, json: body, headers, entityType: null }, point, own);
  const kept = { contentType: null, headers: "{}", body: bytes, dedupeKey: null, replayOf: null, row: null, traceparent: null };
  return { point, channel: "hook", entityType: null, signature: "valid", ...kept, translation };
}

test("an item is the source's that changed it last, also within one transaction", async () => {
  const { tenantId } = tenant;
  const jobs = [
    await jobOf("products/create", product(at(0), "41", "42")),
    await jobOf("products/create", { ...product(at(1), "41"), title: "Shoes" }, { code: "other-shop" }),
  ];
  await inTenant(deps.pools.app, tenantId, (client) => storeBatch(client, tenantId, jobs));
  const { rows } = await inTenant(deps.pools.app, tenantId, (client) =>
    client.query("select integration_point_id as id from hub.entity where tenant_id = $1 and entity_type = 'item' order by business_key", [
      tenantId,
    ]),
  );
  expect(rows).toEqual([{ id: tenant.points["other-shop"]?.id }, { id: tenant.points["shop"]?.id }]);
});

test("messages of one product that share a transaction, or race in two, leave no variant behind", async () => {
  const made = await jobOf("products/update", product(at(1), "41"), { minute: 1 });
  const gone = await jobOf("products/delete", { id: 1 }, { minute: 7 });
  const late = await jobOf("products/create", product(at(0), "41", "42"), { minute: 0 });
  await inTenantAtOnce(deps.pools.app, tenant.tenantId, (client) => claimBatch(client, tenant.tenantId, [made, gone, late]));
  expect(await itemsNow()).toEqual({ "B-41": at(7).replace("Z", ".000Z") });

  const { tenantId } = tenant;
  const added = await jobOf("products/update", product(at(8), "44"), { minute: 8 });
  const goneAgain = await jobOf("products/delete", { id: 1 });
  let other: Promise<unknown> = Promise.resolve();
  await inTenant(deps.pools.app, tenantId, async (client) => {
    await storeBatch(client, tenantId, [added]);
    let isOver = false;
    other = inTenant(deps.pools.app, tenantId, (second) => storeBatch(second, tenantId, [goneAgain])).finally(() => (isOver = true));
    const waits = "select from pg_locks where not granted and locktype = 'advisory'";
    await expect.poll(async () => isOver || (await client.query(waits)).rowCount === 1).toBe(true);
  });
  await other;
  expect(await itemsNow()).toMatchObject({ "B-44": at(9).replace("Z", ".000Z") });
});

async function send(document: object): Promise<IntakeAnswer> {
  return intake.receive({
    point: await pointOf("pim"),
    channel: "gateway",
    entityType: "item",
    headers: {},
    body: Buffer.from(JSON.stringify(document)),
    signature: "not-applicable",
    dedupeName: null,
  });
}

test("a source without webhooks of its own says it by the item's document; what it leaves out stays as it was known", async () => {
  const gone = { sku: "C-1", name: null, isActive: false, deletedAt: at(2) };
  await send({ sku: "C-1", name: "Gloves", updatedAt: at(1) });
  expect(await send({ ...gone, isActive: true })).toMatchObject({ state: "rejected", reasons: [{ reason: "deleted-active" }] });
  expect(await send(gone)).toMatchObject({ state: "accepted", messageIds: { length: 1 } });
  expect((await told()).get("item C-1")).toMatchObject({ name: "Gloves", isActive: false, deletedAt: at(2) });
  expect(await send({ ...gone, deletedAt: at(3) })).toMatchObject({ state: "unchanged", messageIds: [] });
  expect(await send({ sku: "C-1", name: "Gloves", updatedAt: at(1) })).toMatchObject({ state: "unchanged" });
  expect(await send({ sku: "C-1", name: "Gloves", updatedAt: at(4) })).toMatchObject({ state: "accepted" });
  expect(await itemsNow()).toEqual({ "C-1": null });
});

test("a deletion of an item that is not known is told to no target, yet what is older and comes late does not bring the item in", async () => {
  const gone = { sku: "C-1", name: null, isActive: false, deletedAt: at(2) };
  const unknown = { state: "unchanged", messageIds: [], reasons: [{ path: "C-1", reason: "deletion-unknown" }] };
  expect(await send(gone)).toMatchObject(unknown);
  expect(await send(gone)).toMatchObject({ state: "unchanged", messageIds: [] });
  const late = await send({ sku: "C-1", name: "Gloves", updatedAt: at(1) });
  expect(late).toMatchObject({ state: "unchanged", messageIds: [], reasons: [{ reason: "entity-outdated" }] });
  expect(await itemsNow()).toEqual({ "C-1": at(2).replace("Z", ".000Z") });
  expect(await send({ sku: "C-1", name: "Gloves", updatedAt: at(3) })).toMatchObject({ state: "accepted", messageIds: { length: 1 } });
  expect(await itemsNow()).toEqual({ "C-1": null });
});
