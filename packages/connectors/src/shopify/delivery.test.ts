import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import type { EntityType } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OutboundRequest, TargetResponse, Verdict } from "../connector.ts";
import { settled } from "../testing.ts";
import { connectors } from "../index.ts";

const { shopify } = connectors;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("shop"));

type Options = { externalId?: string | null; messageId?: string; settings?: object; credentials?: object };

function prepare(entityType: EntityType, document: object, { externalId = null, messageId = "1", settings, credentials }: Options = {}) {
  return shopify.request({
    entityType,
    document: JSON.stringify(document),
    key: "key",
    externalId,
    settings: { shopUrl: `${sandbox.url}/shopify/shop`, locationId: "655441491", currency: "SEK", ...settings },
    credentials: credentials ?? { accessToken: "token" },
    messageId,
  });
}

async function send({ method, url, headers, body }: OutboundRequest): Promise<TargetResponse> {
  const response = await fetch(url, { method, headers, body });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

/** What the server does: send, ask, and go on until there is a verdict. */
async function deliver(
  entityType: EntityType,
  document: object,
  options: Options = {},
  exchange = send,
): Promise<{ verdict: Verdict; calls: string[] }> {
  const calls: string[] = [];
  let request = await prepare(entityType, document, options);
  while (!("kind" in request)) {
    calls.push(
      `${request.method} ${new URL(request.url).pathname
        .split("/")
        .slice(6)
        .join("/")
        .replace(/\d{6,}/g, ":id")}`,
    );
    const verdict = settled(shopify.verdict({ entityType, request, response: await exchange(request) }));
    if (verdict.kind !== "next") return { verdict, calls };
    request = verdict.request;
  }
  return { verdict: request, calls };
}

async function read(path: string) {
  const response = await fetch(`${sandbox.url}/shopify/shop/admin/api/2026-07/${path}`, { headers: { "x-shopify-access-token": "token" } });
  return JSON.parse(await response.text());
}

/** What the shop's search for a sku answers: a page, behind which others are where it has a cursor. */
function variantsFound(skus: readonly string[], endCursor: string | null = null): TargetResponse {
  const nodes = skus.map((sku, index) => {
    const reference = { legacyResourceId: `${(index + 1) * 11}` };
    return { sku, ...reference, product: reference, inventoryItem: reference };
  });
  const pageInfo = { hasNextPage: endCursor !== null, endCursor };
  return { status: 200, headers: {}, body: JSON.stringify({ data: { productVariants: { nodes, pageInfo } } }) };
}

async function optionsShown(): Promise<unknown[][]> {
  const { products } = await read("products.json");
  return products.map(({ variants }: { variants: Record<string, unknown>[] }) =>
    variants.map(({ option1, option2 }) => [option1, option2]),
  );
}

function externalIdOf(verdict: Verdict): string {
  if (verdict.kind === "delivered" && verdict.externalId !== undefined) return verdict.externalId;
  throw new Error(`no external id: ${JSON.stringify(verdict)}`);
}

const item = { sku: "A-1", name: "Boots", description: "warm & dry", tags: ["new"], weight: { value: "1.5", unit: "kg" } };
const price = { sku: "A-1", price: { amount: "199.00", currency: "SEK" }, compareAtPrice: { amount: "249.00", currency: "SEK" } };
const money = (amount: string) => ({ amount, currency: "SEK" });
const order = {
  orderNumber: "10023",
  orderedAt: "2026-11-01T08:00:00+01:00",
  currency: "SEK",
  customer: { email: "a@example.com" },
  lines: [
    { lineNumber: "1", sku: "A-1", description: null, quantity: "3", unitPrice: money("19.90"), discount: money("0.10") },
    { lineNumber: "2", kind: "shipping", sku: null, description: "Post", quantity: "1", unitPrice: money("49.00") },
    { lineNumber: "3", kind: "discount", sku: "D", description: null, quantity: "-1", unitPrice: money("0.20") },
  ],
};

describe("items", () => {
  test("an unknown item is looked up, then created; a known one is updated without harm to its sisters", async () => {
    const first = await deliver("item", item);
    expect(first.calls).toEqual(["POST graphql.json", "GET products.json", "POST products.json"]);
    const externalId = externalIdOf(first.verdict);
    const again = await deliver("item", { ...item, name: "Better boots" }, { externalId });
    expect(again).toEqual({ verdict: { kind: "delivered", externalId }, calls: ["PUT products/:id.json", "PUT variants/:id.json"] });
    const { products } = await read("products.json");
    expect(products).toMatchObject([{ title: "Better boots", body_html: "warm &amp; dry", variants: [{ sku: "A-1", weight: 1.5 }] }]);
  });

  test("the same create sent twice, its first answer lost, makes one product", async () => {
    const lost = await deliver("item", item, {}, async (request) => {
      const answer = await send(request);
      const isCreate = request.method === "POST" && request.url.endsWith("/products.json");
      return isCreate ? { status: 500, headers: {}, body: "" } : answer;
    });
    expect(lost.verdict).toMatchObject({ kind: "retry", isTargetFault: true });
    expect((await deliver("item", item)).calls).toEqual(["POST graphql.json", "PUT products/:id.json", "PUT variants/:id.json"]);
    expect((await read("products.json")).products).toHaveLength(1);
  });

  test.each(["Boots 7", "blåbär-7", "长靴"])("variants of the group %s become variants of one product", async (key) => {
    const group = { key, name: "Boots" };
    for (const size of ["41", "42", "43"])
      await deliver("item", { ...item, sku: `B-${size}`, group, options: [{ name: "Size", value: size }] });
    const { products } = await read("products.json");
    expect(products).toHaveLength(1);
    expect(products[0].variants.map((variant: { option1: string; sku: string }) => [variant.option1, variant.sku])).toEqual([
      ["41", "B-41"],
      ["42", "B-42"],
      ["43", "B-43"],
    ]);
  });

  test.each([
    ["an item", item],
    ["a variant of a group", { ...item, group: { key: "Boots 7", name: "Boots" } }],
  ])("%s whose create was answered too late is found, though the shop's search is behind", async (_name, document) => {
    const first = await deliver("item", document);
    const { products } = await read("products.json");
    // The search as it is some seconds after the create.
    const second = await prepare("item", document);
    if ("kind" in second) throw new Error(second.error.message);
    let verdict = shopify.verdict({ entityType: "item", request: second, response: variantsFound([]) });
    while (verdict.kind === "next") {
      const { request } = verdict;
      verdict = shopify.verdict({ entityType: "item", request, response: await send(request) });
    }
    expect(verdict).toEqual(first.verdict);
    expect((await read("products.json")).products).toHaveLength(products.length);
  });

  test("groups whose keys differ only in signs or letter case are different products", async () => {
    const keys = ["Boots 7", "boots-7", "BOOTS/7", "boots_7", "böots-7", "--", "长靴", "靴子"];
    for (const key of keys) await deliver("item", { ...item, sku: `sku ${key}`, group: { key, name: "Boots" } });
    expect((await read("products.json")).products).toHaveLength(keys.length);
  });

  test("options are known by their names, in whichever order an item has them", async () => {
    const group = { key: "Boots 7", name: "Boots" };
    const variant = (sku: string, ...options: [name: string, value: string][]) => ({
      ...item,
      sku,
      group,
      options: options.map(([name, value]) => ({ name, value })),
    });
    await deliver("item", variant("B-42", ["Size", "42"], ["Color", "Red"]));
    const turned = variant("B-43", ["Color", "Red"], ["Size", "43"]);
    const externalId = externalIdOf((await deliver("item", turned)).verdict);
    const expected = [
      [
        ["42", "Red"],
        ["43", "Red"],
      ],
    ];
    expect(await optionsShown()).toEqual(expected);
    await deliver("item", turned, { externalId });
    await deliver("item", variant("B-43", ["color", "Red"]), { externalId });
    expect(await optionsShown()).toEqual(expected);
    // The shop calls them otherwise: their order is all that is known.
    await deliver("item", variant("B-43", ["Storlek", "44"], ["Färg", "Blå"]), { externalId });
    expect(await optionsShown()).toEqual([
      [
        ["42", "Red"],
        ["44", "Blå"],
      ],
    ]);
  });

  test("an option that the shop has no place for is told", async () => {
    const options = ["A", "B", "C", "D"].map((name) => ({ name, value: "1" }));
    expect(await prepare("item", { ...item, options })).toMatchObject({ leftOut: ["options"] });
    expect(await prepare("item", { ...item, options: options.slice(1) })).not.toHaveProperty("leftOut");
  });

  test("a variant that is no longer sold leaves its sisters on sale; the last of them archives the product", async () => {
    const group = { key: "Boots 7", name: "Boots" };
    const sized = (size: string) => ({ ...item, sku: `B-${size}`, group, options: [{ name: "Size", value: size }] });
    await deliver("item", sized("42"));
    const externalId = externalIdOf((await deliver("item", sized("41"))).verdict);
    await deliver("item", { ...sized("41"), isActive: false }, { externalId });
    expect((await read("products.json")).products).toMatchObject([{ status: "active", variants: [{}, { inventory_policy: "deny" }] }]);
    const alone = await deliver("item", item);
    await deliver("item", { ...item, isActive: false }, { externalId: externalIdOf(alone.verdict) });
    expect((await read("products.json")).products).toMatchObject([{ status: "active" }, { status: "archived" }]);
  });

  test("a product of which no variant is sold any more is archived; one variant that its source deleted has to be sold out", async () => {
    const group = { key: "Boots 7", name: "Boots" };
    const sized = (size: string) => ({ ...item, sku: `B-${size}`, group, options: [{ name: "Size", value: size }] });
    await deliver("item", sized("42"));
    const externalId = externalIdOf((await deliver("item", sized("41"))).verdict);
    const gone = { ...sized("41"), isActive: false, deletedAt: "2026-11-02T08:30:00Z" };
    await deliver("stock", { sku: "B-41", quantity: "5" });
    expect((await deliver("item", gone, { externalId })).verdict).toMatchObject({ kind: "retry", error: { class: "variant-on-sale" } });
    await deliver("stock", { sku: "B-41", quantity: "0" });
    expect((await deliver("item", gone, { externalId })).verdict).toEqual({ kind: "delivered", externalId });
    expect((await read("products.json")).products).toMatchObject([{ status: "active" }]);
    await deliver("item", { ...gone, group: { ...group, isActive: false } }, { externalId });
    expect((await read("products.json")).products).toMatchObject([{ status: "archived" }]);
    expect((await deliver("item", gone, { externalId: "1/2/3" })).verdict).toEqual({ kind: "delivered" });
  });

  test("what people wrote in the shop stays, where the item says nothing of it", async () => {
    const first = await deliver("item", { ...item, brand: "Fjell", categories: ["Shoes"], barcode: "123" });
    const externalId = externalIdOf(first.verdict);
    await deliver("item", { sku: "A-1", name: null }, { externalId });
    expect((await read("products.json")).products).toMatchObject([
      { title: "Boots", body_html: "warm &amp; dry", vendor: "Fjell", product_type: "Shoes", tags: "new", variants: [{ barcode: "123" }] },
    ]);
    await deliver("item", { sku: "A-1", name: null, description: "", tags: [] }, { externalId });
    expect((await read("products.json")).products).toMatchObject([{ title: "Boots", body_html: "", tags: "" }]);
  });

  test("of several variants with one sku none is written, as nothing tells which is meant", async () => {
    const documents = [
      ["item", item],
      ["price", price],
      ["stock", { sku: "A-1", quantity: "1" }],
    ] as const;
    for (const [entityType, document] of documents) {
      const request = await prepare(entityType, document);
      if ("kind" in request) throw new Error(request.error.message);
      const verdict = shopify.verdict({ entityType, request, response: variantsFound(["A-1", "A-1"]) });
      expect(verdict).toMatchObject({ kind: "dead", error: { class: "sku-ambiguous" } });
    }
  });

  test("a variant whose sku has blanks at its ends in the shop is found, and makes no second product", async () => {
    const paths = { item: "products/11.json", price: "variants/11.json", stock: "inventory_levels/set.json" };
    for (const [entityType, document] of [
      ["item", item],
      ["price", price],
      ["stock", { sku: "A-1", quantity: "1" }],
    ] as const) {
      const request = await prepare(entityType, document);
      if ("kind" in request) throw new Error(request.error.message);
      const verdict = shopify.verdict({ entityType, request, response: variantsFound([" A-1 "]) });
      expect(verdict).toMatchObject({ kind: "next", request: { url: expect.stringContaining(paths[entityType]) } });
    }
  });

  test("a variant that the shop's search shows behind fifty others is found, and one of its sku behind that, too", async () => {
    const answer = (request: Awaited<ReturnType<typeof prepare>>, response: TargetResponse) => {
      if ("kind" in request) throw new Error(request.error.message);
      const verdict = shopify.verdict({ entityType: "item", request, response });
      if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
      return verdict.request;
    };
    const longer = Array.from({ length: 50 }, (_, index) => `A-1-${index}`);
    const second = answer(await prepare("item", item), variantsFound(longer, "page 2"));
    expect(JSON.parse(second.body ?? "")).toMatchObject({ variables: { query: 'sku:"A-1"', after: "page 2" } });
    expect(answer(second, variantsFound(["A-1"])).url).toContain("products/11.json");
    const third = answer(second, variantsFound(["A-1"], "page 3"));
    expect(shopify.verdict({ entityType: "item", request: third, response: variantsFound(["A-1"]) })).toMatchObject({
      error: { class: "sku-ambiguous" },
    });
  });

  test("skus that differ in letter case stay two products", async () => {
    await deliver("item", { ...item, sku: "85231G" });
    await deliver("item", { ...item, sku: "85231g" });
    expect((await read("products.json")).products).toHaveLength(2);
  });

  test("a product that is to wait as a draft is not published by the item's next change", async () => {
    const settings = { newProductStatus: "draft" };
    const externalId = externalIdOf((await deliver("item", item, { settings })).verdict);
    await deliver("item", { ...item, name: "Better boots" }, { settings, externalId });
    expect((await read("products.json")).products).toMatchObject([{ title: "Better boots", status: "draft" }]);
    await deliver("item", { ...item, isActive: false }, { settings, externalId });
    expect((await read("products.json")).products).toMatchObject([{ status: "archived" }]);
  });

  test("an item that people deleted in the shop is a dead letter that says what to do", async () => {
    expect((await deliver("item", item, { externalId: "1/2/3" })).verdict).toMatchObject({
      kind: "dead",
      error: { class: "external-gone" },
    });
  });
});

describe("prices and stock", () => {
  test("find their variant by sku once, and know it from then on", async () => {
    await deliver("item", item);
    const first = await deliver("price", price);
    expect(first.calls).toEqual(["POST graphql.json", "PUT variants/:id.json"]);
    const externalId = externalIdOf(first.verdict);
    expect((await deliver("price", price, { externalId })).calls).toEqual(["PUT variants/:id.json"]);
    expect((await read(`variants/${externalId}.json`)).variant).toMatchObject({ price: "199.00", compare_at_price: "249.00" });

    const stock = await deliver("stock", { sku: "A-1", quantity: "42.00" });
    const levels = await read(`inventory_levels.json?inventory_item_ids=${externalIdOf(stock.verdict)}`);
    expect(levels.inventory_levels).toMatchObject([{ location_id: 655441491, available: 42 }]);
  });

  test("wait when the item has not reached the shop, without blaming the shop", async () => {
    expect((await deliver("price", price)).verdict).toMatchObject({
      kind: "retry",
      isTargetFault: false,
      error: { class: "item-unknown" },
    });
    expect((await deliver("stock", { sku: "A-1", quantity: "1" })).verdict).toMatchObject({ kind: "retry", isTargetFault: false });
  });

  test.each([
    ["a fraction", "stock", { sku: "A-1", quantity: "1.5" }, "fraction"],
    ["an unknown warehouse", "stock", { sku: "A-1", quantity: "1", warehouse: "moon" }, "mapping-missing"],
    ["a warehouse with the name of a built-in", "stock", { sku: "A-1", quantity: "1", warehouse: "constructor" }, "mapping-missing"],
    ["another price list", "price", { ...price, priceList: "b2b" }, "price-list"],
    ["another currency", "price", { ...price, price: { amount: "1", currency: "EUR" }, compareAtPrice: null }, "currency"],
    ["a document that a mapping broke", "price", { ...price, price: { amount: "cheap", currency: "SEK" } }, "validation"],
  ] as const)("%s fails for good, before anything is sent", async (_name, entityType, document, errorClass) => {
    const { verdict, calls } = await deliver(entityType, document, { settings: { currency: "SEK" } });
    expect(verdict).toMatchObject({ kind: "dead", error: { class: errorClass } });
    expect(calls).toEqual([]);
  });
});

describe("orders and shipments", () => {
  test("an order arrives with exact amounts; sent again it stays one order", async () => {
    const { verdict, calls } = await deliver("order", order);
    expect(calls).toEqual(["GET orders.json", "POST orders.json"]);
    const { order: stored } = await read(`orders/${externalIdOf(verdict)}.json`);
    expect(stored).toMatchObject({
      name: "10023",
      line_items: [{ sku: "A-1", title: "A-1", quantity: 3, price: "19.90" }],
      shipping_lines: [{ title: "Post", price: "49.00" }],
      discount_codes: [{ amount: "0.30", type: "fixed_amount" }],
    });
    expect((await deliver("order", order)).calls).toEqual(["GET orders.json", "PUT orders/:id.json"]);
    expect((await read("orders.json?status=any")).orders).toHaveLength(1);
  });

  test("notes and tags of an order stay where a later version of it has none", async () => {
    const { verdict } = await deliver("order", { ...order, note: "ring twice", tags: ["vip"] });
    await deliver("order", order, { externalId: externalIdOf(verdict) });
    expect((await read(`orders/${externalIdOf(verdict)}.json`)).order).toMatchObject({ note: "ring twice", tags: "vip" });
  });

  test("a cancellation cancels its order, once; one that names no order can't", async () => {
    await deliver("order", order);
    const cancellation = { ...order, orderNumber: "C10023", kind: "cancellation", cancels: "10023" };
    expect((await deliver("order", cancellation)).calls).toEqual(["GET orders.json", "POST orders/:id/cancel.json"]);
    expect((await deliver("order", cancellation)).calls).toEqual(["GET orders.json"]);
    expect((await deliver("order", { ...cancellation, cancels: null })).verdict).toMatchObject({ kind: "dead" });
    const never = { ...order, orderNumber: "10024", status: "cancelled" };
    expect(await deliver("order", never)).toEqual({ verdict: { kind: "delivered" }, calls: ["GET orders.json"] });
  });

  test.each([
    ["negative quantities", { quantity: "-1" }],
    ["fractions", { quantity: "1.5" }],
    ["negative prices", { unitPrice: money("-1.00") }],
  ])("%s fail for good, with the line", async (_name, change) => {
    const { verdict } = await deliver("order", { ...order, lines: [{ ...order.lines[0], ...change }] });
    expect(verdict).toMatchObject({ kind: "dead", error: { message: expect.stringContaining("line 1") } });
  });

  test("a shipment fulfils its part of the order, and the same tracking number is not sent twice", async () => {
    const shipment = {
      shipmentNumber: "S1",
      orderNumber: "10023",
      status: "shipped",
      carrier: "PostNord",
      tracking: [{ number: "T1" }],
      lines: [{ sku: "A-1", quantity: "2" }],
    };
    expect((await deliver("shipment", shipment)).verdict).toMatchObject({ kind: "retry", error: { class: "order-unknown" } });
    await deliver("order", order);
    const first = await deliver("shipment", shipment);
    expect(first.calls).toEqual(["GET orders.json", "GET orders/:id/fulfillment_orders.json", "POST fulfillments.json"]);
    expect(await deliver("shipment", shipment)).toEqual({ verdict: first.verdict, calls: ["GET orders.json"] });
    const tooMuch = { ...shipment, shipmentNumber: "S2", tracking: [{ number: "T2" }] };
    expect((await deliver("shipment", tooMuch)).verdict).toMatchObject({ kind: "dead", error: { class: "nothing-to-fulfil" } });
    const rest = await deliver("shipment", { ...tooMuch, lines: [] });
    expect(rest.verdict).toMatchObject({ kind: "delivered" });
    expect((await read("orders.json?status=any")).orders[0]).toMatchObject({ fulfillment_status: "fulfilled" });
  });
});

describe("shipments without a tracking number", () => {
  const shipment = { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines: [{ sku: "A-1", quantity: "1" }] };

  test("are known by their own number: one repeated is one, a second one of the same line is another", async () => {
    await deliver("order", order);
    const first = await deliver("shipment", shipment);
    expect((await deliver("shipment", shipment)).verdict).toEqual(first.verdict);
    const second = await deliver("shipment", { ...shipment, shipmentNumber: "S2" });
    expect(externalIdOf(second.verdict)).not.toBe(externalIdOf(first.verdict));
    expect((await read("orders.json?status=any")).orders[0].fulfillments).toHaveLength(2);
  });

  test("get one later, also where the first answer was lost", async () => {
    await deliver("order", order);
    const first = await deliver("shipment", shipment);
    const tracked = { ...shipment, tracking: [{ number: "T1" }] };
    expect((await deliver("shipment", tracked)).verdict).toEqual(first.verdict);
    expect((await read("orders.json?status=any")).orders[0].fulfillments).toMatchObject([{ tracking_number: "T1" }]);
    expect((await deliver("shipment", tracked)).calls).toEqual(["GET orders.json"]);
  });

  test("are cancelled once, however often that is told", async () => {
    await deliver("order", order);
    const externalId = externalIdOf((await deliver("shipment", shipment)).verdict);
    const cancelled = { ...shipment, status: "cancelled" };
    expect((await deliver("shipment", cancelled, { externalId })).calls).toEqual(["GET orders.json", "POST fulfillments/:id/cancel.json"]);
    expect(await deliver("shipment", cancelled, { externalId })).toEqual({
      verdict: { kind: "delivered", externalId },
      calls: ["GET orders.json"],
    });
  });
});

describe("customers", () => {
  test("are found by their address for mail, whatever its letter case", async () => {
    const customer = { customerNumber: "17850", email: "Bob@Example.com", lastName: "Norman" };
    const first = await deliver("customer", customer);
    expect(first.calls).toEqual(["GET customers/search.json", "POST customers.json"]);
    const second = await deliver("customer", { ...customer, email: "bob@example.com" });
    expect(second).toEqual({ verdict: first.verdict, calls: ["GET customers/search.json", "PUT customers/:id.json"] });
  });

  test("have the address first that is their default", async () => {
    const addresses = [{ city: "Oslo" }, { city: "Bergen", isDefault: true }, { city: "Tromsø", isDefault: false }];
    await deliver("customer", { customerNumber: "17850", lastName: "Norman", addresses });
    expect((await read("customers.json")).customers).toMatchObject([
      { addresses: [{ city: "Bergen" }, { city: "Oslo" }, { city: "Tromsø" }] },
    ]);
  });

  test("keep what is known of them where a later version says nothing of it", async () => {
    const customer = {
      customerNumber: "17850",
      email: "bob@example.com",
      phone: "+46701234567",
      lastName: "Norman",
      note: "deaf",
      tags: ["vip"],
    };
    const externalId = externalIdOf((await deliver("customer", customer)).verdict);
    await deliver("customer", { customerNumber: "17850", lastName: "Normann" }, { externalId });
    expect((await read("customers.json")).customers).toMatchObject([
      { last_name: "Normann", email: "bob@example.com", phone: "+46701234567", note: "deaf", tags: "vip" },
    ]);
  });

  test("wait for the shop's search where the shop has their address for mail already", async () => {
    const customer = { customerNumber: "17850", email: "bob@example.com", lastName: "Norman" };
    await deliver("customer", customer);
    const request = await prepare("customer", customer);
    if ("kind" in request) throw new Error(request.error.message);
    const behind = shopify.verdict({ entityType: "customer", request, response: { status: 200, headers: {}, body: '{"customers":[]}' } });
    if (behind.kind !== "next") throw new Error(behind.kind);
    const verdict = shopify.verdict({ entityType: "customer", request: behind.request, response: await send(behind.request) });
    expect(verdict).toMatchObject({ kind: "retry", isTargetFault: false, error: { class: "customer-not-found-yet" } });
  });

  test("that have nothing but a number are known by it", async () => {
    await deliver("customer", { customerNumber: "17850" });
    expect((await read("customers.json")).customers).toMatchObject([{ last_name: "17850" }]);
  });

  test.each([
    ["https://erp.example.com/customers/1001", "https://erp.example.com/customers/1002"],
    ["A,1", "A 1"],
  ])("customers known by their numbers alone are two, though %s and %s are alike in what a tag can hold", async (one, other) => {
    const [first, second, again] = [
      await deliver("customer", { customerNumber: one }),
      await deliver("customer", { customerNumber: other }),
      await deliver("customer", { customerNumber: one }),
    ];
    expect(externalIdOf(second.verdict)).not.toBe(externalIdOf(first.verdict));
    expect(externalIdOf(again.verdict)).toBe(externalIdOf(first.verdict));
    expect(again.calls).toEqual(["GET customers/search.json", "PUT customers/:id.json"]);
  });

  test("without an address for mail are made without consent to it, and that is told", async () => {
    const customer = { customerNumber: "17850", phone: "+46701234567", acceptsMarketing: false };
    expect((await deliver("customer", customer)).verdict).toMatchObject({ kind: "delivered" });
    expect(await prepare("customer", customer)).toMatchObject({ leftOut: ["acceptsMarketing"] });
    expect(await prepare("customer", { ...customer, email: "bob@example.com" })).not.toHaveProperty("leftOut");
  });

  test.each([
    ["a phone only", { phone: "+46 70 123 45 67" }],
    ["neither mail nor phone", { firstName: "Bo", tags: ["vip"] }],
  ])("with %s are made once, though the first answer was lost", async (_name, fields) => {
    const customer = { customerNumber: "17850", ...fields };
    sandbox.control("shop", { mode: "500", when: "after", only: "*/customers.json" });
    expect((await deliver("customer", customer)).verdict).toMatchObject({ kind: "retry" });
    sandbox.control("shop", {});
    expect((await deliver("customer", customer)).calls).toEqual(["GET customers/search.json", "PUT customers/:id.json"]);
    expect((await read("customers.json")).customers).toHaveLength(1);
  });
});

async function answer(status: number, body: string, headers: Record<string, string> = {}): Promise<Verdict> {
  const request = await prepare("price", price, { externalId: "7" });
  if ("kind" in request) throw new Error(request.error.message);
  return shopify.verdict({ entityType: "price", request, response: { status, headers, body } });
}

const failed = (code: string) => JSON.stringify({ errors: [{ message: "Failed", extensions: { code } }] });

describe("answers", () => {
  test.each([
    [
      "429 with a decimal Retry-After",
      429,
      '{"errors":"Exceeded"}',
      { "retry-after": "2.0" },
      { kind: "retry", retryAfterMs: 2_000, isTargetFault: true },
    ],
    ["429 without Retry-After", 429, "", {}, { kind: "retry", isTargetFault: true }],
    [
      "429 with a date",
      429,
      "",
      { "retry-after": "Sun, 22 Nov 2026 10:00:30 GMT", date: "Sun, 22 Nov 2026 10:00:00 GMT" },
      { kind: "retry", retryAfterMs: 30_000 },
    ],
    [
      "429 with a date that has passed",
      429,
      "",
      { "retry-after": "Sun, 22 Nov 2026 09:00:00 GMT", date: "Sun, 22 Nov 2026 10:00:00 GMT" },
      { kind: "retry", retryAfterMs: 0 },
    ],
    ["429 with nonsense", 429, "", { "retry-after": "soon" }, { kind: "retry" }],
    ["500 in plain text", 500, "upstream", {}, { kind: "retry", error: { class: "http-500" } }],
    [
      "402 of a frozen shop",
      402,
      '{"errors":"Unavailable Shop"}',
      {},
      { kind: "retry", isTargetFault: true, error: { class: "http-402" } },
    ],
    ["423 of a locked shop", 423, "", {}, { kind: "retry", isTargetFault: true }],
    ["422", 422, '{"errors":{"price":["is invalid"]}}', {}, { kind: "dead", error: { message: "HTTP 422: price is invalid" } }],
    ["200 with errors", 200, '{"errors":{"base":["is not valid"]}}', {}, { kind: "dead", error: { message: "base is not valid" } }],
    ["200 with a fault of the shop", 200, failed("TIMEOUT"), {}, { kind: "retry", isTargetFault: true, error: { message: "Failed" } }],
    ["200 with a fault of ours", 200, failed("ACCESS_DENIED"), {}, { kind: "dead", error: { message: "Failed" } }],
    ["200 with a page", 200, "<html>", {}, { kind: "retry", error: { class: "not-json" } }],
    ["200 with null", 200, "null", {}, { kind: "retry", error: { class: "not-json" } }],
  ])("%s", async (_name, status, body, headers, expected) => {
    expect(await answer(status, body, headers)).toMatchObject(expected);
  });

  test("a throttled GraphQL answer waits until the bucket holds the query's cost again", async () => {
    const body = {
      errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }],
      extensions: {
        cost: { requestedQueryCost: 120, throttleStatus: { maximumAvailable: 1000, currentlyAvailable: 20, restoreRate: 50 } },
      },
    };
    expect(await answer(200, JSON.stringify(body))).toMatchObject({ kind: "retry", retryAfterMs: 2_000 });
  });

  test("an empty bucket of the shop is a retry after its own time", async () => {
    sandbox.control("shop", { bucket: { size: 0, leakPerSecond: 0 } });
    expect((await deliver("item", item)).verdict).toMatchObject({ kind: "retry", retryAfterMs: 2_000 });
  });

  test("every request names the message, and marks the token as secret", async () => {
    const request = await prepare("price", price, { externalId: "7", messageId: "42" });
    expect(request).toMatchObject({
      headers: { "x-crossdock-message-id": "42", "idempotency-key": "42", "x-shopify-access-token": "token" },
      secretHeaders: ["x-shopify-access-token"],
    });
  });

  test("for an app's id and secret a token is asked of the shop, which goes where Shopify looks for it", async () => {
    const request = await prepare("price", price, {
      externalId: "7",
      credentials: { clientId: "app", clientSecret: "s&cret", accessToken: "old" },
    });
    if ("kind" in request) throw new Error(request.error.message);
    expect(request.headers).not.toHaveProperty("x-shopify-access-token");
    expect(request.grant).toMatchObject({
      header: "x-shopify-access-token",
      request: {
        url: `${sandbox.url}/shopify/shop/admin/oauth/access_token`,
        body: "grant_type=client_credentials&client_id=app&client_secret=s%26cret",
      },
    });
    const answer = request.grant?.read(await send(request.grant.request));
    expect(answer).toMatchObject({ kind: "token" });
    expect((await deliver("price", price, { credentials: { clientId: "app" } })).verdict).toMatchObject({ fields: ["clientSecret"] });
  });

  test("without a token nothing is sent", async () => {
    expect((await deliver("price", price, { credentials: {} })).verdict).toMatchObject({ kind: "dead", error: { class: "configuration" } });
  });
});

