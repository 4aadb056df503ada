import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createIntl } from "react-intl";
import { describe, expect, test } from "vitest";
import specified from "./specified-texts.json" with { type: "json" };

/**
 * The texts that the console's specification quotes, section by section, each with the keys where it stands. It says what an operator
 * reads, so a text with a count is read as for one.
 */

const folder = fileURLToPath(new URL("../", import.meta.url));
const languages = ["zh", "ar", "it", "es", "fr"] as const;
const read = (file: string): Record<string, string> => JSON.parse(readFileSync(`${folder}i18n/${file}.json`, "utf8"));
const english = read("messages/en");
const catalogues = new Map<string, Record<string, string>>(languages.map((language) => [language, read(`messages/${language}`)]));
const sameAsEnglish: Record<string, string[]> = JSON.parse(readFileSync(`${folder}i18n/same-as-english.json`, "utf8"));
const sources = globSync(`${folder}**/*.{ts,tsx}`, { exclude: [`${folder}**/*.test.ts`] })
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

function isTranslated(language: string, key: string): boolean {
  const text = catalogues.get(language)?.[key] ?? "";
  return text !== "" && (text !== english[key] || (sameAsEnglish[key] ?? []).includes(language));
}

const intl = createIntl({ locale: "en", messages: english });
const shown = (key: string): string => intl.formatMessage({ id: key }, { count: 1, shown: "1" });

type Place = [section: string, text: string, key: string];
const places = Object.entries(specified).flatMap(([section, texts]) =>
  Object.entries<string[]>(texts).flatMap(([text, keys]) => keys.map((key): Place => [section, text, key])),
);

describe.each(places)("%s: “%s” (%s)", (_section, text, key) => {
  test("stands in English to the letter, is used, and is there in every other language", () => {
    expect(shown(key)).toBe(text);
    expect(sources).toContain(`"${key}"`);
    expect(languages.filter((language) => !isTranslated(language, key))).toEqual([]);
  });
});

/** What is the same in every language, and where it stands. */
test.each([
  ["v. 0.9.45β", "layouts/version.tsx"],
  ['Development: "localhost"', "layouts/environment.tsx"],
  ['Production: "prod"', "layouts/environment.tsx"],
])("%s stands in %s", (text, file) => {
  expect(readFileSync(`${folder}${file}`, "utf8")).toContain(text);
});

test("no text of the list is looked for twice", () => {
  const keys = places.map(([, , key]) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBeGreaterThan(95);
});

test("a deadletter has one name in each language, that of the menu", () => {
  const otherNames = { it: /dead|\bmort/i, es: /dead|\bmuert/i, fr: /dead|\bmort/i };
  for (const [language, others] of Object.entries(otherNames)) {
    const texts = Object.entries(catalogues.get(language) ?? {});
    expect(texts.filter(([, text]) => others.test(text))).toEqual([]);
  }
});

test("tenants and subtenants are inquilinos and subinquilinos in Spanish", () => {
  // The column of the file is called so.
  const { "mappings.importHint": _, ...texts } = catalogues.get("es") ?? {};
  expect(Object.values(texts).filter((text) => /tenant/i.test(text.replaceAll(/\{\w+/g, "")))).toEqual([]);
});
