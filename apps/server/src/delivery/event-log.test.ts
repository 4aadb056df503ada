import { expect, test } from "vitest";
import { createEventLog } from "./event-log.ts";

test("a database that stays away is told once, and other errors each time", () => {
  const lines: string[] = [];
  const note = (_fields: unknown, text?: string): void => void lines.push(text ?? "");
  const log = createEventLog({ error: note, warn: note });
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  for (let times = 0; times < 100; times += 1) log({ kind: "error", error: full });
  for (let times = 0; times < 2; times += 1) log({ kind: "error", error: new Error("of our own") });
  const own = "the worker met an error and goes on";
  expect(lines).toEqual(["the worker met an error of the database and goes on", own, own]);
});
