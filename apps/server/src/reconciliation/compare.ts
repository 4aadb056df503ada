import type { ListedObject } from "@crossdock/connectors";
import type { FieldDifference } from "@crossdock/contract";
import type { Found } from "./rows.ts";

/** What differs between an object as it should look and as the target shows it; null where nothing does. `shown` null: it is not there. */
export function compare(expected: ListedObject, shown: ListedObject | null): Found | null {
  const { key } = expected;
  if (shown === null) {
    if (expected.mayBeMissing === true) return null;
    return { key, kind: "missing", fields: Object.entries(expected.fields).map(([path, source]) => ({ path, source, target: null })) };
  }
  // What one of the two says nothing of can't differ.
  const fields = Object.entries(expected.fields).flatMap(([path, source]): FieldDifference[] => {
    const target = shown.fields[path];
    return target === undefined || target === source ? [] : [{ path, source, target }];
  });
  return fields.length === 0 ? null : { key, kind: "differing", fields };
}

/** At the target only. A place that holds nothing (no stock, no price) is none. */
export function extraOf({ key, fields }: ListedObject): Found | null {
  const entries = Object.entries(fields);
  if (entries.every(([, value]) => value === null || value === "0")) return null;
  return { key, kind: "extra", fields: entries.map(([path, target]) => ({ path, source: null, target })) };
}
