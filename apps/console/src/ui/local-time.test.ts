import { afterAll, beforeAll, expect, test } from "vitest";
import { firstMomentOf, lastMomentOf, localTextOf, startOfDay } from "./local-time.ts";

const zone = process.env["TZ"];
beforeAll(() => {
  process.env["TZ"] = "Europe/Stockholm";
});
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

test.each([
  ["2026-07-01T02:30", "2026-07-01T00:30:00.000Z", "2026-07-01T00:30:00.000Z"],
  ["2026-10-24T12:30", "2026-10-24T10:30:00.000Z", "2026-10-24T10:30:00.000Z"],
  ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  ["2026-10-25T03:00", "2026-10-25T02:00:00.000Z", "2026-10-25T02:00:00.000Z"],
  ["2026-03-28T12:30", "2026-03-28T11:30:00.000Z", "2026-03-28T11:30:00.000Z"],
])("a range from %s begins at %s, one to it ends at %s", (text, first, last) => {
  expect([firstMomentOf(text), lastMomentOf(text)]).toEqual([first, last]);
  expect([localTextOf(first), localTextOf(last)]).toEqual([text, text]);
});

test("a time that the clock skips is as much later as it skips, at either end", () => {
  expect(localTextOf(firstMomentOf("2026-03-29T02:30"))).toBe("2026-03-29T03:30");
  expect(lastMomentOf("2026-03-29T02:30")).toBe(firstMomentOf("2026-03-29T02:30"));
});

test("what is no moment leaves the field empty", () => {
  expect(localTextOf("yesterday")).toBe("");
});

test("a day begins at the operator's midnight, also where the clock was changed since", () => {
  const now = new Date("2026-03-30T00:30:00+02:00");
  expect([0, 1, 2].map((daysAgo) => startOfDay(now, daysAgo))).toEqual([
    "2026-03-29T22:00:00.000Z",
    "2026-03-28T23:00:00.000Z",
    "2026-03-27T23:00:00.000Z",
  ]);
});
