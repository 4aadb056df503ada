import { expect, test } from "vitest";
import { nextTime, parseCron } from "./cron.ts";

function next(line: string, after: string): string | undefined {
  const cron = parseCron(line);
  if (!cron) throw new Error(`${line} is no cron line`);
  return nextTime(cron, new Date(after))?.toISOString();
}

test.each([
  ["*/15 * * * *", "2026-11-21T08:00:00Z", "2026-11-21T08:15:00.000Z"],
  ["*/15 * * * *", "2026-11-21T08:14:59Z", "2026-11-21T08:15:00.000Z"],
  ["0 6 * * 1-5", "2026-11-20T06:00:00Z", "2026-11-23T06:00:00.000Z"],
  ["30 23 31 12 *", "2026-12-31T23:30:00Z", "2027-12-31T23:30:00.000Z"],
  ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ["0 0 29 2 */7", "2088-02-29T00:00:00Z", "2128-02-29T00:00:00.000Z"],
  ["5,10 1-3/2 * * *", "2026-11-21T01:10:00Z", "2026-11-21T03:05:00.000Z"],
  ["0 0 * * 7", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00.000Z"],
  ["0 0 1 * 1", "2026-11-21T00:00:00Z", "2026-11-23T00:00:00.000Z"],
  ["0 0 */2 * 1", "2026-11-23T00:00:00Z", "2026-12-07T00:00:00.000Z"],
  ["0 0 1 * */2", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00.000Z"],
])("%s after %s is %s", (line, after, expected) => {
  expect(next(line, after)).toBe(expected);
});

test.each([
  "",
  "* * * *",
  "60 * * * *",
  "* 24 * * *",
  "* * 0 * *",
  "* * * 13 *",
  "* * * * 8",
  "5-1 * * * *",
  "*/0 * * * *",
  "a * * * *",
  "0 0 30 2 *",
])("'%s' is refused", (line) => expect(parseCron(line)).toBeNull());
