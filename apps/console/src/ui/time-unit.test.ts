import { expect, test } from "vitest";
import { inUnit } from "./time-unit.ts";

test.each([
  [0, "0 ms"],
  [7.4, "7.4 ms"],
  [585.9, "586 ms"],
  [999, "999 ms"],
  [1000, "1 sec"],
  [43_360, "43.4 sec"],
  [254_580, "4.2 min"],
  [3_600_000, "1 hr"],
  [100 * 3_600_000, "4.2 days"],
])("%d ms is told as %s", (ms, text) => {
  const [value, options] = inUnit(ms);
  expect(new Intl.NumberFormat("en", options as Intl.NumberFormatOptions).format(value)).toBe(text);
});
