import { expect, test } from "vitest";
import { readCron } from "./cron-words.ts";

/** The times as hours and minutes. */
function told(cron: string) {
  const plain = readCron(cron);
  if (!plain || "everySeconds" in plain) return plain;
  return { ...plain, times: plain.times.map((time) => time.toISOString().slice(11, 16)) };
}

test("a cron line of times, days or weekdays is told by them", () => {
  expect(told("0 6 * * *")).toEqual({ times: ["06:00"], days: [], weekdays: [] });
  expect(told(" 30  6,18 * * 1-5 ")).toEqual({ times: ["06:30", "18:30"], days: [], weekdays: [1, 2, 3, 4, 5] });
  expect(told("0 */6 1,15 * *")).toEqual({ times: ["00:00", "06:00", "12:00", "18:00"], days: [1, 15], weekdays: [] });
});

test("Sunday is one day by either number, the last of the week, and all seven are every day", () => {
  expect(told("0 6 * * 0,3,7")).toMatchObject({ weekdays: [3, 7] });
  expect(told("0 6 * * 0-6")).toMatchObject({ weekdays: [] });
});

test("equal steps of every hour are an interval", () => {
  expect(told("* * * * *")).toEqual({ everySeconds: 60 });
  expect(told("*/15 * * * *")).toEqual({ everySeconds: 900 });
  expect(told("0 * * * *")).toEqual({ everySeconds: 3_600 });
});

test("a line that a few words can't tell, or that is none, is told by nothing", () => {
  const lines = ["*/7 * * * *", "30 * * * *", "* 6 * * *", "0 6 1-20 * *", "0 6 * 1 *", "0 6 13 * 5", "5/10 6 * * *"];
  const wrong = [
    "",
    "0 6 * *",
    "0 6 * * * *",
    "60 6 * * *",
    "0 24 * * *",
    "0 2* * * *",
    "0 6 0 * *",
    "0 6 * * 8",
    "0 9-6 * * *",
    "0 0-9/0 * * *",
    "a 6 * * *",
  ];
  expect([...lines, ...wrong].filter((line) => readCron(line) !== null)).toEqual([]);
});
