import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import type { EntityType } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import type { OutboundRequest } from "../connector.ts";
import { connectors } from "../index.ts";
import { Driver } from "../testing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

function norce() {
  const found = casesOf(sandbox.url).find(({ code }) => code === "storm");
  if (!found) throw new Error("storm");
  return found;
}

async function requestOf(entityType: EntityType, document: object): Promise<OutboundRequest> {
  const { settings, credentials } = norce();
  const ids = { key: "k", externalId: null, messageId: "1", now: new Date() };
  const request = await connectors.storm.request({ entityType, document: JSON.stringify(document), settings, credentials, ...ids });
  if ("kind" in request) throw new Error(request.error.message);
  return request;
}

/** What follows once it is known that the sku is there. */
async function importRequestOf(entityType: EntityType, document: object): Promise<OutboundRequest> {
  const request = await requestOf(entityType, document);
  if (entityType === "item") return request;
  const response = { status: 200, headers: {}, body: '{"value":[{"PartNo":"A-1"}]}' };
  const verdict = connectors.storm.verdict({ entityType, request, response });
  if (verdict.kind !== "next") throw new Error(verdict.kind);
  return verdict.request;
}

async function importOf(entityType: EntityType, document: object): Promise<{ control: unknown; rows: unknown }> {
  const { headers, body } = await importRequestOf(entityType, document);
  return { control: JSON.parse(headers["x-stormconnect-header"] ?? ""), rows: JSON.parse(body ?? "") };
}

const sek = (amount: string) => ({ amount, currency: "SEK" });
const item = { sku: "A-1", name: "Boots 38", brand: "fjell", barcode: "7350053850019" };
const control = { AccountId: 1, FullFile: false };

test("an item is a product with a variant with a sku, and has a code of its own only in a group", async () => {
  const sku = { PartNo: "A-1", Status: 1, EanCode: "7350053850019" };
  const variant = { ManufacturerPartNo: "A-1", Cultures: [{ CultureCode: "sv-SE", Name: "Boots 38" }], Skus: [sku] };
  const fields = {
    ProductFieldsThatAreSet: ["ManufacturerCode", "Cultures", "Variants"],
    ProductCultureFieldsThatAreSet: ["Name"],
    VariantFieldsThatAreSet: ["ManufacturerPartNo", "Cultures", "Skus"],
    VariantCultureFieldsThatAreSet: ["CultureCode", "Name"],
    SkuFieldsThatAreSet: ["Status", "EanCode"],
  };
  expect(await importOf("item", item)).toEqual({
    control: { ...control, ...fields },
    rows: [{ ManufacturerCode: "fjell", Cultures: [{ CultureCode: "sv-SE", Name: "Boots 38" }], Variants: [variant] }],
  });
  expect(await importOf("item", { ...item, group: { key: "boots", name: "Boots" } })).toMatchObject({
    control: { ProductFieldsThatAreSet: ["Code", "ManufacturerCode", "Cultures", "Variants"] },
    rows: [{ Code: "boots", Cultures: [{ Name: "Boots" }], Variants: [{ Cultures: [{ Name: "Boots 38" }] }] }],
  });
});

test("a price and a stock are flat rows, of which only what they tell is written, and a reduction that is over ends", async () => {
  const row = { PartNo: "A-1", PriceListCode: "default", CurrencyCode: "SEK", PriceSale: 199, PriceRecommended: 199 };
  expect(await importOf("price", { sku: "A-1", price: sek("199.00") })).toEqual({
    control: { ...control, SkuPriceListFieldsThatAreSet: ["PriceSale", "PriceRecommended"] },
    rows: [row],
  });
  expect(await importOf("price", { sku: "A-1", price: sek("199.00"), compareAtPrice: sek("249.00") })).toEqual({
    control: { ...control, SkuPriceListFieldsThatAreSet: ["PriceSale", "PriceRecommended"] },
    rows: [{ ...row, PriceRecommended: 249 }],
  });
  expect(await importOf("stock", { sku: "A-1", quantity: "42" })).toEqual({
    control: { ...control, SkuOnhandFieldsThatAreSet: ["OnhandValue"] },
    rows: [{ PartNo: "A-1", WarehouseCode: "default", LocationCode: "A1", OnhandValue: 42 }],
  });
});

