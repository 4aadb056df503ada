import { expect, test } from "vitest";
import { toMinorUnits } from "./minor-units.ts";

test.each([
  ["199.00", "SEK", 19_900],
  ["0.05", "SEK", 5],
  ["-12.5", "EUR", -1_250],
  ["1200", "JPY", 1_200],
  ["1.234", "KWD", 1_234],
  ["1.5", "OMR", 1_500],
  ["12.345", "IQD", 12_345],
  ["5000", "XOF", 5_000],
  ["70000", "PYG", 70_000],
  ["1.2345", "CLF", 12_345],
  ["0", "SEK", 0],
  ["1.001", "SEK", null],
  ["1.5", "JPY", null],
])("%s %s is %s of its smallest unit", (amount, currency, expected) => {
  expect(toMinorUnits({ amount, currency })).toBe(expected);
});
