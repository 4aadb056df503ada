import { existsSync, readFileSync } from "node:fs";
import { canonicalSchemas } from "@crossdock/contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { settled } from "../testing.ts";
import { connectors } from "../index.ts";

const folder = process.env["CROSSDOCK_DATA"] ?? new URL("../../../../../shared/data", import.meta.url).pathname;
const file = `${folder}/api-payloads/magento/orders-shipments-invoices-refunds.json`;
const Payloads = z.array(z.object({ endpoint: z.string().nullish(), kind: z.string().nullish(), json: z.unknown() }));

async function receive(order: unknown) {
  const body = Buffer.from(JSON.stringify(order));
  return connectors.magento.receive({ body, headers: {}, settings: { baseUrl: "https://shop.example.com" }, entityType: "order" });
}

async function read(order: unknown) {
  const received = await receive(order);
  return canonicalSchemas.order.parse(received.kind === "documents" ? received.documents[0]?.document : undefined);
}

describe.skipIf(!existsSync(file))(`the order of Adobe's guide, ${file} (skipped where it is not)`, () => {
  test("becomes a canonical order whose bundle is told by its parts, which are what is sent", async () => {
    const payloads = Payloads.parse(JSON.parse(readFileSync(file, "utf8")));
    const order = payloads.find(({ endpoint, kind }) => kind === "Response" && endpoint?.endsWith("V1/orders/3"))?.json;
    const document = await read(order);
    expect(document).toMatchObject({
      currency: "USD",
      orderedAt: "2017-08-21T22:22:19Z",
      customer: { email: "jdoe@example.com", name: "Jane Doe" },
      billingAddress: { city: "Purchase", region: "New York", country: "US" },
      totals: { total: { amount: "165" } },
    });
    expect(document.lines.map(({ sku, kind, unitPrice }) => `${kind} ${sku} ${unitPrice.amount}`)).toEqual([
      "product WS12-M-Orange 22",
      "product 240-LV08 18",
      "product 24-WG082-blue 27",
      "product 24-WG084 5",
      "product 24-WG086 17",
      "product 24-WG088 19",
      "product MH01-S-Gray 52",
      "shipping null 5",
    ]);
  });
});

test.each([
  ["KIT-A-1-B-2", ["fee null 2×20", "product A-1 4×0", "product B-2 2×0"]],
  ["KIT", ["product KIT 2×20"]],
])("a bundle with a price of its own and the sku %s comes as %j", async (sku, expected) => {
  const items = [
    { item_id: 1, sku, product_type: "bundle", qty_ordered: 2, price: 20, row_total: 40, tax_amount: 10 },
    { item_id: 2, parent_item_id: 1, sku: "A-1", product_type: "simple", qty_ordered: 4, price: 0, row_total: 0 },
    { item_id: 3, parent_item_id: 1, sku: "B-2", product_type: "simple", qty_ordered: 2, price: 0, row_total: 0 },
  ];
  const order = { increment_id: "7", created_at: "2026-11-21 08:00:00", order_currency_code: "SEK", items };
  const document = await read(order);
  expect(document.lines.map((line) => `${line.kind} ${line.sku} ${line.quantity}×${line.unitPrice.amount}`)).toEqual(expected);
  expect(document.lines[0]?.tax).toEqual({ amount: "10", currency: "SEK" });
});