test("what is on its way stays as it is where the stock doesn't tell", async () => {
  const stock = { sku: "A-1", quantity: "3" };
  const fields = ["OnhandValue", "IncomingValue", "NextDeliveryDate"];
  expect(await importOf("stock", stock)).toMatchObject({ control: { SkuOnhandFieldsThatAreSet: ["OnhandValue"] } });
  expect(await importOf("stock", { ...stock, incoming: { quantity: "5" } })).toMatchObject({
    control: { SkuOnhandFieldsThatAreSet: fields },
  });
});

const withTax = { sku: "A-1", price: sek("125.00"), includesTax: true };

test("of a price with tax the net price is written", async () => {
  expect(await importOf("price", { ...withTax, taxRatePercent: "25" })).toMatchObject({ rows: [{ PriceSale: 100 }] });
});

test.each([
  ['[{"PartNo":"A-1"}]', "next"],
  ["[]", "retry"],
])("of the skus a bare list is read too: %s", async (body, kind) => {
  const request = await requestOf("stock", { sku: "A-1", quantity: "42" });
  const verdict = connectors.storm.verdict({ entityType: "stock", request, response: { status: 200, headers: {}, body } });
  expect(verdict).toMatchObject({ kind });
});

test.each([
  ["price", { sku: "B'1", price: sek("199.00") }],
  ["stock", { sku: "B'1", quantity: "42" }],
] as const)("a %s waits for its sku, which Norce would pass over without a word", async (entityType, document) => {
  const driver = new Driver(connectors.storm);
  const { verdict, calls } = await driver.deliver(norce(), entityType, document);
  expect(verdict).toMatchObject({ kind: "retry", error: { class: "item-unknown" }, isTargetFault: false });
  expect(calls).toEqual(["GET query/Products/ProductSkus"]);
  await driver.deliver(norce(), "item", { ...item, sku: "B'1" });
  expect(await driver.deliver(norce(), entityType, document)).toMatchObject({ verdict: { kind: "delivered" } });
});

test.each([
  ["price", { sku: "A-1", price: sek("0") }, "price-zero"],
  ["price", withTax, "tax"],
  ["stock", { sku: "A-1", quantity: "42", warehouse: "north" }, "mapping-missing"],
] as const)("a %s that Norce would not take is refused at once", async (entityType, document, reason) => {
  const { verdict, calls } = await new Driver(connectors.storm).deliver(norce(), entityType, document);
  expect({ verdict, calls }).toMatchObject({ verdict: { kind: "dead", error: { class: reason } }, calls: [] });
});

test("a job that failed is told by the errors of its log", async () => {
  sandbox.control("system", { mode: "200-error", rate: 1 });
  const { verdict, calls } = await new Driver(connectors.storm).deliver(norce(), "item", item);
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "import-failed", message: "The manufacturer does not exist" } });
  expect(calls).toEqual(["POST Product/ImportProducts", "GET Job/Get", "GET Job/Get", "GET Job/GetLog"]);
});

test("rows that did not pass the validation are no part of the job, so it is not asked", async () => {
  const request = await importRequestOf("stock", { sku: "A-1", quantity: "42" });
  const judged = (found: object) => {
    const body = JSON.stringify({ StatusCode: "Accepted", Description: "The job has been created", JobId: "7", ValidationSummary: found });
    return connectors.storm.verdict({ entityType: "stock", request, response: { status: 200, headers: {}, body } });
  };
  expect(judged({ NrOfItemsInTotal: 1, NrOfValidationFailures: 1, Messages: ["LocationCode is unknown"] })).toMatchObject({
    kind: "dead",
    error: { class: "import-failed", message: "LocationCode is unknown" },
  });
  expect(judged({ NrOfItemsInTotal: 1, NrOfValidationFailures: 0, Messages: [] })).toMatchObject({ kind: "next" });
});
