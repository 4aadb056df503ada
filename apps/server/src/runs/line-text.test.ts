import { expect, test } from "vitest";
import { because, faultBecause } from "../errors/faults.ts";
import { lineMax, lineText, readFailure, readLineText } from "./line-text.ts";

const failureOf = ({ detail }: { detail: string }) => readFailure(detail);

test("a wrong line of a file is told in English, and each of its faults by name", () => {
  const faults = [faultBecause("sku", "key-form"), faultBecause("updatedAt", "source-time-ahead", { time: "9999" })];
  const told = readLineText(lineText({ line: 7, faults }));
  expect(told).toMatchObject({ line: 7, faults });
  expect(told.text).toBe(`line 7: sku: ${faults[0]?.message}; updatedAt: ${faults[1]?.message}`);
});

test("faults that are too long for a line are left out, and a single one is told in plain words", () => {
  const long = { path: "a", message: "x".repeat(lineMax - 100) };
  expect(readLineText(lineText({ line: 1, faults: [long, long] })).faults).toEqual([long]);
  const longer = { path: "a", message: "x".repeat(lineMax) };
  expect(readLineText(lineText({ line: 1, faults: [longer] }))).toEqual({ text: `line 1: a: ${longer.message}`, faults: [] });
});

test.each(['{"line":1', '{"line":1,"faults":[]}', '{"line":1}: not known', "a system's own words", "line 3: a system's own words"])(
  "another line stays as it is: %s",
  (text) => {
    expect(readLineText(text)).toEqual({ text, faults: [] });
    expect(readFailure(text)).toEqual({ message: text });
  },
);

test("what a run says of itself has a name", () => {
  const { detail } = because("run-taken-up");
  expect(readLineText(detail)).toEqual({ text: detail, faults: [{ path: "", message: detail, reason: "run-taken-up" }] });
  expect(failureOf(because("run-subject-gone"))).toMatchObject({ reason: "run-subject-gone" });
  expect(failureOf(because("run-target-unread", { fault: "HTTP 502: a; b" }))).toMatchObject({ values: { fault: "HTTP 502: a; b" } });
  expect(failureOf(because("run-tried-again", { fault: "HTTP 503", seconds: 4 }))).toMatchObject({
    values: { fault: "HTTP 503", seconds: "4" },
  });
});
