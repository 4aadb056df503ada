import { expect, test } from "vitest";
import { keyListIn } from "./key-list.ts";

const numbers = (count: number): string => Array.from({ length: count }, (_, number) => 10_000 + number).join("\n");

test.each([
  ["a column of a spreadsheet", "10023\r\n10024\r\n10023\r\n", "10023\n10024"],
  ["a row of one", "10023\t10024", "10023\n10024"],
  ["articles without a number, a row each", "LAMP\nMUG", "LAMP\nMUG"],
  ["a line of a mail", "10023, 10024; 10025,", "10023\n10024\n10025"],
  ["lines that end with a comma", "10023,\n10024,\n10025", "10023\n10024\n10025"],
])("%s is a list of keys, wherever it is pasted", (_what, pasted, keys) => {
  expect(keyListIn(pasted, false)).toBe(keys);
  expect(keyListIn(pasted, true)).toBe(keys);
});

test("blanks stand between keys where only keys stand, between words in a search", () => {
  expect(keyListIn("10023 10024  #1025", true)).toBe("10023\n10024\n#1025");
  expect(keyListIn("10023 10024", false)).toBeNull();
  expect(keyListIn("blue lamp\nred mug", true)).toBe("blue lamp\nred mug");
  expect(keyListIn("blue lamp\nred mug", false)).toBeNull();
});

test.each([
  "",
  "10023",
  "10023\n",
  "lamp oak",
  "12,5MM-SCREW",
  "LAMP 42",
  "Main street 5, 12345 Town",
  "070 123 45 67",
  '{\n  "a": 1\n}\n',
])("%o is no list in a search", (pasted) => {
  expect(keyListIn(pasted, false)).toBeNull();
});

test.each(["12,5MM-SCREW", "LAMP 42"])("%o is one key", (pasted) => {
  expect(keyListIn(pasted, true)).toBeNull();
});

test("a list that is longer than the server takes is none", () => {
  expect(keyListIn(numbers(500), true)?.split("\n")).toHaveLength(500);
  expect(keyListIn(numbers(501), true)).toBeNull();
  expect(keyListIn(`${"A".repeat(5_000)}\n${"B".repeat(5_000)}`, true)).toBeNull();
  expect(keyListIn(`${"苹".repeat(600)}\n${"果".repeat(600)}`, true)).toBeNull();
});
