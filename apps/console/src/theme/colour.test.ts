import { expect, test } from "vitest";
import { contrastOf, isReadable, parseColour } from "./colour.ts";

test("contrast is WCAG's, whichever colour comes first", () => {
  expect(contrastOf("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastOf("#ffffff", "#777777")).toBeCloseTo(4.48, 2);
  expect(contrastOf("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrastOf("#0a8fdc", "#0a8fdc")).toBe(1);
});

test("text is readable from 4.5 on, on every ground", () => {
  expect(isReadable("#767676", ["#ffffff"])).toBe(true);
  expect(isReadable("#777777", ["#ffffff"])).toBe(false);
  expect(isReadable("#767676", ["#ffffff", "#eeeeee"])).toBe(false);
});

test.each(["0a8fdc", "#0a8fd", "#0a8fdcff", "red", "#0a8fdg", "", "url(#000000)"])("%j is no colour", (text) => {
  expect(parseColour(text)).toBeNull();
});

test("a colour is kept in lower case", () => {
  expect(parseColour("#0A8FDC")).toBe("#0a8fdc");
});
