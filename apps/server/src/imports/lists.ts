import { isRecord } from "@crossdock/connectors";
import { z } from "zod";

/**
 * A value out of XML or CSV, which know no lists: an element that comes once looks like a single value, an empty one like an empty text, and an
 * export of CSV has a column for each (`images.0.url`). Where the schema wants a list, it becomes one.
 */
export function withLists(schema: unknown, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (schema instanceof z.ZodPipe) return withLists(schema.out, value);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withLists(schema.unwrap(), value);
  if (schema instanceof z.ZodArray) {
    const list = Array.isArray(value) ? value : value === "" ? [] : (numberedIn(value) ?? [value]);
    return list.map((each) => withLists(schema.element, each));
  }
  if (!(schema instanceof z.ZodObject) || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, Object.hasOwn(schema.shape, name) ? withLists(schema.shape[name], each) : each]),
  );
}

/** What stands under numbers, in their order; null where something else does. */
export function numberedIn(value: unknown): unknown[] | null {
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 0 && names.every((name) => /^\d+$/.test(name)) ? Object.values(value ?? {}) : null;
}
