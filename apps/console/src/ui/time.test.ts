import { expect, test } from "vitest";
import { clockText } from "./time.tsx";

test.each([
  [0, "0:00"],
  [9, "0:09"],
  [725, "12:05"],
  [3723, "1:02:03"],
  [90_061, "1d 01:01:01"],
])("%i seconds read %s", (seconds, text) => {
  expect(clockText(seconds, (days) => `${days}d`)).toBe(text);
});
