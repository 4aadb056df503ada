import { expect, test } from "vitest";
import { fieldChanges } from "./changes.ts";

test("a change names its fields with the old value and the new one, however deep they lie", () => {
  const before = { name: "Shop", isActive: true, retry: { maxAttempts: 10, baseDelayMs: 3000 }, version: 3 };
  const after = { name: "Shop 2", isActive: true, retry: { maxAttempts: 12, baseDelayMs: 3000 }, version: 4 };
  expect(fieldChanges({ before, after })).toEqual([
    { field: "name", before: "Shop", after: "Shop 2" },
    { field: "retry.maxAttempts", before: "10", after: "12" },
  ]);
});

test("what is new tells its values but for those that are empty, what is gone those that it had", () => {
  const document = { name: "ERP", scopes: ["read", "write"], settings: { url: "http://erp", path: "" }, expiresAt: null, version: 1 };
  const told = [
    ["name", "ERP"],
    ["scopes", "read, write"],
    ["settings.url", "http://erp"],
    ["version", "1"],
  ];
  expect(fieldChanges({ before: null, after: document })).toEqual(told.map(([field, after]) => ({ field, before: null, after })));
  expect(fieldChanges({ before: document, after: null })).toEqual(told.map(([field, before]) => ({ field, before, after: null })));
});

test("a list is told as a whole where it is of plain values, and item by item where it isn't", () => {
  expect(fieldChanges({ before: { ids: ["1", "2"] }, after: { ids: ["1", "3"] } })).toEqual([
    { field: "ids", before: "1, 2", after: "1, 3" },
  ]);
  expect(fieldChanges({ before: null, after: [{ id: 1, value: "red" }] })).toEqual([
    { field: "[0].id", before: null, after: "1" },
    { field: "[0].value", before: null, after: "red" },
  ]);
});

test("a field that became a document, or stopped being one, is told with all that is in it", () => {
  expect(fieldChanges({ before: { pause: null }, after: { pause: { by: "Ada", until: "noon" } } })).toEqual([
    { field: "pause.by", before: null, after: "Ada" },
    { field: "pause.until", before: null, after: "noon" },
  ]);
  expect(fieldChanges({ before: { value: "all" }, after: { value: { of: "one" } } })).toEqual([
    { field: "value", before: "all", after: null },
    { field: "value.of", before: null, after: "one" },
  ]);
});

test("what bears the name of a secret stays hidden, whatever it holds", () => {
  const changes = fieldChanges({
    before: { password: "old-one", apiKey: { part: "deep-one" }, token: null },
    after: { password: "new-one", apiKey: { part: "deep-two" }, token: "fresh-one" },
  });
  expect(changes.map(({ field }) => field)).toEqual(["password", "apiKey", "token"]);
  expect(changes.at(-1)).toEqual({ field: "token", before: null, after: "••••••" });
  expect(JSON.stringify(changes)).not.toMatch(/-one|-two/);
  expect(JSON.stringify(fieldChanges({ before: null, after: { inner: { secret: { part: "deep-one" } } } }))).not.toContain("deep-one");
});
