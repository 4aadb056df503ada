import { createHmac } from "node:crypto";
import { defaultMaskedFields } from "@crossdock/contract";
import type { PathStep } from "@crossdock/queue";
import type pg from "pg";
import { mask } from "./headers.ts";
import { pointerOf, replaceParts } from "./json-scalars.ts";
import { fieldsOf, type TextField } from "./text-fields.ts";

type Path = readonly (string | number)[];

/** What a masked value looks like: equal values have equal masks within a tenant, and nobody without the key can guess from one to the other. */
const maskPattern = /^••• [0-9a-f]{8}$/;
/** Names under which systems keep what nobody should read. No tenant's rules open them. */
const secretName =
  /^(password|passwd|passphrase|secret|token|authorization|cookie|setcookie|xapikey|pin|cvv|cvc)$|(api|access|private|shared|client|refresh)(key|secret|token)$/;
/** A country tells nobody apart, and operators need it. */
const plainNames = new Set(["country", "countrycode", "countryname", "isdefault"]);
const emailPattern = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{1,63}/gi;
/** Shorter values occur by chance in any text. */
const scrubbedLengthMin = 4;

/** One tenant's masking at one moment. */
export type Masking = {
  fields: readonly string[];
  /** The text with its personal and secret values masked. In what is no JSON, these values and addresses of mail are, too. */
  maskText: (text: string, values?: readonly string[]) => string;
  /** The values that are masked in a text, the longest first. */
  valuesIn: (text: string) => string[];
  /** What stands at a JSON pointer, or in another kind of text under its names; the whole text for the empty one. Null: nothing. */
  valueAt: (text: string, pointer: string) => string | null;
  /** Free text in which these values, and addresses of mail, are masked; all alike, so that errors of one cause stay alike. */
  scrub: (text: string, values: readonly string[]) => string;
  /** Puts the values of `original` back where `edited` has their masks; `refused` are the places where a mask must not stand. */
  restore: (edited: string, original: string) => { text: string; refused: string[] };
  /** Whether a payload filter of this path could tell anything of a masked value. */
  conceals: (path: readonly PathStep[]) => boolean;
};

export function createMasking(fields: readonly string[] | null, key: Buffer, tenantId: number): Masking {
  const rules = (fields ?? defaultMaskedFields).map(toRule);
  const names = new Set(rules.flatMap((rule) => (rule.kind === "name" ? [rule.name] : [])));
  const paths = rules.flatMap((rule) => (rule.kind === "path" ? [rule.steps] : []));

  const isMaskedPath = (path: Path): boolean => {
    if (paths.some((steps) => isUnder(path, steps))) return true;
    const words = path.filter((part) => typeof part === "string").map(normalised);
    if (words.some((word) => secretName.test(word))) return true;
    return words.some((word) => names.has(word)) && !plainNames.has(words.at(-1) ?? "");
  };
  const isMasked = ({ path, value }: TextField): boolean =>
    (typeof value === "number" || (typeof value === "string" && value !== "")) && isMaskedPath(path);
  const maskOf = (value: unknown): string =>
    `••• ${createHmac("sha256", key)
      .update(`${tenantId} ${String(value)}`)
      .digest("hex")
      .slice(0, 8)}`;
  const maskedFields = (text: string): { isJson: boolean; fields: TextField[] } => {
    const { isJson, fields: all } = fieldsOf(text);
    return { isJson, fields: all.filter(isMasked) };
  };
  const maskFields = (text: string): { masked: string; isJson: boolean } => {
    const { isJson, fields: found } = maskedFields(text);
    const masks = found.map(({ start, end, value }) => ({ start, end, text: isJson ? JSON.stringify(maskOf(value)) : maskOf(value) }));
    return { masked: replaceParts(text, masks), isJson };
  };

  const scrub = (text: string, values: readonly string[]): string => {
    let scrubbed = text;
    for (const value of values) {
      if (value.length < scrubbedLengthMin) continue;
      for (const form of new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)])) {
        if (scrubbed.includes(form)) scrubbed = scrubbed.replaceAll(form, mask);
      }
    }
    return names.has("email") ? scrubbed.replace(emailPattern, mask) : scrubbed;
  };

  return {
    fields: fields ?? defaultMaskedFields,
    scrub,
    maskText(text, values = []) {
      const { masked, isJson } = maskFields(text);
      return isJson ? masked : scrub(masked, values);
    },
    valuesIn: (text) =>
      [...new Set(maskedFields(text).fields.map(({ value }) => String(value)))].toSorted((one, other) => other.length - one.length),
    valueAt(text, pointer) {
      if (pointer === "") return text;
      const field = fieldsOf(text).fields.find(({ path }) => pointerOf(path) === pointer);
      return field ? String(field.value) : null;
    },
    restore(edited, original) {
      const known = new Map(maskedFields(original).fields.map(({ start, end, value }) => [maskOf(value), original.slice(start, end)]));
      const { fields: all } = fieldsOf(edited);
      const refused: string[] = [];
      const parts: { start: number; end: number; text: string }[] = [];
      for (const { path, start, end, value } of all) {
        if (typeof value !== "string" || !maskPattern.test(value)) continue;
        const text = known.get(value);
        // Elsewhere the value would be open to whoever moved it there.
        if (text === undefined || !isMaskedPath(path)) refused.push(pointerOf(path));
        else parts.push({ start, end, text });
      }
      return { text: replaceParts(edited, parts), refused };
    },
    conceals: (steps) => {
      const words = steps.flatMap((step) => (step.kind === "member" ? [normalised(step.name)] : []));
      const isOfName = words.some((word) => names.has(word) || secretName.test(word)) && !plainNames.has(words.at(-1) ?? "");
      return isOfName || paths.some((path) => couldMeet(steps, path));
    },
  };
}

type Step = { kind: "member"; name: string } | { kind: "every" };
type Rule = { kind: "name"; name: string } | { kind: "path"; steps: readonly Step[] };

/** `firstName`, `first_name` and `First-Name` are one name. */
const normalised = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

const stepPattern = /\.([^.[\]]+)|\[\*\]/g;

/** The contract's schema has checked it. */
function toRule(field: string): Rule {
  if (!field.startsWith("$")) return { kind: "name", name: normalised(field) };
  const steps = [...field.matchAll(stepPattern)].map(([, name]): Step =>
    name === undefined ? { kind: "every" } : { kind: "member", name },
  );
  return { kind: "path", steps };
}

function isUnder(path: Path, steps: readonly Step[]): boolean {
  if (path.length < steps.length) return false;
  return steps.every((step, index) => (step.kind === "every" ? typeof path[index] === "number" : path[index] === step.name));
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
