import type { Reason } from "./connector.ts";

/** Levels of nesting that a text of others may have. */
export const jsonDepthMax = 64;
const tooDeep = `nested deeper than ${jsonDepthMax} levels`;

type DecodedJson = { kind: "json"; value: unknown } | { kind: "rejected"; reasons: Reason[] };

/**
 * Bytes of a foreign message as JSON. Refuses what JSON.parse would let through and later code would fall over: bytes that are no
 * UTF-8, nesting beyond 64. Numbers that a double can't hold come out as text with all their digits.
 */
export function decodeJson(body: Uint8Array): DecodedJson {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return reject("not encoded in UTF-8");
  }
  if (isTooDeep(text)) return reject(tooDeep);
  try {
    return { kind: "json", value: parseExactly(text) };
  } catch (error) {
    return reject(error instanceof SyntaxError ? `not JSON: ${withoutContents(error.message)}` : "not JSON");
  }
}

/** Sixteen digits in a row are the least that a double may fail to hold; an exponent may hide more. Anything else takes the fast way. */
const longNumber = /[0-9.]{16}|[0-9][eE][+-]?[0-9]/;

function parseExactly(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    const exact = toDecimal(context.source);
    // More digits, or a larger exponent, than a decimal may have.
    if (exact === null) return String(value) === context.source ? value : context.source;
    return shortest(exact) === shortest(toDecimal(value) ?? "") ? value : exact;
  });
}

function shortest(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
}

/** A text of others, its numbers as `decodeJson` gives them. Throws SyntaxError, also for one that is nested beyond 64. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(tooDeep);
  return parseExactly(text);
}

/**
 * Counts brackets outside strings, so that no parser or schema has to recurse into a bomb. JSON.parse itself must not see one: of a text that
 * breaks off some 7,000 levels deep it leaves a damaged heap behind, which ends the process (Node 26.10). About 1 ms per megabyte.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let position = 0; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (isInString) {
      if (code === 0x5c) position += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > jsonDepthMax) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

/** V8 quotes the text around the fault; that is the customer's data and stays out of reasons. */
function withoutContents(message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? "unexpected end or character" : `unexpected character at position ${position}`;
}

function reject(message: string): DecodedJson {
  return { kind: "rejected", reasons: [{ path: "", message }] };
}

/**
 * An exact decimal number as canonical text, or null when it is none. Takes text ("199.00", ".0000", "+5", "1e-7") and JSON numbers
 * by their shortest decimal form; digits are moved, never computed. Beyond 40 digits it is refused.
 */
export function toDecimal(value: unknown): string | null {
  if (typeof value === "number" ? !Number.isFinite(value) : typeof value !== "string") return null;
  // Blanks on both sides of what may be empty would be walked once from each of them.
  const match = /^([+-]?)([0-9]{0,40})(?:\.([0-9]{0,40}))?(?:[eE]([+-]?[0-9]{1,2}))?$/.exec(String(value).trim());
  if (!match) return null;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return null;
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  const before =
    digits
      .slice(0, Math.max(point, 0))
      .padEnd(point, "0")
      .replace(/^0+(?=\d)/, "") || "0";
  const after = point < 0 ? "0".repeat(-point) + digits : digits.slice(point);
  const isNegative = sign === "-" && /[1-9]/.test(digits);
  return `${isNegative ? "-" : ""}${before}${after === "" ? "" : `.${after}`}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
