import { expect, test } from "vitest";
import { hasWords } from "./find.ts";

test("a text is found by parts of its words in any order, whatever their case and accents", () => {
  expect(hasWords("Café Zürich, north", "NORTH zurich")).toBe(true);
  expect(hasWords("Café Zürich, north", "cafe south")).toBe(false);
  expect(hasWords("شركة الميناء", "الميناء")).toBe(true);
  expect(hasWords("Anything", " ")).toBe(true);
});
