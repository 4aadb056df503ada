import { expect, test } from "vitest";
import { utcTime } from "./foreign.ts";

test("a time keeps its zone however that is written, and is UTC without one", () => {
  for (const [given, read] of [
    ["2026-11-21 08:30:00", "2026-11-21T08:30:00Z"],
    ["2026-11-21T08:30:00Z", "2026-11-21T08:30:00Z"],
    ["2026-11-21T08:30:00.1234567+02:00", "2026-11-21T08:30:00.123456+02:00"],
    ["2026-11-21T08:30:00-0530", "2026-11-21T08:30:00-05:30"],
    ["2026-11-21 08:30:00.25+02", "2026-11-21T08:30:00.25+02:00"],
    ["2026-11-21", null],
  ] as const)
    expect(utcTime(given)).toBe(read);
});
