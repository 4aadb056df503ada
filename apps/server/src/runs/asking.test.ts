import { expect, test } from "vitest";
import { isSamePage } from "./asking.ts";
import type { ClaimedRun } from "./runs.ts";

/** Of pages that all say that another follows, which end the run. */
function ends(...pages: string[]): boolean[] {
  const run = {} as ClaimedRun;
  return pages.map((page, index) => isSamePage(run, String(index), String(index + 1), [page]));
}

test("a page that comes for the third time in a row ends its run", () => {
  expect(ends("A", "A", "A")).toEqual([false, false, true]);
});

test("a source that heeds no time gives its first page twice and is read on", () => {
  expect(ends("A", "A", "B", "A", "B", "C")).not.toContain(true);
});

test("a page that names itself as the next ends its run", () => {
  expect(isSamePage({} as ClaimedRun, "1", "1", ["A"])).toBe(true);
});
