import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const messages: Record<string, string> = JSON.parse(readFileSync(new URL("messages/ar.json", import.meta.url), "utf8"));

test("a number of things that may be one or two bends its Arabic noun", () => {
  const rigid = Object.entries(messages).filter(([, text]) =>
    /(count|value|waiting), number\} (ثانية|دقيقة|ساعة|يوم|من (الرسائل|المستأجرين))/.test(text),
  );
  expect(rigid).toEqual([]);
});

test("a code that begins or ends with a sign keeps it at that end within an Arabic sentence", () => {
  const torn = Object.entries(messages).filter(([, text]) =>
    /(?<=\s)\/['A-Za-z]|[A-Za-z:][/_]+(?![\w/'])|\}'/.test(text.replace(/\u2066[^\u2069]*\u2069|`[^`]*`/g, "")),
  );
  expect(torn).toEqual([]);
});
