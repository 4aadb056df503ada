import { isTooDeep, parseJson } from "@crossdock/connectors";

/** Where a value is: its name or number in what stands `above` it. All that one thing holds share that thing, as long paths to each would fill the memory. */
export type Place = { readonly above: Place | null; readonly part: string | number; readonly depth: number };

/**
 * A text, number or truth value of a JSON text: where it is in the document, null for the whole of it, and where in the text, end not included. A
 * number that a double can't hold is a text with all its digits.
 */
type Scalar = { place: Place | null; start: number; end: number; value: string | number | boolean | null };

/** Deeper than any document that is taken in. Whatever lies deeper has the place that is one step deeper. */
export const pathDepthMax = 64;

export function placeIn(above: Place | null, part: string | number): Place {
  return above && above.depth > pathDepthMax ? above : { above, part, depth: (above?.depth ?? 0) + 1 };
}

// A string without its end goes to the end of its line.
const token = /[{}[\]:,]|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?(?=\n)|\\?$)|[^\s{}[\]:,"]+/gy;
const blank = /\s*/gy;

type Open = { place: Place | null } & ({ kind: "object"; name: string; isNamed: boolean } | { kind: "list"; index: number });

/**
 * The scalars of a JSON text, in their order. Positions let a value be replaced without the rest being written anew, which would change numbers
 * that a double can't hold. It goes through the text once and does not recurse. A text that was meant as JSON and is none (cut off, without a comma
 * or colon, one document behind the other) has scalars as well, each under the name before it.
 */
export function* scalarsOf(text: string): Generator<Scalar> {
  const open: Open[] = [];
  /** What was taken for a value, until a colon says that it is a name. */
  let taken: string | null = null;
  const placeNow = (): Place | null => {
    const inner = open.at(-1);
    return inner ? placeIn(inner.place, inner.kind === "list" ? inner.index : inner.name) : null;
  };
  for (let at = 0; ;) {
    blank.lastIndex = at;
    blank.exec(text);
    token.lastIndex = blank.lastIndex;
    const start = token.lastIndex;
    const found = token.exec(text)?.[0];
    if (found === undefined) return;
    at = start + found.length;
    const inner = open.at(-1);
    if (found === "{") open.push({ place: placeNow(), kind: "object", name: "", isNamed: false });
    else if (found === "[") open.push({ place: placeNow(), kind: "list", index: 0 });
    else if (found === "}" || found === "]") open.pop();
    else if (found === ":") {
      if (taken === null) continue;
      if (inner?.kind === "list") open.pop();
      if (inner?.kind !== "object") open.push({ place: placeNow(), kind: "object", name: String(valueOf(taken)), isNamed: true });
      else inner.name = String(valueOf(taken));
    } else if (found === ",") {
      if (inner?.kind === "list") inner.index += 1;
      else if (inner) inner.isNamed = false;
    } else if (inner?.kind === "object" && !inner.isNamed) {
      inner.name = String(valueOf(found));
      inner.isNamed = true;
      taken = null;
    } else {
      taken = found;
      yield { place: placeNow(), start, end: at, value: valueOf(found) };
    }
  }
}

function valueOf(found: string): Scalar["value"] {
  try {
    return parseJson(found) as Scalar["value"];
  } catch {
    return found.replace(/^"|"$/g, "");
  }
}

/** False for a text that is no JSON, or nested too deep to be taken in. */
export function isJson(text: string): boolean {
  if (isTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
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

const shownLengthMax = 200;

/** RFC 6901: `/customer/email`, to be shown: of a long name only its beginning. */
export function pointerOf(place: Place | null): string {
  if (place === null) return "";
  const part = typeof place.part === "string" ? place.part.slice(0, shownLengthMax) : place.part;
  return `${pointerOf(place.above)}${stepTo({ ...place, part })}`;
}

/** Numbers places, those with the same path alike, in whatever text they are. No path is written out: a long name may stand above many values. */
export function createPlaceNumbers(): (place: Place | null) => number {
  const below = new Map<number, Map<string, number>>();
  const known = new WeakMap<Place, number>();
  let count = 0;
  const numberOf = (place: Place | null): number => {
    if (place === null) return 0;
    const found = known.get(place);
    if (found !== undefined) return found;
    const above = numberOf(place.above);
    const siblings = below.get(above) ?? new Map<string, number>();
    const name = String(place.part);
    const number = siblings.get(name) ?? (count += 1);
    below.set(above, siblings.set(name, number));
    known.set(place, number);
    return number;
  };
  return numberOf;
}

/** Whether this is the place's pointer, which most differ from in their last step. */
export function isAt(place: Place | null, pointer: string): boolean {
  if (place === null) return pointer === "";
  // A long name may stand above many values.
  if (String(place.part).length > pointer.length) return false;
  const step = stepTo(place);
  return pointer.endsWith(step) && isAt(place.above, pointer.slice(0, -step.length));
}

function stepTo({ part }: Place): string {
  return `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