const awaits = (id: number, location: number, lines: [id: number, line: number, left: number][], status = "open") => ({
  id,
  status,
  assigned_location_id: location,
  line_items: lines.map(([lineId, of, left]) => ({ id: lineId, line_item_id: of, fulfillable_quantity: left })),
});

test("an order is the one of exactly that number, with or without the shop's sign, whichever others are found", async () => {
  const request = await prepare("shipment", { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines: [] });
  if ("kind" in request) throw new Error(request.error.message);
  const verdictOf = (...names: string[]) => {
    const body = JSON.stringify({ orders: names.map((name, id) => ({ id, name })) });
    return shopify.verdict({ entityType: "shipment", request, response: { status: 200, headers: {}, body } });
  };
  expect(verdictOf("#100231", "#10023")).toMatchObject({ request: { url: expect.stringContaining("/orders/1/") } });
  expect(verdictOf("100231", "10023")).toMatchObject({ request: { url: expect.stringContaining("/orders/1/") } });
  expect(verdictOf("#100231")).toMatchObject({ kind: "retry", error: { class: "order-unknown" } });
});

describe("a shipment of an order that the shop sends from two locations", () => {
  const found = {
    id: 7,
    name: "#10023",
    line_items: [
      // With a blank at its end, as shops have skus.
      { id: 1, sku: "A-1 " },
      { id: 2, sku: "A-2" },
    ],
  };
  const split = [
    awaits(100, 11, [
      [101, 1, 1],
      [102, 2, 1],
    ]),
    awaits(200, 22, [[201, 1, 2]]),
  ];
  const shipment = { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines: [{ sku: "A-1", quantity: "1" }] };

  async function answered(document: object, fulfillmentOrders: object[]) {
    let request = await prepare("shipment", document, { settings: { locationIds: { malmo: "22" } } });
    for (const answer of [{ orders: [found] }, { fulfillment_orders: fulfillmentOrders }]) {
      if ("kind" in request) throw new Error(request.error.message);
      const body = JSON.stringify(answer);
      const verdict = shopify.verdict({ entityType: "shipment", request, response: { status: 200, headers: {}, body } });
      if (verdict.kind !== "next") return verdict;
      request = verdict.request;
    }
    if ("kind" in request) throw new Error(request.error.message);
    return JSON.parse(request.body ?? "").fulfillment.line_items_by_fulfillment_order;
  }

  test.each([
    ["of that of its warehouse", { ...shipment, warehouse: "malmo" }, [[200, [201, 1]]]],
    ["of the first that awaits all of it", shipment, [[100, [101, 1]]]],
    ["of the one that awaits all of it", { ...shipment, lines: [{ sku: "A-1", quantity: "2" }] }, [[200, [201, 2]]]],
    ["of all that its warehouse still has to send", { ...shipment, warehouse: "malmo", lines: [] }, [[200]]],
  ])("is %s", async (_name, document, expected) => {
    type Part = { fulfillment_order_id: number; fulfillment_order_line_items?: { id: number; quantity: number }[] };
    const parts: Part[] = await answered(document, split);
    const told = parts.map(({ fulfillment_order_id: id, fulfillment_order_line_items: lines }) => [
      id,
      ...(lines ?? []).map((line) => [line.id, line.quantity]),
    ]);
    expect(told).toEqual(expected);
  });

  test.each([
    ["without lines and warehouse", { ...shipment, lines: [] }],
    ["of more than one of them awaits", { ...shipment, lines: [{ sku: "A-1", quantity: "3" }] }],
    ["of more than one of them awaits, in two lines", { ...shipment, lines: ["2", "1"].map((quantity) => ({ sku: "A-1", quantity })) }],
  ])("%s fails with the reason", async (_name, document) => {
    expect(await answered(document, split)).toMatchObject({ kind: "dead", error: { class: "several-locations" } });
  });

  test.each(["on_hold", "scheduled"])("waits while the shop has it %s", async (status) => {
    expect(await answered(shipment, [awaits(100, 11, [[101, 1, 1]], status)])).toMatchObject({
      kind: "retry",
      isTargetFault: false,
      error: { class: "order-on-hold" },
    });
  });
});
