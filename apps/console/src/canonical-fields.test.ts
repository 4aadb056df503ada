import { canonicalSchemas } from "@crossdock/contract";
import { expect, test } from "vitest";
import { columnFields, knownFields } from "./canonical-fields.ts";

test("each field of a document stands once, with the entity types that have it, deeper ones by their path", () => {
  const fields = new Map(knownFields().map(({ field, entityTypes }) => [field, entityTypes]));
  for (const [type, schema] of Object.entries(canonicalSchemas)) {
    const { schemaVersion: _, ...shape } = schema.out.shape;
    for (const name of Object.keys(shape)) expect(fields.get(name)).toContain(type);
  }
  expect(fields.get("lines.sku")).toEqual(["order", "shipment"]);
  expect(fields.has("schemaVersion")).toBe(false);
  expect(fields.size).toBe(knownFields().length);
});

test("a column fills a field of its own, not one that has parts or of which there are several", () => {
  expect(columnFields("stock")).toEqual(["sku", "unit", "updatedAt", "warehouse", "quantity", "incoming.quantity", "incoming.expectedAt"]);
  expect(columnFields("order")).toEqual(
    expect.arrayContaining(["orderNumber", "shippingAddress.city", "lines.sku", "lines.unitPrice.amount"]),
  );
  expect(columnFields("item")).not.toEqual(expect.arrayContaining(["images.url"]));
  expect(columnFields("item")).not.toEqual(expect.arrayContaining(["group"]));
});
