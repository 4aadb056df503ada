import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EntityType, businessKeyOf, canonicalSchemas, sourceVersionOf } from "./index.ts";

const order = {
  orderNumber: "C536379",
  kind: "cancellation",
  orderedAt: "2010-12-01T09:41:00Z",
  currency: "GBP",
  customer: null,
  lines: [
    {
      lineNumber: "1",
      kind: "discount",
      sku: "D",
      description: null,
      quantity: "-1",
      unitPrice: { amount: "27.50", currency: "GBP" },
    },
  ],
};

function lineOff(amount: string) {
  return { ...order, lines: order.lines.map((line) => ({ ...line, discount: { amount, currency: "GBP" } })) };
}

function refusals(entityType: EntityType, document: unknown): string[] {
  const result = canonicalSchemas[entityType].safeParse(document);
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join("."));
}

const wrongAttributes = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, {}]));

describe("canonical documents", () => {
  test("a line's discount takes off: one below zero is refused with its path", () => {
    expect(canonicalSchemas.order.safeParse(lineOff("-0.00")).success).toBe(true);
    expect(canonicalSchemas.order.safeParse(lineOff("-0.01")).error?.issues).toMatchObject([
      { path: ["lines", 0, "discount"], message: expect.stringContaining("must not be negative") },
    ]);
  });

  test("a cancellation with negative quantities, no customer and lines without description is a valid order", () => {
    expect(refusals("order", order)).toEqual([]);
  });

  test("what arrives is what is kept: amounts are not reformatted, text is not trimmed", () => {
    const document = { sku: "85231g", name: " RED  WOOLLY HOTTIE ", weight: { value: "1.500", unit: "kg" } };
    expect(canonicalSchemas.item.parse(document)).toEqual({ ...document, schemaVersion: 1, isActive: true });
  });

  test.each([
    ["a JSON number", 12.5],
    ["an exponent", "1e3"],
    ["a comma", "12,50"],
    ["a leading zero", "012"],
    ["no digit before the point", ".5"],
    ["nothing", ""],
    ["not a number", "NaN"],
  ])("an amount written with %s is refused", (_name, amount) => {
    expect(refusals("price", { sku: "a", price: { amount, currency: "SEK" } })).toEqual(["price.amount"]);
  });

  test("an unknown field is refused, so that a misspelt one is not lost silently", () => {
    expect(canonicalSchemas.stock.safeParse({ sku: "a", quantity: "1", quantitty: "2" }).success).toBe(false);
    expect(canonicalSchemas.stock.safeParse(JSON.parse('{"sku":"a","quantity":"1","__proto__":{"x":1}}')).success).toBe(false);
  });

  test("NUL and half surrogate pairs are refused wherever text is taken", () => {
    expect(refusals("item", { sku: "a\u0000b", name: "x\u0000" })).toEqual(["sku", "name"]);
    expect(refusals("item", { sku: "a", name: "\ud800" })).toEqual(["name"]);
    expect(refusals("item", { sku: "a", name: null, attributes: { "k\u0000": "x" } })).toHaveLength(1);
    for (const url of ["https://shop.example/\u0000", "https://shop.example/\ud800"])
      expect(refusals("item", { sku: "a", name: null, images: [{ url }] })).toEqual(["images.0.url"]);
  });

  test.each(["B\t42", "B\n42", "B-42\u0085", "B-42\u200b", "\u200eB-42", "\ufeffB-42", "B-42\u00ad", "B-42\u2060"])(
    "the key %j, which looks like another one, is refused",
    (key) => {
      expect(refusals("item", { sku: key, name: null, group: { key } })).toEqual(["sku", "group.key"]);
      expect(refusals("order", { ...order, orderNumber: key })).toEqual(["orderNumber"]);
    },
  );

  test("within a key characters may be invisible that tell how to write it, and names of attributes are as their source has them", () => {
    expect(refusals("item", { sku: "می\u200cخواهم", name: null, attributes: { "gift\nmessage": "x" } })).toEqual([]);
  });

  test("a time without a zone is refused, and so is one of the year 0, which the database doesn't know", () => {
    for (const orderedAt of ["2010-12-01T09:41:00", "0000-01-01T00:00:00Z"])
      expect(refusals("order", { ...order, orderedAt })).toEqual(["orderedAt"]);
  });

  test("an attribute that could not be kept under its name is refused, not lost", () => {
    expect(refusals("item", JSON.parse('{ "sku": "a", "name": null, "attributes": { "__proto__": "x" } }'))).toEqual(["attributes"]);
  });

  test("what has too many attributes or values is refused for that alone, whatever else is wrong with them", () => {
    expect(refusals("item", { sku: "a", name: null, attributes: wrongAttributes(1_000) })).toHaveLength(1_000);
    expect(refusals("item", { sku: "a", name: null, attributes: wrongAttributes(1_001) })).toEqual(["attributes"]);
    const lines = Array.from({ length: 1_000 }, () => ({ attributes: wrongAttributes(100) }));
    expect(refusals("order", { ...order, lines })).toEqual([""]);
    const most = { ...order, lines: Array.from({ length: 5_000 }, (_, index) => ({ ...order.lines[0], lineNumber: String(index) })) };
    expect(refusals("order", most)).toEqual([]);
  });

  test("each amount in another currency than its document's is refused by its place", () => {
    const [line] = order.lines;
    const own = { amount: "1", currency: "GBP" };
    const other = { amount: "1000", currency: "JPY" };
    const lines = [
      { ...line, discount: own, tax: null, total: own },
      { ...line, lineNumber: "2", unitPrice: other, discount: other, tax: other, total: other },
    ];
    const totals = { lines: own, discount: other, shipping: other, tax: other, total: other };
    expect(refusals("order", { ...order, lines, totals })).toEqual([
      ...["unitPrice", "discount", "tax", "total"].map((name) => `lines.1.${name}.currency`),
      ...["discount", "shipping", "tax", "total"].map((name) => `totals.${name}.currency`),
    ]);
    expect(refusals("order", { ...order, currency: "pounds", lines })).toEqual(["currency"]);
    const tiers = [own, other].map((price) => ({ minimumQuantity: "2", price }));
    expect(refusals("price", { sku: "a", price: own, compareAtPrice: other, tiers })).toEqual([
      "compareAtPrice.currency",
      "tiers.1.price.currency",
    ]);
  });

  test("two lines of one order can't share a number", () => {
    expect(refusals("order", { ...order, lines: [...order.lines, ...order.lines] })).toEqual(["lines"]);
  });

  test("every example in the documentation is valid", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../../docs/canonical-documents.md"), "utf8");
    const examples = [...page.matchAll(/^## (\w+)\n(?:(?!^## )[^])*?```json\n([^]*?)```/gm)].map(([, entityType, json = ""]) => ({
      entityType: EntityType.parse(entityType),
      document: JSON.parse(json),
    }));
    expect(examples.map(({ entityType }) => entityType)).toEqual(EntityType.options);
    expect(examples.flatMap(({ entityType, document }) => refusals(entityType, document))).toEqual([]);
  });

  test("every schema can be shown as JSON Schema", () => {
    for (const entityType of EntityType.options) {
      const { $defs } = z.toJSONSchema(canonicalSchemas[entityType], { io: "input" });
      expect(Object.values($defs ?? {})).toMatchObject([{ type: "object", additionalProperties: false }]);
    }
  });
});

