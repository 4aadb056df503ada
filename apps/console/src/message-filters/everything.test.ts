import { expect, test } from "vitest";
import { everything, nothing, type Selection } from "../ui/selection.ts";
import { isEverything } from "./everything.ts";

const some = (...ids: string[]): Selection => ({ kind: "some", ids: new Set(ids) });

test("a choice is everything where no filter is set and nothing is left out, by ids too", () => {
  expect(isEverything(everything, {}, null)).toBe(true);
  expect(isEverything(some("a", "b"), { search: "", view: undefined }, 2)).toBe(true);
});

test("a choice is not everything under a filter, nor with a row left out, nor of a single row", () => {
  expect(isEverything(everything, { key: "LAMP" }, null)).toBe(false);
  expect(isEverything(some("a", "b"), { state: "rejected" }, 2)).toBe(false);
  expect(isEverything({ kind: "all-but", ids: new Set("a") }, {}, 3)).toBe(false);
  expect(isEverything(some("a", "b"), {}, 3)).toBe(false);
  expect(isEverything(some("a", "b"), {}, null)).toBe(false);
  expect(isEverything(some("a"), {}, 1)).toBe(false);
  expect(isEverything(nothing, {}, 0)).toBe(false);
});
