import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { expect, test } from "vitest";
import { connectors } from "./index.ts";

const magento = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
const bigcommerce = { settings: { baseUrl: "https://api.example.com/stores/x" }, credentials: { accessToken: "t" } };
/** Nothing is found in BigCommerce, neither among the variants nor among the products. */
const nothing = { status: 200, body: { data: [] } };

/** The request that remains after the system has answered the ones before it. */
async function requestOf(
  code: ConnectorCode,
  entityType: EntityType,
  document: object,
  point: { settings: object; credentials: object },
  answers: { status: number; body: unknown }[] = [],
) {
  const input = { entityType, document: JSON.stringify(document), key: "k", externalId: null, messageId: "1" };
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
  const { product } = await requestOf("magento", "item", item, point, [{ status: 200, body: { items: [], total_count: 0 } }]);
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
  expect(await requestOf("bigcommerce", "item", { sku: "A-1", name: "Boots" }, bigcommerce, [nothing, nothing])).toMatchObject({
    inventory_tracking: "product",
  });
});

test("bigcommerce: an oversold item has none left, instead of what it had before", async () => {
  const { items } = await requestOf("bigcommerce", "stock", { sku: "A-1", quantity: "-3" }, bigcommerce);
  expect(items).toMatchObject([{ quantity: 0 }]);
  const expected = connectors.bigcommerce.list?.expected({ entityType: "stock", document: { sku: "A-1", quantity: "-3" }, ...bigcommerce });
  expect(expected).toMatchObject({ fields: { quantity: "0" } });
});

const refusedThere = { status: 422, body: { title: "Not a known variant" } };
const priceLists = { ...bigcommerce, settings: { ...bigcommerce.settings, priceListIds: { default: 7 } } };
const refusedPrice = (message: string, ...parameters: string[]) => [{ status: 200, body: [{ message, parameters }] }];
const magentoPrices = { ...magento, settings: { ...magento.settings, currency: "SEK" } };

test.each<[ConnectorCode, EntityType, { settings: object; credentials: object }, { status: number; body: unknown }[]]>([
  ["bigcommerce", "stock", bigcommerce, [refusedThere, nothing, nothing]],
  ["bigcommerce", "price", priceLists, [refusedThere, nothing, nothing]],
  ["magento", "stock", magento, [{ status: 200, body: { items: [] } }]],
  ["magento", "price", magentoPrices, refusedPrice("Invalid attribute %fieldName = %fieldValue.", "SKU", "A-1")],
  [
    "magento",
    "price",
    magentoPrices,
    refusedPrice("Error: %1", "The product that was requested doesn't exist. Verify the product and try again."),
  ],
])("%s: a %s that is faster than its item waits for it", async (code, entityType, point, answers) => {
  const document = { sku: "A-1", ...(entityType === "stock" ? { quantity: "3" } : { price: { amount: "10.00", currency: "SEK" } }) };
  await expect(requestOf(code, entityType, document, point, answers)).rejects.toThrow(
    /"kind":"retry".*"class":"item-unknown".*"isTargetFault":false/,
  );
});

test.each([
  ["of a product that is there", [{ status: 200, body: { items: [{ sku: "A-1" }] } }]],
  ["by a token that may not read products", [{ status: 401, body: { message: "The consumer isn't authorized to access %resources." } }]],
])("magento: stock %s is written", async (_what, answers) => {
  const written = await requestOf("magento", "stock", { sku: "A-1", quantity: "3" }, magento, answers);
  expect(written).toMatchObject({ sourceItems: [{ sku: "A-1", quantity: 3 }] });
});

test("magento: a base price that is refused for what it is fails with what the store said", async () => {
  const document = { sku: "A-1", price: { amount: "10.00", currency: "SEK" } };
  const answers = refusedPrice("Invalid attribute %fieldName = %fieldValue.", "Price", "-9999");
  await expect(requestOf("magento", "price", document, magentoPrices, answers)).rejects.toThrow(
    /"kind":"dead".*"Invalid attribute Price = -9999\."/,
  );
});