test("an order of a great many lines takes no longer than they do", async () => {
  const began = performance.now();
  const items = Array.from({ length: 20_000 }, (_, index) => ({ item_id: index + 1, sku: `A-${index}`, qty_ordered: 1, price: 10 }));
  const order = { increment_id: "7", created_at: "2026-11-21 08:00:00", order_currency_code: "SEK", items };
  const received = await receive(order);
  expect(received).toMatchObject({ documents: [{ document: { lines: { length: 20_000 } } }] });
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("an order and a customer of a country without regions come over: the store leaves out what it has nothing for", async () => {
  const place = { firstname: "Ada", lastname: "Berg", street: ["Storgatan 1"], city: "Malmö", postcode: "211 20", country_id: "SE" };
  const order = {
    increment_id: "000000007",
    created_at: "2026-11-21 08:00:00",
    order_currency_code: "SEK",
    items: [{ item_id: 1, sku: "A-1", qty_ordered: 1, price: 10 }],
    billing_address: place,
    extension_attributes: { shipping_assignments: [{ shipping: { address: place } }] },
  };
  const messages = { order, customer: { id: 7, email: "ada@example.com", addresses: [place] } } as const;
  for (const entityType of ["order", "customer"] as const) {
    const body = Buffer.from(JSON.stringify(messages[entityType]));
    const received = await connectors.magento.receive({ body, headers: {}, entityType, settings: { baseUrl: "https://shop.example.com" } });
    const document: unknown = received.kind === "documents" ? received.documents[0]?.document : received;
    expect(canonicalSchemas[entityType].safeParse(document).success).toBe(true);
    expect(JSON.stringify(document)).toContain("Malmö");
  }
});

test("of an address of more lines than five none is lost", async () => {
  const line = { item_id: 1, sku: "A-1", qty_ordered: 1, price: 10 };
  const street = ["c/o Berg", "Storgatan 1", "", "Port B", "2 tr", "Lgh 1201", "Kod 1234"];
  const { billingAddress } = await read({
    increment_id: "1",
    created_at: "2026-11-21 08:30:00",
    order_currency_code: "SEK",
    billing_address: { street },
    items: [line],
  });
  expect(billingAddress?.street).toEqual(["c/o Berg", "Storgatan 1", "Port B", "2 tr", "Lgh 1201, Kod 1234"]);
});

test("a product's attributes that are options become the item's options, others stay out", async () => {
  const custom = { color: "49", size: "L", material: "cotton", url_key: "coat" };
  const product = {
    sku: "C-1",
    name: "Coat",
    custom_attributes: Object.entries(custom).map(([attribute_code, value]) => ({ attribute_code, value })),
  };
  const optionsOf = async (settings: object) => {
    const body = Buffer.from(JSON.stringify(product));
    const received = await connectors.magento.receive({
      body,
      headers: {},
      entityType: "item",
      settings: { baseUrl: "https://shop.example.com", ...settings },
    });
    return canonicalSchemas.item.parse(received.kind === "documents" ? received.documents[0]?.document : undefined).options;
  };
  expect(await optionsOf({})).toEqual([
    { name: "color", value: "49" },
    { name: "size", value: "L" },
  ]);
  expect(await optionsOf({ options: ["material"] })).toEqual([{ name: "material", value: "cotton" }]);
  expect(await optionsOf({ options: [] })).toBeNull();
});

test.each([
  ["simple", "documents"],
  ["bundle", "documents"],
  ["configurable", "ignored"],
  ["grouped", "ignored"],
])("a product of type %s comes as %s", async (type, kind) => {
  const body = Buffer.from(JSON.stringify({ sku: "A-1", name: "Shirt", type_id: type }));
  const settings = { baseUrl: "https://shop.example.com" };
  expect(await connectors.magento.receive({ body, headers: {}, settings, entityType: "item" })).toMatchObject({ kind });
});

test("places in an error's text are filled with its parameters", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const request = await connectors.magento.request({
    entityType: "stock",
    document: '{"sku":"A-1","quantity":"1"}',
    key: "A-1",
    externalId: null,
    messageId: "1",
    ...point,
  });
  if ("kind" in request) throw new Error(request.error.message);
  const body = '{"message":"Validation Failed","errors":[{"message":"Source with code %code not found","parameters":{"code":"default"}}]}';
  expect(connectors.magento.verdict({ entityType: "stock", request, response: { status: 400, headers: {}, body } })).toMatchObject({
    kind: "dead",
    error: { message: "HTTP 400: Validation Failed: Source with code default not found" },
  });
});

test("named places are filled from a list as the store orders it, which is by its row", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com", currency: "SEK" }, credentials: { accessToken: "t" } };
  const price = { sku: "A-1", price: { amount: "10.00", currency: "SEK" } };
  const input = { entityType: "price", document: JSON.stringify(price), key: "A-1", externalId: null, messageId: "1", ...point } as const;
  const request = await connectors.magento.request(input);
  if ("kind" in request) throw new Error(request.error.message);
  const refused = {
    message: "Invalid attribute Website ID = %websiteId. Row ID: SKU = %SKU, Website ID: %websiteId, Quantity: %qty.",
    parameters: ["A-1", "2", "3"],
  };
  const response = { status: 200, headers: {}, body: JSON.stringify([refused]) };
  expect(connectors.magento.verdict({ entityType: "price", request, response })).toMatchObject({
    error: { message: "Invalid attribute Website ID = 2. Row ID: SKU = A-1, Website ID: 2, Quantity: 3." },
  });
});

const answer = (items: object[]) => ({ status: 200, headers: {}, body: JSON.stringify({ items }) });

test("a change with a time far ahead moves no cursor, and one that was moved by it goes back", () => {
  const point = {
    settings: { baseUrl: "https://shop.example.com" },
    credentials: { accessToken: "t" },
    now: new Date("2026-11-21T10:00:00Z"),
  };
  const ask = (cursor: string | null, given: object = point) => {
    const pull = connectors.magento.pull?.next({ entityType: "order", cursor, ...point, ...given });
    if (!pull || "kind" in pull) throw new Error("no pull");
    return pull;
  };
  const since = (cursor: string | null) =>
    new URL(ask(cursor).request.url).searchParams.get("searchCriteria[filter_groups][0][filters][0][value]");
  const items = ["2026-11-21 08:00:00", "9999-12-31 00:00:00"].map((updated_at, entity_id) => ({ entity_id, updated_at }));
  const page = ask(null).read(answer(items));
  expect(page).toMatchObject({ kind: "page", messages: { length: 2 } });
  expect(since(page.kind === "page" ? page.cursor : null)).toBe("2026-11-21 08:00:00");
  const moved = ask(null, { now: undefined }).read(answer(items));
  expect(since(moved.kind === "page" ? moved.cursor : null)).toBeNull();
});

