import { expect, test } from "vitest";
import { endOfWhole, restingValue } from "./running.ts";
import type { Series } from "./series.ts";

const line = (values: (number | null)[], isWeekBefore = false): Series => ({ label: "", values, isWeekBefore, colour: "", dash: [] });
const times = [0, 1, 2];

test("the lines end before the interval that is still running, and nowhere else", () => {
  expect(endOfWhole({ times, isRunning: true }, 2)).toBe(1);
  expect(endOfWhole({ times, isRunning: false }, 2)).toBe(2);
  expect(endOfWhole({ times: [0], isRunning: true }, 0)).toBe(0);
});

test("at rest a legend tells totals, or the newest value of an interval that has ended", () => {
  const series = [line([4, 6, 1]), line([4, null, 1]), line([4, 6, 8], true), line([null, null, 3])];
  const latest = { series, times, isRunning: true, atRest: "latest" } as const;
  expect(series.map((_, index) => restingValue(latest, index))).toEqual([6, 4, 8, null]);
  expect(restingValue({ ...latest, isRunning: false }, 0)).toBe(1);
  expect(restingValue({ ...latest, atRest: "total" }, 1)).toBe(5);
});
