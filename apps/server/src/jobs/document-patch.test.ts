import { expect, test } from "vitest";
import { applyPatch, checkPatch, patchDead } from "./document-patch.ts";

type Json = Parameters<typeof applyPatch>[1];
const merged = (target: Json, merge: Record<string, unknown>) => applyPatch({ kind: "merge", merge: merge as never }, target);

// https://www.rfc-editor.org/rfc/rfc7396#appendix-A, those whose patch is an object.
test.each([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
] as [Json, Record<string, unknown>, Json][])("merge patch: %j with %j is %j", (target, merge, result) => {
  expect(merged(target, merge)).toEqual(result);
});

test("a member called __proto__ is a member like any other", () => {
  const merge = JSON.parse('{"__proto__":{"isAdmin":true}}') as Record<string, unknown>;
  const result = merged({ a: 1 }, merge);
  expect(JSON.stringify(result)).toBe('{"a":1,"__proto__":{"isAdmin":true}}');
  expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
});

const mapped = (document: Json, path: string, from: string, to: string) => applyPatch({ kind: "mapping", path, from, to }, document);

test("a mapping changes the value wherever its path finds it, and nothing else", () => {
  const document = { sku: "A", lines: [{ sku: "A" }, { sku: "B" }, { sku: "A" }], tags: ["A"], n: 7, isOn: true };
  expect(mapped(document, "$.lines[*].sku", "A", "Z")).toEqual({ ...document, lines: [{ sku: "Z" }, { sku: "B" }, { sku: "Z" }] });
  expect(mapped(document, "$.lines.sku", "B", "Z")).toMatchObject({ lines: [{ sku: "A" }, { sku: "Z" }, { sku: "A" }] });
  expect(mapped(document, "$.lines[2].sku", "A", "Z")).toMatchObject({ lines: [{ sku: "A" }, { sku: "B" }, { sku: "Z" }] });
  expect(mapped(document, "$.tags[*]", "A", "Z")).toMatchObject({ tags: ["Z"], sku: "A" });
  expect(mapped(document, "$.n", "7", "8")).toMatchObject({ n: 8 });
  expect(mapped(document, "$.n", "7", "0.1234567890123456789")).toMatchObject({ n: "0.1234567890123456789" });
  expect(mapped(document, "$.isOn", "true", "false")).toMatchObject({ isOn: false });
  for (const path of ["$.lines", "$.nothing.there", "$"]) expect(mapped(document, path, "A", "Z")).toEqual(document);
});

test("a path that is none is refused with the place", () => {
  expect(() => checkPatch({ kind: "mapping", path: "$.lines[", from: "a", to: "b" })).toThrow("At character 8");
  expect(() => checkPatch({ kind: "mapping", path: "lines", from: "a", to: "b" })).toThrow("begins with $");
});

test("a copy must fit the canonical schema and keep its business key", () => {
  const item = { entityType: "item", key: "a", document: JSON.stringify({ schemaVersion: 1, sku: "a", name: "Mug" }) };
  const patch = (merge: Record<string, unknown>) => patchDead({ kind: "merge", merge: merge as never }, item);
  expect(patch({ name: "Cup" })).toEqual({ verdict: "changed", document: expect.stringContaining('"name":"Cup"') });
  expect(patch({ name: "Mug" })).toEqual({ verdict: "unchanged" });
  expect(patch({ name: null })).toMatchObject({ verdict: "invalid", errors: [{ path: "name" }] });
  expect(patch({ sku: "b" })).toMatchObject({ verdict: "invalid", errors: [{ message: expect.stringContaining("must stay a") }] });
  expect(patchDead({ kind: "merge", merge: {} }, { ...item, document: "{" })).toMatchObject({ verdict: "invalid", after: null });
});
