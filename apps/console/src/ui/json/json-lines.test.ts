import { expect, test } from "vitest";
import { lineOf, linesOfPaths } from "./json-lines.ts";

const text = JSON.stringify({ number: "1", lines: [{ sku: 'a, {b}: ["c"]', n: 1 }, { sku: "d" }], "odd\nname": null }, null, 2);
const lines = linesOfPaths(text);

test("each value is found on the line on which it begins", () => {
  for (const [path, start] of [
    ["number", '"number"'],
    ["lines.0.sku", '"sku": "a'],
    ["lines.0.n", '"n": 1'],
    ["lines.1.sku", '"sku": "d"'],
    ["odd\nname", '"odd'],
  ] as const) {
    expect(text.split("\n")[lineOf(lines, path) - 1]).toContain(start);
  }
});

test("what is missing is shown where the object around it begins", () => {
  expect(lineOf(lines, "lines.1.quantity")).toBe(lineOf(lines, "lines.1"));
  expect(lineOf(lines, "currency")).toBe(1);
});

test("a text that isn't JSON is read as far as it goes", () => {
  expect(linesOfPaths('{"a": 1,\n"b": {').get("b")).toBe(2);
});
