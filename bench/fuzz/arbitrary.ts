import fc from "fast-check";

/** As much of JSON Schema as the API's description uses. */
export type Schema = {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
};

export type Resolve = (schema: Schema) => Schema;

/** Texts that have broken one program or another. */
export const nasty = [
  "",
  " ",
  "'",
  '"',
  "\\",
  "%",
  "%00",
  "\u0000",
  "\ud800",
  "\u202e",
  "👩‍👩‍👧",
  "{{7*7}}",
  "${7*7}",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "' or 1=1 --",
  "<script>alert(1)</script>",
  "=1+1",
  "\r\nset-cookie: a=b",
  "null",
  "-1",
  "1e309",
  "a".repeat(5_000),
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(...nasty) },
);
/** Nobody is there, and nobody needs to be looked up. */
const addresses = fc.constantFrom("http://127.0.0.1:1/", "https://[::1]:1/a", "http://169.254.169.254/latest");

const formats: Record<string, fc.Arbitrary<string>> = {
  uuid: fc.uuid(),
  email: fc.integer({ min: 1, max: 1e6 }).map((number) => `fuzz-${number}@example.com`),
  uri: addresses,
  "date-time": fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") }).map((date) => date.toISOString()),
};

/** Values that mostly fit the schema. */
export function valueOf(schema: Schema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> {
  const found = resolve(schema);
  const options = found.anyOf ?? found.oneOf;
  if (found.const !== undefined) return fc.constant(found.const);
  if (found.enum) return fc.constantFrom(...found.enum);
  if (depth > 6) return fc.constant(null);
  if (options && options.length > 0) return fc.oneof(...options.map((option) => valueOf(option, resolve, depth + 1)));
  if (found.allOf)
    return fc.tuple(...found.allOf.map((part) => valueOf(part, resolve, depth + 1))).map((parts) => Object.assign({}, ...parts) as unknown);
  switch (found.type) {
    case "string":
      return stringOf(found);
    case "integer":
      return fc.integer(boundsOf(found));
    case "number":
      return fc.double({ ...boundsOf(found), noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return listOf(found, resolve, depth);
    case "object":
      return objectOf(found, resolve, depth);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function stringOf({ format, pattern, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  const known = format === undefined ? undefined : formats[format];
  if (known) return known;
  const lengths = { minLength: Math.min(minLength, 200), maxLength: Math.max(Math.min(maxLength, 60), minLength) };
  const plain = fc.oneof(fc.string({ ...lengths, unit: "grapheme-ascii" }), text);
  if (pattern === undefined) return plain;
  try {
    return fc.oneof({ weight: 5, arbitrary: fc.stringMatching(new RegExp(pattern)) }, { weight: 1, arbitrary: plain });
  } catch {
    // A pattern beyond what the generator can follow.
    return plain;
  }
}

function boundsOf({ minimum = -1_000, maximum = 1_000_000 }: Schema): { min: number; max: number } {
  return { min: minimum, max: Math.max(minimum, Math.min(maximum, 2_147_483_647)) };
}

function listOf({ items, minItems = 0, maxItems = 5 }: Schema, resolve: Resolve, depth: number): fc.Arbitrary<unknown> {
  const item = typeof items === "object" ? valueOf(items, resolve, depth + 1) : fc.jsonValue({ maxDepth: 1 });
  return fc.array(item, { minLength: Math.min(minItems, 5), maxLength: Math.max(Math.min(maxItems, 5), minItems) });
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: Schema,
  resolve: Resolve,
  depth: number,
): fc.Arbitrary<unknown> {
  const parts = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, valueOf(part, resolve, depth + 1)]));
  const known = fc.record(parts, { requiredKeys: required.filter((name) => name in parts) });
  if (typeof additionalProperties !== "object") return known;
  return fc
    .tuple(known, fc.dictionary(text, valueOf(additionalProperties, resolve, depth + 1), { maxKeys: 3 }))
    .map(([one, more]) => ({ ...one, ...more }));
}

/** A body that cannot fit: something required is missing, something is of another kind, or it is no object at all. Null where nothing is surely wrong. */
export function brokenOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> | null {
  const ways = [misshapenOf(schema, resolve), almostOf(schema, resolve)].filter((way) => way !== null);
  return ways.length === 0 ? null : fc.oneof(...ways);
}

function misshapenOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> | null {
  const { type, properties = {}, required = [] } = resolve(schema);
  if (type !== "object") return null;
  const wanted = required.filter((name) => {
    const part = properties[name] && resolve(properties[name]);
    return part !== undefined && ["string", "integer", "boolean", "array"].includes(part.type ?? "");
  });
  const notAnObject = fc.constantFrom<unknown>([], "text", 7, true);
  if (wanted.length === 0) return notAnObject;
  const broken = fc
    .tuple(valueOf(schema, resolve), fc.constantFrom(...wanted), fc.constantFrom<unknown>(undefined, { no: "such thing" }))
    .map(([body, name, wrong]) => ({ ...(body as object), [name]: wrong }));
  return fc.oneof({ weight: 4, arbitrary: broken }, { weight: 1, arbitrary: notAnObject });
}

/** All fits but one number, somewhere, in whose place stands what JavaScript would make a number of. Null where there is no number. */
function almostOf(schema: Schema, resolve: Resolve, depth = 0): fc.Arbitrary<unknown> | null {
  const found = resolve(schema);
  const { type, items, properties = {} } = found;
  if (depth > 6) return null;
  const options = (found.anyOf ?? found.oneOf ?? []).map(resolve).filter((option) => option.type !== "null");
  const [option] = options;
  // What does not fit one of several kinds may fit another.
  if (option) return options.every((other) => other.type === option.type) ? eitherOf(options, resolve, depth) : null;
  if (type === "integer" || type === "number") return fc.constantFrom<unknown>(true, [1], "1");
  if (type === "array" && typeof items === "object") {
    const wrong = almostOf(items, resolve, depth + 1);
    return wrong && fc.tuple(listOf(found, resolve, depth), wrong).map(([list, one]) => [...(list as unknown[]).slice(1), one]);
  }
  const ways = Object.entries(properties).flatMap(([name, part]) => {
    const wrong = almostOf(part, resolve, depth + 1);
    return wrong ? [wrong.map((value) => [name, value] as const)] : [];
  });
  if (type !== "object" || ways.length === 0) return null;
  return fc
    .tuple(objectOf(found, resolve, depth), fc.oneof(...ways))
    .map(([body, [name, wrong]]) => ({ ...(body as object), [name]: wrong }));
}

function eitherOf(options: Schema[], resolve: Resolve, depth: number): fc.Arbitrary<unknown> | null {
  const ways = options.map((option) => almostOf(option, resolve, depth + 1)).filter((way) => way !== null);
  return ways.length === 0 ? null : fc.oneof(...ways);
}
