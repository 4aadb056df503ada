import { expect, test } from "vitest";
import { mentionAt, mentionName, partsOf } from "./mentions.ts";

test.each([
  ["@", 1, { start: 0, begun: "" }],
  ["please @mar", 11, { start: 7, begun: "mar" }],
  ["please @mar now", 11, { start: 7, begun: "mar" }],
  ["please @mar now", 15, null],
  ["eva@example", 11, null],
  ["@Émile", 6, { start: 0, begun: "Émile" }],
])("in %j with the caret at %i the mention being typed is %j", (text, caret, wanted) => {
  expect(mentionAt(text, caret)).toEqual(wanted);
});

test.each([
  ["Maria  Lee", "MariaLee"],
  ["Una O’Brien", "Una"],
  ["eva.holm@example.com", "eva.holm"],
])("%s is mentioned as %s", (name, wanted) => {
  expect(mentionName(name)).toBe(wanted);
});

test("a note's mentions are told apart, and nothing of its text is lost", () => {
  const text = "@MariaLee please ask\n@uli, thanks";
  expect(partsOf(text).filter(({ isMention }) => isMention)).toEqual([
    { text: "@MariaLee", isMention: true },
    { text: "@uli", isMention: true },
  ]);
  expect(
    partsOf(text)
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});
