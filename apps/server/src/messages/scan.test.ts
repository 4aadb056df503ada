import { expect, test } from "vitest";
import { isSlow } from "./scan.ts";

test.each([
  ["lamp", false],
  ["an oak lamp", false],
  ["xl", true],
  ["a 4", true],
  // The index knows them as one word.
  ['"a 4"', false],
  ['"ab cd', false],
  ['"ab" cd', true],
  // Two characters, though JavaScript takes them for four.
  ["😀😀", true],
  ['""', false],
])("%s is looked for from the newest message to the oldest: %s", (search, expected) => {
  expect(isSlow({ search })).toBe(expected);
});
