import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { ConnectorCode } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Case, casesOf } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

function caseOf(code: string): Case {
  const found = casesOf(sandbox.url).find((each) => each.code === code);
  if (!found) throw new Error(code);
  return found;
}

const now = new Date("2026-11-22T12:00:00Z");
const money = (amount: string, currency = "SEK") => ({ amount, currency });
const price = { sku: "A-1", price: money("199.00"), includesTax: true, taxRatePercent: "25" };
const reduced = { ...price, compareAtPrice: money("249.00") };

/** Everything that takes prices by a connector of its own. */
const codes = casesOf("").flatMap(({ code, deliver }) => (deliver.price === undefined ? [] : [code]));

function requestOf(code: string, document: object, clock: Date | null = now) {
  const { settings, credentials } = caseOf(code);
  return connectors[ConnectorCode.parse(code)].request({
    entityType: "price",
    document: JSON.stringify(document),
    key: "A-1@default",
    externalId: null,
    settings,
    credentials,
    messageId: "1",
    ...(clock && { now: clock }),
  });
}

describe.each(codes)("%s", (code) => {
  test("a price that ends doesn't become one that stays", async () => {
    const ending = { ...price, validTo: "2026-12-01T00:00:00+01:00" };
    expect(await requestOf(code, ending)).toMatchObject({ kind: "dead", error: { class: "period" } });
    expect(await requestOf(code, { ...price, validTo: "2026-11-01T00:00:00+01:00" })).toMatchObject({ kind: "dead" });
  });

  test("a price waits until it begins, and blames nobody", async () => {
    const coming = { ...price, validFrom: "2026-11-22T14:00:00+01:00" };
    expect(await requestOf(code, coming)).toEqual({
      kind: "retry",
      error: { class: "period", message: expect.stringContaining("2026-11-22T14:00:00+01:00") },
      retryAfterMs: 3_600_000,
      isTargetFault: false,
    });
    expect(await requestOf(code, coming, null)).toMatchObject({ kind: "dead", error: { class: "period" } });
  });

  test("a price that has begun and has no end to speak of is one like any other", async () => {
    const begun = { ...price, validFrom: "2026-11-01T00:00:00+01:00" };
    expect(await requestOf(code, begun)).toHaveProperty("url");
    expect(await requestOf(code, { ...begun, validTo: "9999-12-31T00:00:00Z" })).toHaveProperty("url");
  });
});

test("magento keeps the beginning and the end of a reduction", async () => {
  const document = { ...reduced, validFrom: "2026-12-01T00:00:00+01:00", validTo: "2026-12-24T00:00:00+01:00" };
  expect(await requestOf("magento", document)).toHaveProperty("url");
});

describe.each(["shopify", "magento", "bigcommerce", "sitoo", "plytix", "litium", "jetshop"])("%s", (code) => {
  test("a price in another currency than the shop's is refused where the settings name that", async () => {
    const point = caseOf(code);
    const { verdict, calls } = await new Driver(connectors[point.code]).deliver(
      { ...point, settings: { ...point.settings, currency: "SEK" } },
      "price",
      { ...price, price: money("19.90", "EUR") },
    );
    expect(verdict).toMatchObject({ kind: "dead", error: { class: "currency" } });
    expect(calls).toEqual([]);
  });
});

/** Settings that name no currency, and what the price list is called that the system is asked about. */
const asked: [code: string, settings: object, priceList: string][] = [
  ["shopify", { currency: undefined }, "default"],
  ["magento", {}, "default"],
  ["bigcommerce", {}, "default"],
  ["sitoo", { priceListIds: { b2b: 7 } }, "b2b"],
];

test.each(asked)("%s is asked for its currency where the settings don't name it", async (code, settings, priceList) => {
  const named = caseOf(code);
  const point = { ...named, settings: { ...named.settings, ...settings } };
  const driver = new Driver(connectors[named.code]);
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  const own = { ...price, priceList };
  expect((await driver.deliver(point, "price", own)).verdict).toMatchObject({ kind: "delivered" });
  const { verdict } = await driver.deliver(point, "price", { ...own, price: money("19.90", "EUR") });
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "currency", message: expect.stringContaining("SEK") } });
});

test("sitoo doesn't tell the currency of its products' own prices, so that has to be named", async () => {
  const { settings, ...point } = caseOf("sitoo");
  const unnamed = { ...point, settings: { ...settings, currency: undefined } };
  const { verdict } = await new Driver(connectors.sitoo).deliver(unnamed, "price", price);
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "configuration" } });
});

/** 100 or its smallest units, in whatever form. */
function isSent(): boolean {
  return sandbox.received("system").some(({ body }) => /\b(?:100(?:\.00)?|10000)\b/.test(body ?? ""));
}

