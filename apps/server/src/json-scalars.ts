/** A text, number or truth value of a JSON text: where it is in the document and where in the text, end not included. */
type Scalar = { path: readonly (string | number)[]; start: number; end: number; value: string | number | boolean | null };

const token = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/gy;
const blank = /\s*/gy;

type Open = { kind: "object"; name: string | null; isValue: boolean } | { kind: "list"; index: number };

/**
 * The scalars of a text that JSON.parse accepts, in their order. Positions let a value be replaced without the rest being written anew, which
 * would change numbers that a double can't hold. It goes through the text once and does not recurse.
 */
export function* scalarsOf(text: string): Generator<Scalar> {
  const open: Open[] = [];
  let at = 0;
  const pathNow = (): (string | number)[] => open.map((place) => (place.kind === "list" ? place.index : (place.name ?? "")));
  for (;;) {
    blank.lastIndex = at;
    blank.exec(text);
    token.lastIndex = blank.lastIndex;
    const start = token.lastIndex;
    const found = token.exec(text)?.[0];
    if (found === undefined) return;
    at = start + found.length;
    const inner = open.at(-1);
    if (found === "{") open.push({ kind: "object", name: null, isValue: false });
    else if (found === "[") open.push({ kind: "list", index: 0 });
    else if (found === "}" || found === "]") open.pop();
    else if (found === ":") {
      if (inner?.kind === "object") inner.isValue = true;
    } else if (found === ",") {
      if (inner?.kind === "list") inner.index += 1;
      else if (inner) inner.isValue = false;
    } else if (inner?.kind === "object" && !inner.isValue) inner.name = String(JSON.parse(found));
    else yield { path: pathNow(), start, end: at, value: JSON.parse(found) };
  }
}

/** Null for a text that is no JSON. */
export function parseJsonText(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Puts other texts in the place of parts, which come in their order. */
export function replaceParts(text: string, replacements: readonly { start: number; end: number; text: string }[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, text: part } of replacements) {
    parts.push(text.slice(from, start), part);
    from = end;
  }
  return [...parts, text.slice(from)].join("");
}

/** RFC 6901: `/customer/email`. */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