test("bigcommerce: stock that is refused although its item is there fails with what the store said", async () => {
  const variant = { id: 2, product_id: 1, sku: "A-1" };
  const answers = [refusedThere, { status: 200, body: { data: [variant] } }];
  await expect(requestOf("bigcommerce", "stock", { sku: "A-1", quantity: "3" }, bigcommerce, answers)).rejects.toThrow(
    /"kind":"dead".*"HTTP 422: Not a known variant"/,
  );
});

test("bigcommerce: variants of a group that have one name get names of their own, which it takes once only", async () => {
  const group = { key: "B", name: "Boots" };
  const named = async (name: string, options: object[]) =>
    (await requestOf("bigcommerce", "item", { sku: "A-1", name, group, options }, bigcommerce, [nothing, nothing])).name;
  const options = [
    { name: "Color", value: "Red" },
    { name: "Size", value: "42" },
  ];
  expect(await named("Boots", options)).toBe("Boots - Red - 42");
  expect(await named("Boots", [{ name: "Size", value: "S" }])).toBe("Boots - S");
  expect(await named("Boots, red", options)).toBe("Boots, red - 42");
  expect(await named("Boots - Red / 42", options)).toBe("Boots - Red / 42");
});

const tiers = [
  { minimumQuantity: "100", price: { amount: "8.00", currency: "SEK" } },
  { minimumQuantity: "10", price: { amount: "9.00", currency: "SEK" } },
];
const tiered = { sku: "A-1", price: { amount: "10.00", currency: "SEK" }, tiers };

test("bigcommerce: prices from a quantity on stand in its price lists", async () => {
  const point = { ...bigcommerce, settings: { ...bigcommerce.settings, priceListIds: { default: 7 } } };
  expect(await requestOf("bigcommerce", "price", tiered, point)).toMatchObject([
    {
      price: 10,
      bulk_pricing_tiers: [
        { quantity_min: 10, quantity_max: 99, type: "fixed", amount: 9 },
        { quantity_min: 100, quantity_max: null, type: "fixed", amount: 8 },
      ],
    },
  ]);
  const [record] = await requestOf("bigcommerce", "price", { ...tiered, tiers: null }, point);
  expect(record).not.toHaveProperty("bulk_pricing_tiers");
  const broken = { ...tiered, tiers: [{ ...tiers[0], minimumQuantity: "1.5" }] };
  await expect(requestOf("bigcommerce", "price", broken, point)).rejects.toThrow(/two whole pieces/);
});

test.each([
  ["virtual, which takes no transactions, is given the level itself", 20, [{ sku: "A-1", decimaltotal: "7" }]],
  ["of goods is given a stock-taking", 10, { transactiontype: 50 }],
])("sitoo: a warehouse that is %s", async (_what, warehousetype, expected) => {
  const settings = { baseUrl: "https://api.example.com", siteId: 1, warehouseIds: { default: 3 } };
  const point = { settings, credentials: { apiId: "1", password: "p" } };
  const warehouse = { status: 200, body: { warehouseid: 3, warehousetype } };
  expect(await requestOf("sitoo", "stock", { sku: "A-1", quantity: "7" }, point, [warehouse])).toMatchObject(expected);
});

test("sitoo: prices from a quantity on stand in its price lists, with tax", async () => {
  const settings = { baseUrl: "https://api.example.com", siteId: 1, priceListIds: { default: 7 } };
  const point = { settings, credentials: { apiId: "1", password: "p" } };
  const untaxed = { ...tiered, includesTax: false, taxRatePercent: "25" };
  const list = { status: 200, body: { currencycode: "SEK" } };
  expect(await requestOf("sitoo", "price", untaxed, point, [list])).toEqual([
    {
      sku: "A-1",
      moneyprice: "12.50",
      moneypricevolume: [
        { levelstart: 100, moneyprice: "10.00" },
        { levelstart: 10, moneyprice: "11.25" },
      ],
    },
  ]);
});
