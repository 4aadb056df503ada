import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { expect, test } from "vitest";
import { connectors } from "./index.ts";

const magento = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
const bigcommerce = { settings: { baseUrl: "https://api.example.com/stores/x" }, credentials: { accessToken: "t" } };

/** The request that remains after the system has answered the ones before it. */
async function requestOf(
  code: ConnectorCode,
  entityType: EntityType,
  document: object,
  point: { settings: object; credentials: object },
  answers: { status: number; body: unknown }[] = [],
) {
  const input = { entityType, document: JSON.stringify(document), key: "k", externalId: null, messageId: "1", attempt: 1 };
  let request = await connectors[code].request({ ...input, ...point });
  for (const { status, body } of answers) {
    if ("kind" in request) throw new Error(request.error.message);
    const response = { status, headers: {}, body: JSON.stringify(body) };
    const verdict = connectors[code].verdict({ entityType, request, response });
    if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
    request = verdict.request;
  }
  if ("kind" in request) throw new Error(request.error.message);
  return JSON.parse(request.body ?? "");
}

test.each([
  ["kg", 1.5],
  ["lb", 3.306934],
])("magento: a weight in grams is one in the store's unit, %s", async (weightUnit, expected) => {
  const item = { sku: "A-1", name: "Boots", weight: { value: "1500", unit: "g" } };
  const point = { ...magento, settings: { ...magento.settings, weightUnit } };
  const { product } = await requestOf("magento", "item", item, point, [{ status: 404, body: { message: "none" } }]);
  expect(product.weight).toBe(expected);
  const received = await connectors.magento.receive({
    body: Buffer.from(JSON.stringify({ sku: "A-1", name: "Boots", weight: expected })),
    headers: {},
    settings: point.settings,
    entityType: "item",
  });
  expect(received).toMatchObject({ documents: [{ document: { weight: { value: String(expected), unit: weightUnit } } }] });
});

test("bigcommerce: a new product counts its stock, so that a level that comes has an effect", async () => {
  const nothing = { status: 200, body: { data: [] } };
  expect(await requestOf("bigcommerce", "item", { sku: "A-1", name: "Boots" }, bigcommerce, [nothing])).toMatchObject({
    inventory_tracking: "product",
  });
});

test("bigcommerce: an oversold item has none left, instead of what it had before", async () => {
  const { items } = await requestOf("bigcommerce", "stock", { sku: "A-1", quantity: "-3" }, bigcommerce);
  expect(items).toMatchObject([{ quantity: 0 }]);
  const expected = connectors.bigcommerce.list?.expected({ entityType: "stock", document: { sku: "A-1", quantity: "-3" }, ...bigcommerce });
  expect(expected).toMatchObject({ fields: { quantity: "0" } });
});

test("bigcommerce: variants of a group that have one name get names of their own, which it takes once only", async () => {
  const nothing = { status: 200, body: { data: [] } };
  const group = { key: "B", name: "Boots" };
  const named = async (name: string, options: object[]) =>
    (await requestOf("bigcommerce", "item", { sku: "A-1", name, group, options }, bigcommerce, [nothing])).name;
  const options = [
    { name: "Color", value: "Red" },
    { name: "Size", value: "42" },
  ];
  expect(await named("Boots", options)).toBe("Boots - Red - 42");
  expect(await named("Boots", [{ name: "Size", value: "S" }])).toBe("Boots - S");
  expect(await named("Boots, red", options)).toBe("Boots, red - 42");
  expect(await named("Boots - Red / 42", options)).toBe("Boots - Red / 42");
});
