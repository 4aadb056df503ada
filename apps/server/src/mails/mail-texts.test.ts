import { expect, test } from "vitest";
import { mailTexts } from "./mail-texts.ts";

test("no line of a mail begins with French punctuation, and its apostrophes are those of print", () => {
  const texts = Object.values(mailTexts).flatMap((language) => Object.values(language).flatMap(({ subject, text }) => [subject, text]));
  expect(texts.filter((text) => / [:;?!»]|« |\p{L}'\p{L}/u.test(text))).toEqual([]);
});
