import type { EntityType } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Page } from "../connector.ts";
import { connectors } from "../index.ts";
import { Driver } from "../testing.ts";

const { shopify } = connectors;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.reset("shop");
  sandbox.control("shop", { bucket: { size: 100_000, leakPerSecond: 0 } });
});

const locationId = 655441491;
const settings = () => ({ shopUrl: `${sandbox.url}/shopify/shop`, locationId: String(locationId), currency: "SEK" });

type Made = Record<string, { id: number; variants: { inventory_item_id: number }[] }>;

async function write(method: "POST" | "PUT", path: string, body: object): Promise<Made> {
  const headers = { "x-shopify-access-token": "token" };
  const url = `${sandbox.url}/shopify/shop/admin/api/2026-07/${path}.json`;
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return JSON.parse(await response.text());
}

type Asked = { cursor?: string | null; now?: Date; point?: object; headers?: Record<string, string> };
type Polled = { objects: Record<string, unknown>[]; names: (string | null)[]; calls: string[]; cursor: string | null };

/** All pages of a round, as a schedule asks for them. */
async function poll(entityType: EntityType, { cursor = null, now = new Date(), point = {}, headers = {} }: Asked = {}): Promise<Polled> {
  const polled: Polled = { objects: [], names: [], calls: [], cursor };
  for (;;) {
    const page = await askPage(entityType, { cursor: polled.cursor, now, point, headers }, polled.calls);
    polled.objects.push(...page.messages.map(({ body }) => JSON.parse(body)));
    polled.names.push(...page.messages.map(({ name }) => name));
    polled.cursor = page.cursor;
    if (!page.hasMore) return polled;
  }
}

async function askPage(entityType: EntityType, { cursor = null, now, point, headers }: Asked, calls: string[]): Promise<Page> {
  let pull = shopify.pull?.next({
    entityType,
    cursor,
    settings: { ...settings(), ...point },
    credentials: { accessToken: "token" },
    ...(now && { now }),
  });
  while (pull && !("kind" in pull)) {
    const { method, url, headers: sent, body } = pull.request;
    calls.push(`${method} ${new URL(url).pathname.split("/").at(-1) ?? ""}`);
    const response = await fetch(url, { method, headers: sent, body });
    const told = { ...Object.fromEntries(response.headers), ...headers };
    const result = pull.read({ status: response.status, headers: told, body: await response.text() });
    if (result.kind === "page") return result;
    if (result.kind !== "question") throw new Error(JSON.stringify(result));
    pull = result.question;
  }
  throw new Error(JSON.stringify(pull));
}

async function documentsOf(entityType: EntityType, objects: object[]) {
  const received = await Promise.all(
    objects.map((object) => shopify.receive({ body: Buffer.from(JSON.stringify(object)), headers: {}, settings: settings(), entityType })),
  );
  return received.flatMap((each) => {
    if (each.kind !== "documents") throw new Error(JSON.stringify(each));
    return each.documents.map(({ document }) => document);
  });
}

const product = (title: string, variants: object[]) => ({ product: { title, options: [{ name: "Size" }], variants } });
const variant = (sku: string) => ({ sku, option1: sku, price: "10.00", inventory_management: "shopify" });
const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => variant(`${name}-${index}`));
const minutes = (count: number) => new Date(Date.now() + count * 60_000);

test("products, orders and customers come as webhooks have them, page by page, and later only what has changed", async () => {
  for (let number = 1; number <= 130; number += 1) await write("POST", "products", product(`P${number}`, [variant(`SKU-${number}`)]));
  const order = { line_items: [{ title: "Lamp", quantity: 1, price: "10.00" }], currency: "SEK" };
  const { order: made } = await write("POST", "orders", { order });
  await write("POST", `orders/${made?.id}/close`, {});
  await write("POST", "customers", { customer: { email: "ada@example.com" } });

  const first = await poll("item");
  expect(first.calls).toEqual(["GET products.json", "GET products.json"]);
  expect(await documentsOf("item", first.objects)).toHaveLength(130);
  expect(await documentsOf("price", first.objects)).toHaveLength(130);
  expect(await documentsOf("order", (await poll("order")).objects)).toMatchObject([{ currency: "SEK" }]);
  expect(await documentsOf("customer", (await poll("customer")).objects)).toMatchObject([{ email: "ada@example.com" }]);

  const now = minutes(10);
  const later = { now, headers: { date: now.toUTCString() } };
  const second = await poll("item", { cursor: first.cursor, ...later });
  expect(second.names).toEqual(first.names);
  expect((await poll("item", { cursor: second.cursor, ...later })).objects).toEqual([]);
});

test("what changes behind the page that is being read is the next round's, which goes back by some minutes and knows the rest by name", async () => {
  const ids: number[] = [];
  for (let number = 1; number <= 101; number += 1) {
    const { product: made } = await write("POST", "products", product(`P${number}`, [variant(`SKU-${number}`)]));
    ids.push(made?.id ?? 0);
  }
  const begun = new Date();
  const page = await askPage("item", { now: begun }, []);
  expect(page).toMatchObject({ hasMore: true });
  await write("PUT", `products/${ids[0]}`, { product: { title: "Renamed" } });
  const rest = await poll("item", { cursor: page.cursor, now: minutes(5) });
  expect(rest.objects).toMatchObject([{ title: "P101" }]);
  const since = new Date(JSON.parse(rest.cursor ?? "{}").since).getTime();
  expect(begun.getTime() - since).toBeGreaterThanOrEqual(120_000);
  const next = await poll("item", { cursor: rest.cursor });
  expect(next.objects).toContainEqual(expect.objectContaining({ title: "Renamed" }));
  expect(next.names).toContain(rest.names[0]);
});

