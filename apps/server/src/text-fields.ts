import { parseJsonText, scalarsOf } from "./json-scalars.ts";

/** A value that stands in a text under a name: where, between which positions, and what has to be written around another one in its place. */
export type TextField = {
  path: readonly (string | number)[];
  start: number;
  end: number;
  value: string | number | boolean | null;
};

type FieldText = { isJson: boolean; fields: TextField[] };

/** The named values of a body: of JSON, XML, forms and tables with a line of names. A text of another kind has none. */
export function fieldsOf(text: string): FieldText {
  if (parseJsonText(text)) return { isJson: true, fields: [...scalarsOf(text)] };
  const start = text.trimStart();
  if (start.startsWith("<")) return { isJson: false, fields: [...xmlFields(text)] };
  if (/^[\w.%+[\]-]{1,200}=[^\r\n&=]*(?:&[\w.%+[\]-]{1,200}=[^\r\n&=]*)*$/.test(start.trimEnd()))
    return { isJson: false, fields: [...formFields(text)] };
  return { isJson: false, fields: [...tableFields(text)] };
}

const xmlToken = /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<[?!][^>]*>|<(\/?)([^\s<>/]+)([^<>]*)>|([^<]+)/g;
const xmlAttribute = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function* xmlFields(text: string): Generator<TextField> {
  const names: string[] = [];
  for (const match of text.matchAll(xmlToken)) {
    const [whole, data, slash, name, attributes = "", words] = match;
    const at = match.index;
    if (words !== undefined || data !== undefined) {
      const value = (words ?? data ?? "").trim();
      if (value === "") continue;
      const start = at + whole.indexOf(value);
      yield { path: [...names], start, end: start + value.length, value };
    } else if (name !== undefined && slash === "/") names.pop();
    else if (name !== undefined) {
      names.push(localName(name));
      for (const attribute of attributes.matchAll(xmlAttribute)) {
        const value = attribute[2] ?? attribute[3] ?? "";
        if (value === "") continue;
        const end = at + 1 + name.length + attribute.index + attribute[0].length - 1;
        yield { path: [...names, localName(attribute[1] ?? "")], start: end - value.length, end, value };
      }
      if (attributes.endsWith("/")) names.pop();
    }
  }
}

/** Without the namespace's prefix. */
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function* formFields(text: string): Generator<TextField> {
  for (const match of text.matchAll(/([^\s&=]+)=([^\r\n&=]+)/g)) {
    const [whole, name = "", value = ""] = match;
    const end = match.index + whole.length;
    const path = name.split(/[[\].]|%5B|%5D/i).filter((part) => part !== "");
    yield { path, start: end - value.length, end, value };
  }
}

const cellPattern = /"((?:[^"]|"")*)"|([^\r\n",;\t]*)/y;

/** Comma, semicolon or tab: whichever comes first in the line of names. */
function* tableFields(text: string): Generator<TextField> {
  const separator = /^[^\r\n,;\t]*([,;\t])/.exec(text)?.[1];
  if (separator === undefined) return;
  let names: string[] = [];
  let cells: TextField[] = [];
  let at = 0;
  for (let row = 0; at < text.length;) {
    cellPattern.lastIndex = at;
    const match = cellPattern.exec(text);
    // Another separator inside a cell without quotes: to be taken as it stands.
    let end = match ? cellPattern.lastIndex : at;
    while (end < text.length && text[end] !== separator && text[end] !== "\r" && text[end] !== "\n") end += 1;
    const isQuoted = text[at] === '"' && text[end - 1] === '"' && end - at > 1;
    const [start, stop] = isQuoted ? [at + 1, end - 1] : [at, end];
    cells.push({ path: [names[cells.length] ?? ""], start, end: stop, value: text.slice(start, stop) });
    if (text[end] === separator) {
      at = end + 1;
      continue;
    }
    if (row === 0) names = cells.map(({ value }) => String(value));
    else yield* cells.filter(({ value }) => value !== "");
    cells = [];
    row += 1;
    at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
}