test("a changed order is asked for from the newest change on, page by page", () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const ask = (cursor: string | null) => {
    const pull = connectors.magento.pull?.next({ entityType: "order", cursor, ...point });
    if (!pull || "kind" in pull) throw new Error("no pull");
    return pull;
  };
  const items = Array.from({ length: 100 }, (_, index) => ({ entity_id: index, updated_at: "2026-11-21 08:00:00" }));
  const first = ask(null).read(answer(items));
  expect(first).toMatchObject({ kind: "page", hasMore: true, messages: { length: 100 } });
  const second = ask(first.kind === "page" ? first.cursor : null);
  expect(new URL(second.request.url).searchParams.get("searchCriteria[currentPage]")).toBe("2");
  const newest = second.read(answer([{ entity_id: 100, updated_at: "2026-11-21 09:00:00" }]));
  expect(newest).toMatchObject({ hasMore: true, messages: [{ name: "100@2026-11-21 09:00:00" }] });
  // What has a single moment is read once more: something may have moved from one page to the one before.
  const again = ask(newest.kind === "page" ? newest.cursor : null);
  expect(new URL(again.request.url).searchParams.get("searchCriteria[currentPage]")).toBe("1");
  const last = again.read(answer(items));
  expect(last).toMatchObject({ hasMore: false });
  const next = new URL(ask(last.kind === "page" ? last.cursor : null).request.url).searchParams;
  expect(next.get("searchCriteria[filter_groups][0][filters][0][value]")).toBe("2026-11-21 09:00:00");
  expect(next.get("searchCriteria[currentPage]")).toBe("1");
});

describe("a customer", () => {
  const document = { customerNumber: "17", email: "Ada@Example.com", firstName: "Ada", lastName: "Berg", acceptsMarketing: false };
  const saved = async (settings: object, externalId: string | null, found: unknown) => {
    const request = await connectors.magento.request({
      entityType: "customer",
      document: JSON.stringify(document),
      key: "17",
      externalId,
      messageId: "1",
      settings: { baseUrl: "https://shop.example.com", ...settings },
      credentials: { accessToken: "t" },
    });
    if ("kind" in request) throw new Error(request.error.message);
    const response = { status: 200, headers: {}, body: JSON.stringify(found) };
    const verdict = settled(connectors.magento.verdict({ entityType: "customer", request, response }));
    if (verdict.kind !== "next") throw new Error(verdict.kind);
    return { method: verdict.request.method, ...JSON.parse(verdict.request.body ?? "").customer };
  };

  test("stays on its own website, and its consent goes along", async () => {
    expect(await saved({}, "5", { id: 5, website_id: 3 })).toMatchObject({
      method: "PUT",
      id: 5,
      website_id: 3,
      extension_attributes: { is_subscribed: false },
    });
    expect(await saved({}, null, { items: [{ id: 5, website_id: 3 }] })).toMatchObject({ method: "PUT", id: 5, website_id: 3 });
  });

  test("of another website is another one where the store keeps them apart", async () => {
    const items = [
      { id: 5, website_id: 3 },
      { id: 6, website_id: 2 },
    ];
    expect(await saved({ websiteId: 2 }, null, { items })).toMatchObject({ method: "PUT", id: 6, website_id: 2 });
    expect(await saved({ websiteId: 4 }, null, { items })).toMatchObject({ method: "POST", website_id: 4 });
  });
});

test("an item is not written over another one whose sku differs in letter case only", async () => {
  const request = await connectors.magento.request({
    entityType: "item",
    document: '{"sku":"85231g","name":"Bag"}',
    key: "85231g",
    externalId: null,
    messageId: "1",
    settings: { baseUrl: "https://shop.example.com" },
    credentials: { accessToken: "t" },
  });
  if ("kind" in request) throw new Error(request.error.message);
  const answered = (sku: string) => {
    const body = JSON.stringify({ items: [{ sku }], total_count: 1 });
    return connectors.magento.verdict({ entityType: "item", request, response: { status: 200, headers: {}, body } });
  };
  expect(answered("85231G")).toMatchObject({ kind: "dead", error: { class: "key" } });
  expect(answered("85231g")).toMatchObject({ kind: "next", request: { method: "POST" } });
});