describe.each(["shopify", "magento", "bigcommerce", "litium", "centra", "brink", "plytix", "sitoo"])("%s", (code) => {
  const given = { sku: "A-1", price: money("125.00"), compareAtPrice: money("250.00"), includesTax: true };

  test("a price in the other reading than the shop's is turned by its rate, and refused without one", async () => {
    const named = caseOf(code);
    const point = { ...named, settings: { ...named.settings, priceReading: "without-tax" } };
    const driver = new Driver(connectors[named.code]);
    await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
    expect((await driver.deliver(point, "price", given)).verdict).toMatchObject({ kind: "dead", error: { class: "tax" } });
    expect(isSent()).toBe(false);
    expect((await driver.deliver(point, "price", { ...given, taxRatePercent: "25" })).verdict).toMatchObject({ kind: "delivered" });
    expect(isSent()).toBe(true);
  });
});

test("brink: a reduced price is what is to be paid, and the ordinary one stays behind", async () => {
  const document = { ...price, compareAtPrice: money("249.00") };
  const { bodies } = await new Driver(connectors.brink).deliver(caseOf("brink"), "price", document);
  expect(JSON.parse(bodies[0] ?? "")).toEqual([{ id: "A-1", price: [{ currencyUnit: "SEK", amount: 19900 }] }]);
  expect(await requestOf("brink", document)).toMatchObject({ leftOut: ["compareAtPrice"] });
});

test.each(["shopify", "magento", "bigcommerce", "jetshop"])("%s: an ordinary price that is not above the price is none", async (code) => {
  const point = caseOf(code);
  const driver = new Driver(connectors[point.code]);
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  const plain = await driver.deliver(point, "price", price);
  expect(plain.verdict).toMatchObject({ kind: "delivered" });
  for (const amount of ["0.00", "199.00"]) {
    const { verdict, bodies } = await driver.deliver(point, "price", { ...price, compareAtPrice: money(amount) });
    expect([verdict, bodies]).toEqual([plain.verdict, plain.bodies]);
  }
});

test.each([
  ["reduced", { compareAtPrice: money("249.00") }, ["249.00", "199.00"]],
  ["not reduced, which ends a reduction", {}, ["199.00", "199.00"]],
])("jetshop: of a price that is %s both prices are named", async (_what, more, expected) => {
  const { bodies } = await new Driver(connectors.jetshop).deliver(caseOf("jetshop"), "price", {
    sku: "A-1",
    price: money("199.00"),
    ...more,
  });
  const named = ["PriceIncVat", "DiscountedPriceIncVat"].map((name) => new RegExp(`<${name}>(.*?)</${name}>`).exec(bodies[0] ?? "")?.[1]);
  expect(named).toEqual(expected);
});

test.each(["shopify", "magento", "bigcommerce"] as const)("%s: a price in the other reading is read back as it was written", (code) => {
  const given = { sku: "A-1", price: money("125.00"), compareAtPrice: money("250.00"), includesTax: true };
  const settings = { ...caseOf(code).settings, priceReading: "without-tax" };
  const expected = (document: object) => connectors[code].list?.expected({ entityType: "price", document: { ...document }, settings });
  expect(expected({ ...given, taxRatePercent: "25" })).toMatchObject({ fields: { "price.amount": "100", "compareAtPrice.amount": "200" } });
  expect(expected(given)).toBeNull();
});

test.each([
  ["magento", ({ prices: [price] }: { prices: { price: number }[] }) => price?.price],
  ["bigcommerce", ({ price }: { price: number }) => price],
  ["litium", ([item]: { price: number }[]) => item?.price],
  ["storm", ([row]: { PriceSale: number }[]) => row?.PriceSale],
] as const)("%s: of a net price the shop's tax makes the source's price again", async (code, priceIn) => {
  const named = caseOf(code);
  // Norce takes prices without tax anyway.
  const reading = code === "storm" ? {} : { currency: "SEK", priceReading: "without-tax" };
  const point = { ...named, settings: { ...named.settings, ...reading } };
  const driver = new Driver(connectors[named.code]);
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  for (const [amount, taxRatePercent] of [
    ["9.99", "20"],
    ["12.99", "21"],
    ["10.02", "25"],
    ["19999.99", "5.5"],
  ] as const) {
    const document = { sku: "A-1", price: money(amount), includesTax: true, taxRatePercent };
    const { bodies } = await driver.deliver(point, "price", document);
    const net = Number(priceIn(JSON.parse(bodies[0] ?? "")));
    expect((net * (1 + Number(taxRatePercent) / 100)).toFixed(2)).toBe(amount);
    const read = connectors[named.code].list?.expected({ entityType: "price", document, settings: point.settings });
    expect(read?.fields["price.amount"] ?? String(net)).toBe(String(net));
  }
});
