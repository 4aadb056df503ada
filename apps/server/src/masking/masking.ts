import { createHmac } from "node:crypto";
import { defaultMaskedFields } from "@crossdock/contract";
import type { PathStep } from "@crossdock/queue";
import type pg from "pg";
import { mask } from "./headers.ts";
import { type Place, createPlaceNumbers, isAt, pathDepthMax, placeIn, pointerOf, replaceParts } from "./json-scalars.ts";
import { isTooMuch, withoutAddresses, withoutValues } from "./scrubbing.ts";
import { fieldsOf, type TextField } from "./text-fields.ts";

/** What a masked value looks like: equal values have equal masks within a tenant, and nobody without the key can guess from one to the other. */
const maskPattern = /^••• [0-9a-f]{8}$/;
/** Names under which systems keep what nobody should read. No tenant's rules open them. */
const secretName =
  /^(password|passwd|passphrase|secret|token|authorization|cookie|setcookie|xapikey|pin|cvv|cvc)$|(api|access|private|shared|client|refresh)(key|secret|token)$/;
/** A country tells nobody apart, and operators need it. */
const plainNames = new Set(["country", "countrycode", "countryname", "isdefault"]);

/** Values that are masked one by one. A text with more of them, which nobody reads, is masked as a whole. */
const maskedMax = 100_000;

/** Places that are told of a document that is refused. */
const refusedMax = 50;

/** A document in a document in a document: what is wrapped more often is masked unseen. */
const wrapsMax = 3;

/** What stands for a body that is no text: it can't be searched for personal values, so all of it is masked. */
export const maskedBytes: Buffer = Buffer.from("••• ");

/** One tenant's masking at one moment. */
export type Masking = {
  fields: readonly string[];
  /**
   * The text with its personal and secret values masked. With `values`, which may stand in it under any name, these and addresses of mail are
   * masked, too, wherever they stand in it; without, in what is no JSON the addresses are.
   */
  maskText: (text: string, values?: readonly string[]) => string;
  /** The values that are masked in a text, the longest first. */
  valuesIn: (text: string) => string[];
  /** What stands at a JSON pointer, or in another kind of text under its names; the whole text for the empty one. Null: nothing. */
  valueAt: (text: string, pointer: string) => string | null;
  /** Free text in which these values, and addresses of mail, are masked; all alike, so that errors of one cause stay alike. */
  scrub: (text: string, values: readonly string[]) => string;
  /** Puts the values of `original` back where `edited` has their masks; `refused` are the first places where a mask must not stand. */
  restore: (edited: string, original: string) => { text: string; refused: string[] };
  /** What a masked value is shown as. */
  maskOf: (value: unknown) => string;
  /** Whether what stands at this place of a document is masked; as mappings tell it, "lines.0.taxCode". */
  masks: (path: string) => boolean;
  /** Whether a payload filter of this path could tell anything of a masked value. */
  conceals: (path: readonly PathStep[]) => boolean;
};

