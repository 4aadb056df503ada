import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const messages: unknown = JSON.parse(readFileSync(new URL("messages/ar.json", import.meta.url), "utf8"));

test("a number of seconds, minutes, hours or days bends its Arabic noun", () => {
  const rigid = Object.entries(messages as Record<string, string>).filter(([, text]) => /, number\} (ثانية|دقيقة|ساعة|يوم)/.test(text));
  expect(rigid).toEqual([]);
});
