import { escapedXml } from "@crossdock/connectors";
import { mask } from "./headers.ts";

/** Also as part of a URL. */
const addressEnd = /(?:@|%40)(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{1,63}/gi;
const addressCharacter = /[\w.!#$%&'*+/=?^`{|}~-]/;
/** What is part of a URL has its "/", "?", "=" and "&" escaped. */
const escapedCharacter = /[\w.!*'+%~-]/;
const addressStartMax = 64;
/** Shorter values occur by chance in any text. */
const lengthMin = 4;
/** Fewer digits by themselves are any number. */
const digitsMin = 6;
/** Of a longer form only the beginning is looked for at first: V8's search takes a time that grows with the lengths of both texts. */
const soughtMax = 32;
/** A text that may hold one of more values is masked as a whole. */
const valuesMax = 5_000;
/** Values times characters: what takes longer to scrub, some 20 ms, is masked as a whole. */
const workMax = 100_000_000;

export const isTooMuch = (text: string, values: readonly string[]): boolean =>
  values.length > valuesMax || values.length * text.length > workMax;

/** The text with these values masked wherever they stand in it. */
export function withoutValues(text: string, values: readonly string[]): string {
  return formsOf(values).reduce(withoutForm, text);
}

/** One message's values are looked for in many texts. */
const known = new WeakMap<readonly string[], readonly string[]>();

/** As they are and in small letters, and of each that as part of a URL or form, of JSON and of XML; of a number as people write it, its digits alone. */
function formsOf(values: readonly string[]): readonly string[] {
  const forms =
    known.get(values) ??
    values
      .filter((value) => value.length >= lengthMin)
      .flatMap((value) => [...new Set([...[...new Set([value, value.toLowerCase()])].flatMap(writtenForms), ...digitsOf(value)])]);
  known.set(values, forms);
  return forms;
}

/** The value as it stands in texts, in parts of URLs, in forms, which escape more characters and write a blank as "+", in JSON and in XML. */
export function writtenForms(value: string): string[] {
  const inForm = new URLSearchParams({ "": value }).toString().slice(1);
  return [value, encodeURIComponent(value.toWellFormed()), inForm, JSON.stringify(value).slice(1, -1), escapedXml(value)];
}

function digitsOf(value: string): string[] {
  const digits = /\p{L}/u.test(value) ? "" : value.replaceAll(/\D/g, "");
  return digits.length < digitsMin ? [] : [digits];
}

function withoutForm(text: string, form: string): string {
  if (!text.includes(form.slice(0, soughtMax))) return text;
  return form.length > soughtMax ? withoutLong(text, form) : text.replaceAll(form, mask);
}

/** As `replaceAll`, by the algorithm of Knuth, Morris and Pratt, which never goes back in the text. */
function withoutLong(text: string, form: string): string {
  /** For each beginning of the form: how long the longest other one is that it ends with. */
  const borders = new Uint32Array(form.length);
  /** How much of the form stands before and at this place, when `length` of it stood before. */
  const lengthAt = (place: string, at: number, length: number): number => {
    let next = length;
    while (next > 0 && place.charCodeAt(at) !== form.charCodeAt(next)) next = borders[next - 1] ?? 0;
    return place.charCodeAt(at) === form.charCodeAt(next) ? next + 1 : next;
  };
  for (let at = 1, length = 0; at < form.length; at += 1) borders[at] = length = lengthAt(form, at, length);
  const parts: string[] = [];
  let from = 0;
  for (let at = 0, length = 0; at < text.length; at += 1) {
    length = lengthAt(text, at, length);
    if (length < form.length) continue;
    parts.push(text.slice(from, at + 1 - form.length), mask);
    from = at + 1;
    length = 0;
  }
  return [...parts, text.slice(from)].join("");
}

/** Looked for from their "@" on, so that a long text without one takes no time. */
export function withoutAddresses(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: end } of text.matchAll(addressEnd)) {
    let start = index;
    const character = end.startsWith("@") ? addressCharacter : escapedCharacter;
    while (start > from && index - start < addressStartMax && character.test(text[start - 1] ?? "")) start -= 1;
    if (start === index) continue;
    parts.push(text.slice(from, start), mask);
    from = index + end.length;
  }
  return [...parts, text.slice(from)].join("");
}