describe("business keys", () => {
  test("skus that differ in letter case only are two objects", () => {
    const keys = ["85231G", "85231g"].map((sku) => businessKeyOf("item", canonicalSchemas.item.parse({ sku, name: null })));
    expect(new Set(keys).size).toBe(2);
  });

  test("price list and warehouse are part of the key, and no two pairs share one", () => {
    const price = { amount: "1", currency: "SEK" };
    const key = (sku: string, priceList: string) =>
      businessKeyOf("price", canonicalSchemas.price.parse({ sku, priceList, price, updatedAt: null }));
    expect(key("a@b", "c")).toBe("a@b@c");
    expect(() => key("a", "b@c")).toThrow(/priceList/);
    expect(businessKeyOf("stock", canonicalSchemas.stock.parse({ sku: "a", quantity: "-3" }))).toBe("a@default");
  });
});

describe("source versions", () => {
  test("are the microseconds of the last change, in any zone", () => {
    expect(sourceVersionOf({ updatedAt: "1970-01-01T01:00:01.000002+01:00" })).toBe("1000002");
    expect(sourceVersionOf({ updatedAt: "1970-01-01T00:00:00.1Z" })).toBe("100000");
    expect(sourceVersionOf({ updatedAt: "2026-11-21T08:00:00.123456789Z" })).toBe("1795248000123456");
  });

  test("are null where the source gives no time", () => {
    expect(sourceVersionOf({})).toBeNull();
    expect(sourceVersionOf({ updatedAt: null })).toBeNull();
  });
});
