import { expect, test } from "vitest";
import { rangeInSight } from "./use-row-window.ts";

const sight = (top: number, height = 440) => rangeInSight({ top, height }, 44);

test("the rows drawn are those in sight and four on either side, wherever the list stands", () => {
  expect(sight(0)).toEqual({ from: 0, to: 14 });
  expect(sight(44 * 100)).toEqual({ from: 96, to: 114 });
  expect(sight(44 * 100 + 1)).toEqual({ from: 96, to: 115 });
  expect(sight(44 * 99_999)).toEqual({ from: 99_995, to: 100_013 });
});

test("a list that is still below the window draws its first rows at most", () => {
  expect(sight(-300)).toEqual({ from: 0, to: 8 });
  expect(sight(-5000)).toEqual({ from: 0, to: 0 });
});
