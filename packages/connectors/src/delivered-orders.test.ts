import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { expect, test } from "vitest";
import { connectors } from "./index.ts";

const money = (amount: string) => ({ amount, currency: "SEK" });
const order = {
  orderNumber: "10023",
  orderedAt: "2026-11-01T08:00:00+01:00",
  currency: "SEK",
  customer: { email: "ada@example.com" },
  lines: [
    { lineNumber: "1", sku: "A-1", description: null, quantity: "2", unitPrice: money("19.90"), discount: money("0.10") },
    {
      lineNumber: "2",
      kind: "shipping",
      sku: null,
      description: "Post",
      quantity: "2",
      unitPrice: money("0.10"),
      tax: money("0.04"),
      taxRatePercent: "20",
    },
    { lineNumber: "3", kind: "shipping", sku: null, description: "Lift", quantity: "1", unitPrice: money("0.10") },
    { lineNumber: "4", kind: "discount", sku: "D", description: null, quantity: "-1", unitPrice: money("0.20") },
    { lineNumber: "5", kind: "fee", sku: null, description: "Invoice", quantity: "1", unitPrice: money("5") },
    { lineNumber: "6", kind: "fee", sku: null, description: null, quantity: "1", unitPrice: money("1") },
  ],
};

function requestOf(code: ConnectorCode, entityType: EntityType, document: object, point: { settings: object; credentials: object }) {
  const input = { entityType, document: JSON.stringify(document), key: "k", externalId: null, messageId: "1", ...point };
  return connectors[code].request(input);
}

/** The body that makes the order in a system that answered its look-up with `nothing`. */
async function bodyOf(
  code: ConnectorCode,
  point: { settings: object; credentials: object },
  nothing: string,
  products: { status: number; body: object } = { status: 200, body: { items: [] } },
  document: object = order,
) {
  const request = await requestOf(code, "order", document, point);
  if ("kind" in request) throw new Error(request.error.message);
  let verdict = connectors[code].verdict({ entityType: "order", request, response: { status: 200, headers: {}, body: nothing } });
  // Magento is asked for the products of its lines, too.
  const response = { status: products.status, headers: {}, body: JSON.stringify(products.body) };
  while (verdict.kind === "next" && verdict.request.method === "GET")
    verdict = connectors[code].verdict({ entityType: "order", request: verdict.request, response });
  if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
  return JSON.parse(verdict.request.body ?? "");
}

const shopPoint = { settings: { shopUrl: "https://shop.myshopify.com" }, credentials: { accessToken: "t" } };
const storePoint = { settings: { baseUrl: "https://x.example.com" }, credentials: { accessToken: "t" } };

test.each([
  ["shopify", shopPoint, '{"orders":[]}', (title: string) => ({ order: { line_items: [{ title }] } })],
  ["bigcommerce", storePoint, "", (name: string) => ({ products: [{ name }] })],
  ["magento", storePoint, '{"items":[]}', (name: string) => ({ entity: { items: [{ name }] } })],
] as const)("%s: a line without a text has a name all the same, and a long text is cut", async (code, point, nothing, naming) => {
  const [line] = order.lines;
  for (const [description, sku, title] of [
    [" ", "A-1", "A-1"],
    ["", null, "product"],
    ["👢".repeat(300), "A-1", "👢".repeat(250)],
  ] as const) {
    const document = { ...order, lines: [{ ...line, description, sku }] };
    expect(await bodyOf(code, point, nothing, undefined, document)).toMatchObject(naming(title));
  }
});

test("magento: carriage is counted as often as it was ordered, exactly, and discounts go along", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const { entity } = await bodyOf("magento", point, '{"items":[]}');
  expect(entity).toMatchObject({ shipping_amount: 0.3, discount_amount: -0.3 });
});

test("magento: an order has the state and status of a new one, without which the store doesn't show it", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const { entity } = await bodyOf("magento", point, '{"items":[]}');
  expect(entity).toMatchObject({ state: "new", status: "pending" });
});

test.each([
  ["names the products of its lines, without which the store doesn't cancel it", 200, { items: [{ id: 52, sku: "A-1" }] }, 52],
  [
    "of a token that may not read products is made as well",
    401,
    { message: "The consumer isn't authorized to access %resources." },
    undefined,
  ],
  ["whose skus make too long an address is made as well", 414, {}, undefined],
  ["of products that the store doesn't have, whose list is null, is made as well", 200, { items: null }, undefined],
])("magento: an order %s", async (_what, status, body, productId) => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const { entity } = await bodyOf("magento", point, '{"items":[]}', { status, body });
  expect(entity.items.map(({ product_id: id }: { product_id?: number }) => id)).toEqual([productId, undefined, undefined]);
});

