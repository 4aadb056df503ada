import { canonicalSchemas, type EntityType } from "@crossdock/contract";
import { expect, test } from "vitest";
import { makeCatalogue, themes } from "./catalogue.ts";
import { customerOf, itemOf, orderOf, priceOf, shipmentOf, stockOf } from "./documents.ts";
import { ordersPerSecond } from "./flow.ts";
import { createRandom } from "./random.ts";

const at = new Date("2026-11-02T12:00:00Z");

test("the same seed makes the same catalogue, so that a restart hands in nothing new", () => {
  expect(makeCatalogue(themes.home, 50, 7)).toEqual(makeCatalogue(themes.home, 50, 7));
  expect(makeCatalogue(themes.home, 50, 8)).not.toEqual(makeCatalogue(themes.home, 50, 7));
});

function refused(type: EntityType, document: unknown): unknown[] {
  return canonicalSchemas[type].safeParse(document).error?.issues ?? [];
}

test.each(Object.entries(themes))("every document of the trade '%s' is a canonical one", (_name, theme) => {
  const [first, ...others] = makeCatalogue(theme, 300, 1);
  const random = createRandom(1);
  const catalogue = [first!, ...others] as const;
  for (const article of catalogue) {
    expect(refused("item", itemOf(article))).toEqual([]);
    expect(refused("price", priceOf(article, "SEK", null))).toEqual([]);
    expect(refused("stock", stockOf(article, "se-central", at))).toEqual([]);
  }
  for (const country of ["SE", "NO", "FR"]) {
    expect(refused("order", orderOf({ currency: "SEK", country, orderNumber: "A1", at }, catalogue, random))).toEqual([]);
    expect(refused("customer", customerOf(country, random))).toEqual([]);
  }
  expect(refused("shipment", shipmentOf("A1", at, random))).toEqual([]);
});

test("article numbers are unique and their barcodes well-formed", () => {
  const catalogue = makeCatalogue(themes.sport, 1000, 3);
  expect(new Set(catalogue.map(({ sku }) => sku)).size).toBe(1000);
  for (const { barcode } of catalogue) {
    const sum = barcode.split("").reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
    expect(sum % 10).toBe(0);
  }
});

test("orders follow the hour: the evening is busier than the night", () => {
  expect(ordersPerSecond(new Date("2026-11-02T19:00:00Z"))).toBeGreaterThan(8 * ordersPerSecond(new Date("2026-11-02T03:00:00Z")));
});
