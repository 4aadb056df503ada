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
  const input = { entityType, document: JSON.stringify(document), key: "k", externalId: null, messageId: "1", attempt: 1, ...point };
  return connectors[code].request(input);
}

/** The body that makes the order in a system that answered its look-up with `nothing`. */
async function bodyOf(code: ConnectorCode, point: { settings: object; credentials: object }, nothing: string) {
  const request = await requestOf(code, "order", order, point);
  if ("kind" in request) throw new Error(request.error.message);
  const verdict = connectors[code].verdict({ entityType: "order", request, response: { status: 200, headers: {}, body: nothing } });
  if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
  return JSON.parse(verdict.request.body ?? "");
}

test("magento: carriage is counted as often as it was ordered, exactly, and discounts go along", async () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const { entity } = await bodyOf("magento", point, '{"items":[]}');
  expect(entity).toMatchObject({ shipping_amount: 0.3, discount_amount: -0.3 });
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

test("colect: the time of an expected delivery is the same moment in UTC", async () => {
  const stock = { sku: "A-1", quantity: "1", incoming: { quantity: "5", expectedAt: "2026-11-21T00:30:00+01:00" } };
  const point = { settings: { baseUrl: "https://connector.example.com" }, credentials: { apiKey: "k" } };
  const request = await requestOf("colect", "stock", stock, point);
  expect("kind" in request ? "" : request.body).toContain("2026-11-20T23:30:00<");
});