export function createMasking(fields: readonly string[] | null, key: Buffer, tenantId: number): Masking {
  const rules = (fields ?? defaultMaskedFields).map(toRule);
  const names = new Set(rules.flatMap((rule) => (rule.kind === "name" ? [rule.name] : [])));
  const paths = rules.flatMap((rule) => (rule.kind === "path" ? [rule.steps] : []));

  const standingIn = (above: Standing, { part, depth }: Place): Standing => {
    // No document that was taken in is as deep.
    if (above.isSecret || depth > pathDepthMax) return { ...above, isSecret: true };
    const open = above.open.length === 0 ? above.open : above.open.filter((steps) => isStep(steps[depth - 1], part));
    const isEnd = open.some((steps) => steps.length === depth);
    if (typeof part === "number") return isEnd || open !== above.open ? { ...above, open, isSecret: isEnd } : above;
    const { word, isSecret } = wordOf(part);
    return { open, isSecret: isEnd || isSecret, isNamed: above.isNamed || names.has(word), isPlain: plainNames.has(word) };
  };
  // Values come in the order of their text, so that what is above one is mostly above the next as well.
  const above: { place: Place; standing: Standing }[] = [];
  const standingOf = (place: Place | null): Standing => {
    if (place === null) return { open: paths, isSecret: false, isNamed: false, isPlain: false };
    const known = above[place.depth];
    if (known?.place === place) return known.standing;
    const standing = standingIn(standingOf(place.above), place);
    above[place.depth] = { place, standing };
    return standing;
  };
  const isMaskedPlace = (place: Place | null): boolean => {
    if (place === null) return false;
    const { isSecret, isNamed, isPlain } = standingIn(standingOf(place.above), place);
    return isSecret || (isNamed && !isPlain);
  };
  const isMasked = ({ place, value }: TextField, depth: number): boolean =>
    isFilled(value) && (isMaskedPlace(place) || wraps(value, depth + 1));
  /** Whether a value is a document itself, as where one system wraps another's, and has something to mask: then it is masked as a whole. */
  const wraps = (value: TextField["value"], depth: number): boolean => {
    if (typeof value !== "string" || !/^\s*(?:"\s*)?[{[<]/.test(value)) return false;
    return depth > wrapsMax || Iterator.from(fieldsOf(value).fields).some((field) => isMasked(field, depth));
  };
  const maskOf = (value: unknown): string =>
    `••• ${createHmac("sha256", key)
      .update(`${tenantId} ${String(value)}`)
      .digest("hex")
      .slice(0, 8)}`;
  const maskedFields = (text: string) => {
    const { fields: found, ...kind } = fieldsOf(text);
    return { ...kind, fields: Iterator.from(found).filter((field) => isMasked(field, 0)) };
  };
  const collectValues = (text: string, into: Set<string>, depth = 0): void => {
    for (const { value } of maskedFields(text).fields) {
      if (into.size > maskedMax) return;
      into.add(String(value));
      if (depth < wrapsMax && wraps(value, depth + 1)) collectValues(String(value), into, depth + 1);
    }
  };
  const maskFields = (text: string, values: readonly string[] | undefined): { masked: string; isJson: boolean } => {
    const { isJson, isQuoted, fields: found } = fieldsOf(text);
    const written = (shown: string): string => (isQuoted ? JSON.stringify(shown) : shown);
    if (isJson && values && isTooMuch(text, values)) return { masked: written(maskOf(text)), isJson };
    const shownOf = (field: TextField): TextField["value"] => {
      if (isMasked(field, 0)) return maskOf(field.value);
      return isJson && values && typeof field.value === "string" ? without(field.value, values) : field.value;
    };
    const masks: { start: number; end: number; text: string }[] = [];
    for (const field of found) {
      const shown = shownOf(field);
      if (shown === field.value) continue;
      if (masks.length === maskedMax) return { masked: written(maskOf(text)), isJson: true };
      masks.push({ start: field.start, end: field.end, text: written(String(shown)) });
    }
    return { masked: replaceParts(text, masks), isJson };
  };

  const without = (text: string, values: readonly string[]): string => {
    const scrubbed = withoutValues(text, values);
    return names.has("email") ? withoutAddresses(scrubbed) : scrubbed;
  };
  const scrub = (text: string, values: readonly string[]): string => (isTooMuch(text, values) ? mask : without(text, values));

  return {
    fields: fields ?? defaultMaskedFields,
    scrub,
    maskText(text, values) {
      const { masked, isJson } = maskFields(text, values);
      return isJson ? masked : scrub(masked, values ?? []);
    },
    valuesIn(text) {
      const values = new Set<string>();
      collectValues(text, values);
      return [...values].toSorted((one, other) => other.length - one.length);
    },
    valueAt(text, pointer) {
      if (pointer === "") return text;
      const field = Iterator.from(fieldsOf(text).fields).find(({ place }) => isAt(place, pointer));
      return field ? String(field.value) : null;
    },
    restore(edited, original) {
      const texts = new Map<string, string>();
      const numberOf = createPlaceNumbers();
      for (const { place, start, end, value } of maskedFields(original).fields) {
        const text = original.slice(start, end);
        texts.set(`${numberOf(place)} ${maskOf(value)}`, text).set(maskOf(value), text);
      }
      const refused: string[] = [];
      const parts: { start: number; end: number; text: string }[] = [];
      for (const { place, start, end, value } of fieldsOf(edited).fields) {
        if (typeof value !== "string" || !maskPattern.test(value)) continue;
        // At its place it is written as it was there: a number and a text of its digits look alike. Elsewhere than there or at another place that
        // is masked, it would be open to whoever moved it there.
        const text = texts.get(`${numberOf(place)} ${value}`) ?? (isMaskedPlace(place) ? texts.get(value) : undefined);
        if (text !== undefined) parts.push({ start, end, text });
        else refused.push(pointerOf(place));
        if (refused.length === refusedMax) break;
      }
      return { text: replaceParts(edited, parts), refused };
    },
    maskOf,
    masks: (path) => isMaskedPlace(path.split(".").reduce<Place | null>((above, part) => placeIn(above, partOf(part)), null)),
    conceals: (steps) => {
      const words = steps.flatMap((step) => (step.kind === "member" ? [normalised(step.name)] : []));
      const isOfName = words.some((word) => names.has(word) || secretName.test(word)) && !plainNames.has(words.at(-1) ?? "");
      return isOfName || paths.some((path) => couldMeet(steps, path));
    },
  };
}

const partOf = (part: string): string | number => (/^\d+$/.test(part) ? Number(part) : part);

const isFilled = (value: TextField["value"]): boolean => typeof value === "number" || (typeof value === "string" && value !== "");

/** What a place and all above it say. `open`: the paths that lead on from here. `isSecret`: masked with all below; `isPlain`: not for its own name. */
type Standing = { open: readonly (readonly Step[])[]; isSecret: boolean; isNamed: boolean; isPlain: boolean };

type Step = { kind: "member"; name: string } | { kind: "every" };
type Rule = { kind: "name"; name: string } | { kind: "path"; steps: readonly Step[] };

/** `firstName`, `first_name` and `First-Name` are one name. */
function normalised(name: string): string {
  return wordOf(name).word;
}

type Word = { word: string; isSecret: boolean };
/** The same few names stand above every value of a document. */
const words = new Map<string, Word>();
const wordsMax = 5_000;
/** No rule's name is as long. What stands behind is not read: a name may be as long as a body, and above as many values. */
const wordLengthMax = 400;

function wordOf(name: string): Word {
  const known = words.get(name);
  if (known) return known;
  const word = name
    .slice(0, wordLengthMax)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  const found = { word, isSecret: secretName.test(word) };
  if (words.size >= wordsMax) words.clear();
  if (name.length <= wordLengthMax) words.set(name, found);
  return found;
}

const stepPattern = /\.([^.[\]]+)|\[\*\]/g;

/** The contract's schema has checked it. */
function toRule(field: string): Rule {
  if (!field.startsWith("$")) return { kind: "name", name: normalised(field) };
  const steps = [...field.matchAll(stepPattern)].map(([, name]): Step =>
    name === undefined ? { kind: "every" } : { kind: "member", name },
  );
  return { kind: "path", steps };
}

function isStep(step: Step | undefined, part: string | number): boolean {
  return step?.kind === "every" ? typeof part === "number" : step !== undefined && part === step.name;
}

/** A filter's lax path takes a single value for a list of one, so steps over lists are left out on both sides. */
function couldMeet(asked: readonly PathStep[], masked: readonly Step[]): boolean {
  const named = asked.flatMap((step) => (step.kind === "member" ? [step.name] : []));
  const rule = masked.flatMap((step) => (step.kind === "member" ? [step.name] : []));
  return rule.every((name, index) => named[index] === undefined || named[index] === name) && named.length >= rule.length;
}

/** The tenant's masking as it is now, read in the transaction that `client` is in. */
export async function readMasking(client: pg.ClientBase, tenantId: number, key: Buffer): Promise<Masking> {
  const { rows } = await client.query<{ fields: string[] }>("select fields from hub.masking where tenant_id = $1", [tenantId]);
  return createMasking(rows[0]?.fields ?? null, key, tenantId);
}
