import { QueueError } from "./errors.ts";

/** One step deeper into a document: a member by its name, an element by its index, or every element. */
export type PathStep = { kind: "member"; name: string } | { kind: "element"; index: number } | { kind: "every" };
export const comparisons = ["=", "!=", ">", "<", "contains"] as const;
export type Comparison = (typeof comparisons)[number];
/** A whole number is a bigint where a double may not hold its digits, up to 200 of them: PostgreSQL's patterns count to 255. */
export type PayloadValue = string | number | bigint | boolean | null;

/**
 * `$.lines[*].sku = "85123A"` holds for a document if it holds for one of the values that the path reaches. `skipsDocuments`: not for a text that may be
 * a document itself, in which something is masked that the path doesn't name.
 */
export type PayloadFilter = { path: readonly PathStep[]; comparison: Comparison; value: PayloadValue; skipsDocuments?: boolean };

const name = String.raw`[\p{L}_][\p{L}\p{N}_-]*`;
const string = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const stepPattern = new RegExp(String.raw`\.(?<name>${name})|\[\s*(?:(?<every>\*)|(?<index>\d{1,9})|(?<quoted>${string}))\s*\]`, "uy");
const conditionPattern = /\s*(?<comparison>!=|[=<>]|\bcontains\b)\s*(?<value>\S[^]*?)\s*$/uy;
const stepsMax = 32;

/**
 * Reads `$`, steps (`.name`, `["any name"]`, `[0]`, `[*]`), a comparison and a JSON value.
 * Throws nothing but QueueError `payload-filter-invalid`, which says where the fault is.
 */
export function parsePayloadFilter(text: string): PayloadFilter {
  const start = /^\s*\$/u.exec(text)?.[0];
  if (start === undefined) throw invalid("A payload filter begins with $, as in $.lines[*].sku");
  const { path, end } = parsePath(text, start.length);
  conditionPattern.lastIndex = end;
  const condition = conditionPattern.exec(text)?.groups;
  if (!condition) throw invalid(`At character ${end + 1}: expected .name, [0], [*] or one of ${comparisons.join(" ")} and a value`);
  const comparison = comparisons.find((known) => known === condition.comparison);
  if (!comparison) throw invalid(`One of ${comparisons.join(" ")} is needed`);
  return checked({ path, comparison, value: parseValue(condition.value ?? "") });
}

/** Reads `$` and steps alone. Throws nothing but QueueError `payload-filter-invalid`, which says where the fault is. */
export function parsePayloadPath(text: string): PathStep[] {
  const start = /^\s*\$/u.exec(text)?.[0];
  if (start === undefined) throw invalid("A path begins with $, as in $.lines[*].sku");
  const { path, end } = parsePath(text, start.length);
  if (text.slice(end).trim() !== "") throw invalid(`At character ${end + 1}: expected .name, [0] or [*]`);
  return path;
}

function parsePath(text: string, from: number): { path: PathStep[]; end: number } {
  const path: PathStep[] = [];
  let end = from;
  for (;;) {
    stepPattern.lastIndex = end;
    const found = stepPattern.exec(text);
    if (!found) return { path, end };
    if (path.length === stepsMax) throw invalid(`A path has at most ${stepsMax} steps`);
    path.push(stepOf(found.groups ?? {}));
    end = stepPattern.lastIndex;
  }
}

function stepOf({ name, every, index, quoted }: Record<string, string | undefined>): PathStep {
  if (every !== undefined) return { kind: "every" };
  if (index !== undefined) return { kind: "element", index: Number(index) };
  return { kind: "member", name: name ?? String(JSON.parse(quoted ?? '""')) };
}

function parseValue(text: string): PayloadValue {
  if (/^-?[1-9]\d{15,199}$/.test(text)) return BigInt(text);
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    // Adding 0 leaves no negative zero, which would not survive being written.
    if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  } catch {
    // Answered below.
  }
  throw invalid('The value is a text in quotes, a number, true, false or null, as in "85123A"');
}

