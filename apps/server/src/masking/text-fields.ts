import { type Place, isJson, placeIn, scalarsOf } from "./json-scalars.ts";

/** A value that stands in a text under a name: where, between which positions, and what has to be written around another one in its place. */
export type TextField = {
  place: Place | null;
  start: number;
  end: number;
  value: string | number | boolean | null;
};

/** `isQuoted`: what stands in the place of a value has quotes around it, as in JSON. */
type FieldText = { isJson: boolean; isQuoted: boolean; fields: Iterable<TextField> };

/** The named values of a body: of JSON, also broken or one document a line, XML, forms of both encodings, lines of `name: value` and tables with a line of names. A text of another kind has none. */
export function fieldsOf(text: string): FieldText {
  if (isJson(text)) return { isJson: true, isQuoted: true, fields: scalarsOf(text) };
  // A byte order mark is blank.
  const start = text.trimStart();
  if (/^[{["]/.test(start)) {
    // The first line of a table may begin with a quote.
    if (!start.startsWith('"') || scalarsOf(text).some(({ place }) => place !== null))
      return { isJson: false, isQuoted: true, fields: scalarsOf(text) };
  }
  const plain = { isJson: false, isQuoted: false };
  if (start.startsWith("<")) return { ...plain, fields: xmlFields(text) };
  if (/^[\w.%+[\]-]{1,200}=[^\r\n&=]*(?:&[\w.%+[\]-]{1,200}=[^\r\n&=]*)*$/.test(start.trimEnd()))
    return { ...plain, fields: formFields(text) };
  const boundary = /^--[^\r\n]{1,70}(?=\r?\n)/.exec(start)?.[0];
  if (boundary !== undefined) return { ...plain, fields: partFields(text, boundary) };
  if (/^[^\s:,;|"]{1,60}:[ \t]/.test(start)) return { ...plain, fields: lineFields(text) };
  return { ...plain, fields: tableFields(text) };
}

/** multipart/form-data (RFC 7578): a part's name is in its head, which ends at an empty line. */
function* partFields(text: string, boundary: string): Generator<TextField> {
  for (let at = text.indexOf(boundary); at !== -1;) {
    const next = text.indexOf(boundary, at + boundary.length);
    const part = text.slice(at, next === -1 ? text.length : next);
    const head = /^[^]*?\r?\n\r?\n/.exec(part)?.[0] ?? part;
    const name = /[;\s]name="?([^";\r\n]{1,200})/i.exec(head)?.[1] ?? "";
    const value = part.slice(head.length).replace(/\r?\n$/, "");
    const start = at + head.length;
    if (value !== "") yield { place: placeIn(null, name), start, end: start + value.length, value };
    at = next;
  }
}

function* lineFields(text: string): Generator<TextField> {
  for (const { index, 0: line, 1: name = "", 2: value = "" } of text.matchAll(/^[ \t]*([^\s:][^:\r\n]{0,59}):[ \t]+(\S[^\r\n]*)/gm)) {
    const end = index + line.length;
    yield { place: placeIn(null, name), start: end - value.length, end, value };
  }
}

// No value holds a "<", so that each tag is looked for as far as the next one. A name is taken whole or not at all: shorter ones would each be
// looked behind as far.
const tagPattern = /<(\/?)([^\s<>/"']+)(?![^\s<>/"'])([^<>"']*(?:(?:"[^<"]*"|'[^<']*')[^<>"']*)*)>/y;
const laxTagPattern = /<(\/?)([^\s<>/]+)(?![^\s<>/])([^<>]*)>/y;
const attributeValue = /=\s*(?:"([^"]*)"|'([^']*)')/g;

function* xmlFields(text: string): Generator<TextField> {
  const open: Place[] = [];
  /** Ends that the rest of the text does not have. */
  const missing = new Set<string>();
  const endOf = (end: string, from: number): number => {
    const at = missing.has(end) ? -1 : text.indexOf(end, from);
    if (at === -1) missing.add(end);
    return at;
  };
  const inner = (): Place | null => open.at(-1) ?? null;
  for (let at = 0; at < text.length;) {
    const isTag = text[at] === "<";
    const isComment = isTag && text.startsWith("<!--", at);
    const isData = isTag && text.startsWith("<![CDATA[", at);
    const ending = isComment ? "-->" : isData ? "]]>" : ">";
    const isMarked = isTag && (text[at + 1] === "!" || text[at + 1] === "?");
    const end = isMarked ? endOf(ending, at + 2) : -1;
    if (isMarked && end !== -1) {
      if (isData) yield* textField(text, at + 9, end, inner());
      at = end + ending.length;
      continue;
    }
    const tag = isTag && !isMarked ? (matchAt(tagPattern, text, at) ?? matchAt(laxTagPattern, text, at)) : null;
    if (!tag) {
      const next = text.indexOf("<", at + 1);
      const stop = next === -1 ? text.length : next;
      // A "<" that begins nothing is left out.
      yield* textField(text, isTag ? at + 1 : at, stop, inner());
      at = stop;
      continue;
    }
    const [whole, slash, name = "", attributes = ""] = tag;
    if (slash === "/") open.pop();
    else {
      open.push(placeIn(inner(), localName(name)));
      const from = at + 1 + name.length;
      let before = 0;
      for (const { index, 0: given, 1: double, 2: single } of attributes.matchAll(attributeValue)) {
        const value = double ?? single ?? "";
        const stop = from + index + given.length - 1;
        const called = lastWord(attributes.slice(before, index));
        before = index + given.length;
        if (value !== "") yield { place: placeIn(inner(), localName(called)), start: stop - value.length, end: stop, value };
      }
      if (attributes.endsWith("/")) open.pop();
    }
    at += whole.length;
  }
}

/** From its end on: a pattern would be tried from each character before it. */
function lastWord(text: string): string {
  const words = text.trimEnd();
  let start = words.length;
  while (start > 0 && !/[\s=]/.test(words.charAt(start - 1))) start -= 1;
  return words.slice(start);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function* textField(text: string, from: number, to: number, place: Place | null): Generator<TextField> {
  const words = text.slice(from, to);
  const value = words.trim();
  if (value === "") return;
  const start = from + words.length - words.trimStart().length;
  yield { place, start, end: start + value.length, value };
}

/** Without the namespace's prefix. */
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function* formFields(text: string): Generator<TextField> {
  for (const match of text.matchAll(/([^\s&=]+)=([^\r\n&=]+)/g)) {
    const [whole, name = "", value = ""] = match;
    const end = match.index + whole.length;
    const parts = name.split(/[[\].]|%5B|%5D/i).filter((part) => part !== "");
    yield { place: parts.reduce<Place | null>(placeIn, null), start: end - value.length, end, value };
  }
}

/** Comma, semicolon, tab or bar: whichever comes first in the line of names. Without one, a line is one value. */
function* tableFields(text: string): Generator<TextField> {
  const separator = /^[^\r\n,;\t|]*([,;\t|])/.exec(text)?.[1];
  let places: Place[] = [];
  let cells: TextField[] = [];
  let at = 0;
  let hasQuotes = true;
  for (let row = 0; at < text.length;) {
    const quoted = hasQuotes && text[at] === '"' ? endOfQuoted(text, at) : null;
    // A quote that has no other behind it.
    if (quoted === -1) hasQuotes = false;
    let end = quoted === null || quoted === -1 ? at : quoted;
    // What follows in the cell, quotes or none: to be taken as it stands.
    while (end < text.length && text[end] !== separator && text[end] !== "\r" && text[end] !== "\n") end += 1;
    const isQuoted = text[at] === '"' && text[end - 1] === '"' && end - at > 1;
    const [start, stop] = isQuoted ? [at + 1, end - 1] : [at, end];
    cells.push({ place: places[cells.length] ?? placeIn(null, ""), start, end: stop, value: text.slice(start, stop) });
    if (end < text.length && text[end] === separator) {
      at = end + 1;
      continue;
    }
    if (row === 0) places = cells.map(({ value }) => placeIn(null, String(value)));
    else yield* cells.filter(({ value }) => value !== "");
    cells = [];
    row += 1;
    at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
}

/** Behind the quote that ends what the one at `at` begins; two of them stand for one. -1: there is none. */
function endOfQuoted(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 2))
    if (text[quote + 1] !== '"') return quote + 1;
  return -1;
}
