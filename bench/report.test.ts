import { expect, test } from "vitest";
import { median, ownRow, peerRow, percentile, table } from "./report.ts";

test("a rate is better when higher, a waiting time when lower", () => {
  expect(peerRow("b", "drain", 90, { name: "peer", value: 30 }, "messages/s", 3)).toMatchObject({ value: 30, ratio: 3, ok: true });
  expect(peerRow("b", "pickup", 2, { name: "peer", value: 1 }, "ms", 1)).toMatchObject({ ratio: 0.5, ok: false });
});

test("a floor is missed on its wrong side only, and where none is set nothing is judged", () => {
  expect([ownRow("b", "r", 10, "ms", { atMost: 20 }).ok, ownRow("b", "r", 30, "ms", { atMost: 20 }).ok]).toEqual([true, false]);
  expect([ownRow("b", "r", 10, "x/s", { atLeast: 20 }).ok, ownRow("b", "r", 30, "x/s").ok]).toEqual([false, null]);
});

test("percentiles are values that were measured", () => {
  expect([percentile([5, 1, 3], 50), percentile([5, 1, 3], 99), median([4, 1, 2, 3]), percentile([], 50)]).toEqual([3, 5, 2, 0]);
});

test("a missed floor stands out in the table", () => {
  expect(table([ownRow("b", "r", 1, "x/s", { atLeast: 2 })])).toContain("MISSED");
});
