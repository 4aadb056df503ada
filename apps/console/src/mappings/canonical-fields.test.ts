import { canonicalSchemas } from "@crossdock/contract";
import { expect, test } from "vitest";
import { knownFields } from "./canonical-fields.ts";

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
