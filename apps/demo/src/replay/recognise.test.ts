import { fileURLToPath } from "node:url";
import type { EntityType } from "@crossdock/contract";
import { expect, test } from "vitest";
import { londonOffset } from "./online-retail-facts.ts";
import { recognise } from "./recognise.ts";
import type { Expectation } from "./source.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

async function expectations(name: string, entityType: EntityType): Promise<Map<string, Expectation>> {
  const source = await recognise(fixture(name));
  const messages = await Array.fromAsync(source.messages());
  return new Map(messages.map(({ label, expected }) => [label, expected(entityType)]));
}

test("files are recognised by what they contain", async () => {
  const names = await Promise.all(
    ["online-retail.csv", "vinmonopolet.txt", "ProductInventory.csv"].map(async (name) => (await recognise(fixture(name))).name),
  );
  expect(names).toEqual(["UCI Online Retail", "Vinmonopolet catalogue", "AdventureWorks stock"]);
  await expect(recognise(fixture("../package.json"))).rejects.toThrow("is not a file this command knows");
});

test("an invoice is one order: customer number, blanks, postage and cancellation read as what they mean", async () => {
  const orders = await expectations("online-retail.csv", "order");
  expect(orders.get("invoice 536365")).toMatchObject([
    {
      key: "536365",
      document: {
        kind: "sale",
        orderedAt: "2010-12-01T08:26:00+00:00",
        customer: { customerNumber: "17850" },
        billingAddress: { country: "GB", countryName: "United Kingdom" },
        lines: [
          { lineNumber: "1", kind: "product", sku: "85123A", quantity: "6", unitPrice: { amount: "2.55", currency: "GBP" } },
          { description: "LANTERN, WHITE METAL" },
          { kind: "shipping", sku: null, attributes: { code: "POST" } },
        ],
      },
    },
  ]);
  expect(orders.get("invoice C536379")).toMatchObject([
    {
      document: {
        kind: "cancellation",
        billingAddress: { country: "IE", countryName: "EIRE" },
        lines: [{ kind: "discount", quantity: "-1" }],
      },
    },
  ]);
  expect(orders.get("invoice 536414")).toMatchObject([
    { document: { customer: null, lines: [{ description: null, unitPrice: { amount: "0.0" } }] } },
  ]);
  expect(orders.get("invoice 536589")).toBe("rejected");
  expect(orders.get("invoice A563185")).toMatchObject([
    { document: { lines: [{ kind: "adjustment", unitPrice: { amount: "-11062.06" } }] } },
  ]);
});

test("article numbers that differ in letter case stay two items, and only what has a price and a name becomes one", async () => {
  const items = await expectations("online-retail.csv", "item");
  const keys = [...items.values()].flatMap((found) => (found === "rejected" ? [] : found.map(({ key }) => key)));
  expect(keys).toEqual(["85123A", "71053", "85231g", "85231G"]);
});

test("London's clock is an hour ahead from the last Sunday of March to that of October", () => {
  const hour = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/London", hour: "2-digit", hourCycle: "h23" });
  for (let day = Date.UTC(2010, 11, 1, 12); day < Date.UTC(2012, 0, 1); day += 86_400_000) {
    const isSummer = hour.format(day) === "13";
    expect(londonOffset(new Date(day).toISOString().slice(0, 19).replace("T", " "))).toBe(isSummer ? "+01:00" : "+00:00");
  }
  expect(["2011-03-27 00:59:59", "2011-03-27 02:00:00", "2011-10-30 01:59:59", "2011-10-30 02:00:00"].map(londonOffset)).toEqual([
    "+00:00",
    "+01:00",
    "+01:00",
    "+00:00",
  ]);
});

test("a wine is an item and a price; broken and incomplete ones are rejected for themselves", async () => {
  const items = await expectations("vinmonopolet.txt", "item");
  const prices = await expectations("vinmonopolet.txt", "price");
  expect([...items.values()].map((found) => (found === "rejected" ? found : found[0]?.key))).toEqual([
    "59101",
    "63701",
    "63702",
    "rejected",
    "63704",
  ]);
  expect([...prices.values()].map((found) => (found === "rejected" ? found : found[0]?.document["price"]))).toEqual([
    { amount: "151.9", currency: "NOK" },
    { amount: "125", currency: "NOK" },
    "rejected",
    "rejected",
    { amount: "99.9", currency: "NOK" },
  ]);
});

test("stock is the sum of a product's bins at a location", async () => {
  const stock = await expectations("ProductInventory.csv", "stock");
  expect(stock.get("product 1 at 1")).toMatchObject([
    { key: "AR-5381@1", document: { quantity: "400", attributes: { bins: ["A/1", "C/9"] }, updatedAt: "2025-09-01T00:00:00.000Z" } },
  ]);
  expect(stock.get("product 999 at 1")).toBe("rejected");
});