test("magento: products are not asked for by what is no sku there: one with a comma, which parts two, or a longer one", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const [line] = order.lines;
  const lines = ["A,1", "x".repeat(65)].map((sku, index) => ({ ...line, lineNumber: String(index + 1), sku }));
  const { entity } = await bodyOf("magento", point, '{"items":null}', { status: 500, body: {} }, { ...order, lines });
  expect(entity.items).toMatchObject([{ sku: "A,1" }, { sku: "x".repeat(65) }]);
});

test("magento: a line of weighed goods says so, as the store would take whole pieces out of its stock", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const [pieces, ...others] = order.lines;
  const weighed = { ...order, lines: [{ ...pieces, quantity: "0.6" }, ...others] };
  const { entity } = await bodyOf("magento", point, '{"items":[]}', undefined, weighed);
  expect(entity.items.map(({ is_qty_decimal: isDecimal }: { is_qty_decimal?: number }) => isDecimal)).toEqual([1, undefined, undefined]);
});

test("bigcommerce: carriage is counted as often as it was ordered, exactly; discounts and fees go along", async () => {
  const point = { settings: { baseUrl: "https://api.example.com/stores/x" }, credentials: { accessToken: "t" } };
  const body = await bodyOf("bigcommerce", point, "");
  expect(body).toMatchObject({ shipping_cost_ex_tax: 0.3, shipping_cost_inc_tax: 0.34, discount_amount: 0.3 });
  expect(body.products).toMatchObject([{ sku: "A-1" }, { name: "Invoice", quantity: 1, price_inc_tax: 5 }, { name: "fee" }]);
});

test("shopify: the tax on carriage goes along", async () => {
  const point = { settings: { shopUrl: "https://shop.myshopify.com" }, credentials: { accessToken: "t" } };
  const { order: sent } = await bodyOf("shopify", point, '{"orders":[]}');
  expect(sent.shipping_lines).toMatchObject([{ price: "0.20", tax_lines: [{ price: "0.04", rate: 0.2 }] }, { price: "0.10" }]);
});

test("colect: a customer's address is the default one", async () => {
  const customer = { customerNumber: "17", addresses: [{ city: "Oslo" }, { city: "Bergen", isDefault: true }] };
  const point = { settings: { baseUrl: "https://connector.example.com" }, credentials: { apiKey: "k" } };
  const request = await requestOf("colect", "customer", customer, point);
  expect("kind" in request ? "" : request.body).toContain("<api:city>Bergen<");
});

test("colect: the time of an expected delivery is the same moment in UTC", async () => {
  const stock = { sku: "A-1", quantity: "1", incoming: { quantity: "5", expectedAt: "2026-11-21T00:30:00+01:00" } };
  const point = { settings: { baseUrl: "https://connector.example.com" }, credentials: { apiKey: "k" } };
  const request = await requestOf("colect", "stock", stock, point);
  expect("kind" in request ? "" : request.body).toContain("2026-11-20T23:30:00<");
});

test.each([
  [
    "sitoo",
    {
      settings: { baseUrl: "https://x.example.com", siteId: 1, currency: "SEK", priceReading: "without-tax" },
      credentials: { apiId: "a", password: "b" },
    },
    true,
    '"100.00"',
    "7",
  ],
  [
    "jetshop",
    { settings: { baseUrl: "https://x.example.com", shopId: "1", templateId: 1 }, credentials: { username: "a", password: "b" } },
    false,
    ">156.25<",
    null,
  ],
] as const)(
  "%s: a price in the other reading is turned by its rate, and refused without one",
  async (code, point, includesTax, expected, externalId) => {
    const price = { sku: "A-1", price: money("125.00"), includesTax };
    const sent = async (document: object) => {
      const input = { entityType: "price", document: JSON.stringify(document), key: "k", externalId, messageId: "1" } as const;
      return connectors[code].request({ ...input, ...point });
    };
    expect(await sent({ ...price, taxRatePercent: "25" })).toMatchObject({ body: expect.stringContaining(expected) });
    expect(await sent(price)).toMatchObject({ kind: "dead", error: { class: "tax" } });
  },
);