test.each([
  ["the shop's clock is behind", "Sun, 29 Nov 2026 08:00:00 GMT", "2026-11-29T07:58:00.000Z"],
  ["the shop's clock is ahead", "Sun, 29 Nov 2026 23:00:00 GMT", "2026-11-29T08:58:00.000Z"],
  ["the shop's clock is not told", "", "2026-11-29T08:58:00.000Z"],
])("where %s, the next round begins by the earlier one of both", async (_what, date, since) => {
  const { cursor } = await poll("customer", { now: new Date("2026-11-29T09:00:00Z"), headers: { date } });
  expect(JSON.parse(cursor ?? "{}")).toEqual({ since, after: null, until: null });
});

test("only orders of which something was sent come for shipments", async () => {
  const line_items = [{ title: "Lamp", sku: "L", quantity: 1, price: "10.00" }];
  const [{ order: sent }] = [await write("POST", "orders", { order: { name: "#7", currency: "SEK", line_items } })];
  await write("POST", "orders", { order: { name: "#8", currency: "SEK", line_items } });
  const url = `${sandbox.url}/shopify/shop/admin/api/2026-07/orders/${sent?.id}/fulfillment_orders.json`;
  const answer = await fetch(url, { headers: { "x-shopify-access-token": "token" } });
  const { fulfillment_orders: open } = JSON.parse(await answer.text());
  await write("POST", "fulfillments", { fulfillment: { line_items_by_fulfillment_order: [{ fulfillment_order_id: open[0].id }] } });
  expect(await documentsOf("shipment", (await poll("shipment")).objects)).toMatchObject([{ orderNumber: "7" }]);
});

test("levels come with the sku of their inventory item; what the shop doesn't count is left out", async () => {
  const skus = Array.from({ length: 60 }, (_, index) => `A-${index}`);
  const { product: counted } = await write("POST", "products", product("Counted", skus.map(variant)));
  const { product: more } = await write(
    "POST",
    "products",
    product(
      "More",
      skus.map((sku) => variant(`B-${sku}`)),
    ),
  );
  const { product: uncounted } = await write("POST", "products", product("Card", [{ ...variant("CARD"), inventory_management: null }]));
  const items = [counted, more, uncounted].flatMap((each) => each?.variants.map(({ inventory_item_id: id }) => id) ?? []);
  for (const id of items)
    await write("POST", "inventory_levels/set", { inventory_item_id: id, location_id: locationId, available: id === items[0] ? 7 : 3 });

  const { objects, calls } = await poll("stock");
  expect(calls).toEqual(["GET inventory_levels.json", "GET inventory_items.json", "GET inventory_levels.json", "GET inventory_items.json"]);
  const documents = await documentsOf("stock", objects);
  expect(documents).toHaveLength(120);
  expect(documents).toContainEqual(expect.objectContaining({ sku: "A-0", warehouse: "default", quantity: "7" }));
  expect(documents).not.toContainEqual(expect.objectContaining({ sku: "CARD" }));

  const first = await askPage("stock", {}, []);
  expect(first).toMatchObject({ hasMore: true });
  const forgotten = { ...JSON.parse(first.cursor ?? "{}"), after: "forgotten" };
  expect((await poll("stock", { cursor: JSON.stringify(forgotten) })).objects).toHaveLength(120);
});

test("stock needs locations, unless product messages tell it", async () => {
  const unset = { locationId: undefined };
  await expect(poll("stock", { point: unset })).rejects.toThrow("locationId and locationIds are missing");
  await write("POST", "products", product("Lamp", [variant("L-1")]));
  expect((await poll("stock", { point: { ...unset, stockFromProducts: true } })).calls).toEqual(["GET products.json"]);
});

test("of a product with more than a hundred variants all come, some such products at a time", async () => {
  for (const name of ["A", "B", "C", "D", "E"]) await write("POST", "products", product(name, many(name, name === "A" ? 230 : 100)));
  await write("POST", "products", product("F", many("F", 1)));
  const { objects, calls } = await poll("item");
  expect(calls.map((call) => call.replace(/^\w+ /, ""))).toEqual([
    "products.json",
    ...Array.from({ length: 6 }, () => "graphql.json"),
    "products.json",
    "graphql.json",
  ]);
  const documents = await documentsOf("item", objects);
  expect(documents).toHaveLength(230 + 400 + 1);
  const readBack = await new Driver(shopify).list({ settings: settings(), credentials: { accessToken: "token" } }, "price");
  if ("kind" in readBack) throw new Error(readBack.error.message);
  expect(readBack).toMatchObject({ pages: 2 });
  expect(new Set(readBack.objects.map(({ key }) => key)).size).toBe(230 + 400 + 1);
  expect(documents).toContainEqual(expect.objectContaining({ sku: "A-229", options: [{ name: "Size", value: "A-229" }] }));
  const [received] = await Promise.all(
    objects
      .slice(0, 1)
      .map((each) => shopify.receive({ body: Buffer.from(JSON.stringify(each)), headers: {}, settings: settings(), entityType: "item" })),
  );
  expect(received).toMatchObject({ wholes: [{ skus: expect.arrayContaining(["A-229"]) }], remarks: [] });
});