function checked(filter: PayloadFilter): PayloadFilter {
  const { path, comparison, value } = filter;
  const texts = [...path.flatMap((step) => (step.kind === "member" ? [step.name] : [])), ...(typeof value === "string" ? [value] : [])];
  // PostgreSQL's jsonb knows neither.
  if (texts.some((part) => part.includes("\0") || !part.isWellFormed())) throw invalid("NUL and halves of characters are not looked for");
  if (comparison === "contains" && (typeof value !== "string" || value === "")) throw invalid("contains wants a text in quotes");
  if ((comparison === ">" || comparison === "<") && (typeof value === "boolean" || value === null)) {
    throw invalid(`${comparison} wants a number or a text in quotes`);
  }
  return filter;
}

function invalid(message: string): QueueError {
  return new QueueError("payload-filter-invalid", message);
}

/**
 * The filter as a path of SQL/JSON for `jsonb_path_exists`. Its lax mode takes a single value for a list of one, and a list for its
 * elements where a member is asked for or a value compared; a list that is itself an element has to be asked for with a step of its own,
 * which the type sees to, as comparisons would look into it. A value of another type is different, and neither greater nor less; but a number is compared
 * with a decimal number in a text, too, as that is what documents hold amounts and quantities in.
 */
export function toJsonPath({ path, comparison, value, skipsDocuments }: PayloadFilter): string {
  const steps = path.map((step) => {
    if (step.kind === "every") return "[*]";
    return step.kind === "element" ? `[${step.index}]` : `.${JSON.stringify(step.name)}`;
  });
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const literal = isNumber ? String(value) : JSON.stringify(value);
  const asNumber = (operator: Operator) =>
    typeof value === "bigint" ? digitsCompared(operator, value) : `@.double() ${operator} ${literal}`;
  const compared = (operator: Operator) => `@ ${operator} ${literal}${isNumber ? ` || (${isDecimalText} && ${asNumber(operator)})` : ""}`;
  const condition = {
    "=": compared("=="),
    "!=": `@ != ${literal} || (${compared("==")}) is unknown`,
    ">": compared(">"),
    "<": compared("<"),
    contains: `@ like_regex ${literal} flag "iq"`,
  }[comparison];
  // What may stand before a document counts wider than any reader takes it: blanks differ between languages.
  const shown = skipsDocuments ? String.raw` && (@.type() != "string" || !(@ like_regex "^\\W*[{\\[<]"))` : "";
  return `lax $${steps.join("")} ? (@.type() != "array"${shown} && (${condition}))`;
}

type Operator = "==" | ">" | "<";

/** A decimal text and a whole number by their digits, since PostgreSQL keeps 15 of a double: by how many stand before the point, then as texts. */
function digitsCompared(operator: Operator, value: bigint): string {
  const sign = value < 0n ? "-" : "";
  const length = String(value).length - sign.length;
  const equals = `@ like_regex "^${value}([.]0+)?$"`;
  if (operator === "==") return equals;
  const hasDigits = (count: string) => `@ like_regex "^${sign}[0-9]{${count}}([.]|$)"`;
  if ((operator === ">") === value > 0n)
    return `!(${equals}) && (${hasDigits(`${length + 1},`)} || (${hasDigits(`${length}`)} && @ > "${value}"))`;
  const hasOtherSign = value > 0n ? `@ starts with "-"` : `!(@ starts with "-")`;
  return `(${hasOtherSign} || ${hasDigits(`1,${length - 1}`)} || (${hasDigits(`${length}`)} && @ < "${value}"))`;
}

/** As canonical documents write decimal numbers: a zip code or a GTIN that begins with 0 is none. */
const isDecimalText = String.raw`@.type() == "string" && @ like_regex "^-?(0|[1-9][0-9]*)([.][0-9]+)?$"`;

/** A text that the search text of every matching document holds; null when none can be told, as of a bigint: search texts hold doubles. */
export function textWithin({ comparison, value }: PayloadFilter): string | null {
  if ((comparison !== "=" && comparison !== "contains") || (typeof value !== "string" && typeof value !== "number")) return null;
  const text = String(value).toLowerCase();
  // Texts write out what a number has as an exponent. Otherwise they differ from it by zeros behind it.
  if (typeof value === "number" && text.includes("e")) return null;
  // How a letter beyond ASCII is lower-cased may depend on its neighbours.
  return /^[\x20-\x7e]{3,200}$/.test(text) ? text : null;
}
