/**
 * Fails when a language lacks a key, has one too many, leaves a text in English, takes other arguments than the English text does, lacks a form
 * of a number, breaks a line before French punctuation or has a straight apostrophe, and when the English catalogue has a key that no source
 * file names.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, TYPE, type MessageFormatElement } from "@formatjs/icu-messageformat-parser";

type Catalogue = Record<string, string>;

const sourceFolder = fileURLToPath(new URL("src/", import.meta.url));
const english = read("messages/en.json");
/** Words that a language shares with English, by key. */
const shared: Record<string, string[]> = JSON.parse(readFileSync(`${sourceFolder}i18n/same-as-english.json`, "utf8"));

/** French keeps its high punctuation on the line of the word before; `!=` is code. */
const looseInFrench = / (?:[;:?»]|!(?!=))|« /;

/** Between letters; those of ICU stand before a brace. */
const straightApostrophe = /\p{L}'\p{L}/u;
/** The specification quotes it so. */
const quotedStraight = "error.404.text";

const complaints = [...unusedKeys(), ...straightApostrophes(), ...["zh", "ar", "it", "es", "fr"].flatMap(checkLanguage)];
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;

function read(file: string): Catalogue {
  return JSON.parse(readFileSync(`${sourceFolder}i18n/${file}`, "utf8"));
}

function unusedKeys(): string[] {
  const source = globSync(`${sourceFolder}**/*.{ts,tsx}`)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  return Object.keys(english).flatMap((key) => (source.includes(`"${key}"`) ? [] : [`${key}: no source file uses it`]));
}

function straightApostrophes(): string[] {
  return Object.entries(english).flatMap(([key, text]) =>
    key !== quotedStraight && straightApostrophe.test(text) ? [`en ${key}: an apostrophe is ’`] : [],
  );
}

function checkLanguage(language: string): string[] {
  const catalogue = read(`messages/${language}.json`);
  const superfluous = Object.keys(catalogue).flatMap((key) => (key in english ? [] : [`${language} ${key}: not in the English catalogue`]));
  const wrong = Object.entries(english).flatMap(([key, text]) => {
    const complaint =
      checkText(catalogue[key], text, shared[key]?.includes(language) ?? false) ?? checkStyle(language, catalogue[key] ?? "");
    return complaint ? [`${language} ${key}: ${complaint}`] : [];
  });
  return [...superfluous, ...wrong];
}

function checkText(translated: string | undefined, text: string, isShared: boolean): string | null {
  if (translated === undefined || translated.trim() === "") return "missing";
  if ((translated === text) !== isShared) return isShared ? "listed as shared with English, but differs" : "left in English";
  const [wanted, taken] = [text, translated].map((message) => [...argumentsOf(parse(message))].sort().join(", "));
  return wanted === taken ? null : `takes (${taken}) where English takes (${wanted})`;
}

function checkStyle(language: string, text: string): string | null {
  if (language === "fr" && looseInFrench.test(text)) return "a line may break before its punctuation: use no-break spaces";
  if (straightApostrophe.test(text)) return "an apostrophe is ’";
  const missing = missingForms(formsOf(language), parse(text));
  return missing.size === 0 ? null : `a number has no form for ${[...missing].join(", ")}`;
}

/** The forms that a language has for numbers of things; what only a million needs is left to `other`. */
function formsOf(language: string): Set<string> {
  const rules = new Intl.PluralRules(language);
  return new Set(Array.from({ length: 200 }, (_, index) => rules.select(index + 1)));
}

function missingForms(forms: Set<string>, elements: MessageFormatElement[]): Set<string> {
  const missing = new Set<string>();
  for (const element of elements) {
    if (element.type !== TYPE.plural && element.type !== TYPE.select) continue;
    if (element.type === TYPE.plural) for (const form of forms) if (!(form in element.options)) missing.add(form);
    for (const option of Object.values(element.options)) for (const form of missingForms(forms, option.value)) missing.add(form);
  }
  return missing;
}

/** Names of a message's arguments, those inside plural branches included. */
function argumentsOf(elements: MessageFormatElement[]): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    names.add(element.value);
    if (element.type === TYPE.plural || element.type === TYPE.select) {
      for (const option of Object.values(element.options)) for (const name of argumentsOf(option.value)) names.add(name);
    }
  }
  return names;
}
