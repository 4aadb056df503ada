import fc from "fast-check";
import { expect, test } from "vitest";
import { QueueError } from "./errors.ts";
import { comparisons, parsePayloadFilter, parsePayloadPath, textWithin, toJsonPath, type PayloadFilter } from "./payload-filter.ts";
import { searchTextOf } from "./search-text.ts";

/** Of characters that mean something to the language, so that many come close to a filter. */
const nearly = fc.string({
  unit: fc.constantFrom(...'$.[]*"\\=!<> \t0149-aé_\u0000\ud800'.split(""), "contains", "true", "null", "\\u0041"),
});

const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
const value = fc.oneof(
  text,
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((number) => number + 0)
    .filter((number) => !/^-?\d{16}/.test(String(number))),
  fc.bigInt({ min: 10n ** 15n, max: 10n ** 100n }),
  fc.boolean(),
  fc.constant(null),
);
const step = fc.oneof(
  fc.record({ kind: fc.constant("member" as const), name: text }),
  fc.record({ kind: fc.constant("element" as const), index: fc.nat(999_999_999) }),
  fc.record({ kind: fc.constant("every" as const) }),
);
const filter: fc.Arbitrary<PayloadFilter> = fc
  .record({ path: fc.array(step, { maxLength: 6 }), comparison: fc.constantFrom(...comparisons), value })
  .filter(({ comparison, value }) => {
    if (comparison === "contains") return typeof value === "string" && value !== "";
    return comparison === "=" || comparison === "!=" || ["string", "number", "bigint"].includes(typeof value);
  });

/** The filter as somebody would type it. */
function written({ path, comparison, value }: PayloadFilter): string {
  const steps = path.map((step) => {
    if (step.kind === "every") return "[*]";
    if (step.kind === "element") return `[${step.index}]`;
    return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(step.name) ? `.${step.name}` : `[${JSON.stringify(step.name)}]`;
  });
  return `$${steps.join("")} ${comparison} ${typeof value === "bigint" ? value : JSON.stringify(value)}`;
}

/** What reading the text gives, written and read once more; or the error. */
function readTwice(typed: string): { first: PayloadFilter; second: PayloadFilter } | { error: unknown } {
  try {
    const first = parsePayloadFilter(typed);
    return { first, second: parsePayloadFilter(written(first)) };
  } catch (error) {
    return { error };
  }
}

const refusal = expect.any(QueueError);

test("whatever is typed is read or refused in words, and what is read can be written and read again", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nearly,
        nearly.map((tail) => `$${tail}`),
        fc.string({ unit: "binary" }),
      ),
      (typed) => {
        const read = readTwice(typed);
        const [given, wanted] = "error" in read ? [read.error, refusal] : [read.first, read.second];
        expect(given).toEqual(wanted);
      },
    ),
    { numRuns: 2000 },
  );
});

test("every filter survives being written", () => {
  fc.assert(
    fc.property(filter, (given) => {
      expect(parsePayloadFilter(written(given))).toEqual(given);
    }),
    { numRuns: 500 },
  );
});

test("the examples of the guide are read as they are meant", () => {
  expect(parsePayloadFilter('$.lines[*].sku = "85123A"')).toEqual({
    path: [{ kind: "member", name: "lines" }, { kind: "every" }, { kind: "member", name: "sku" }],
    comparison: "=",
    value: "85123A",
  });
  expect(parsePayloadFilter(' $["ship to"][0].zip>99 ')).toEqual({
    path: [
      { kind: "member", name: "ship to" },
      { kind: "element", index: 0 },
      { kind: "member", name: "zip" },
    ],
    comparison: ">",
    value: 99,
  });
  expect(parsePayloadFilter('$.brand contains "nord"')).toMatchObject({ comparison: "contains", value: "nord" });
});

test.each([
  ["lines.sku = 1", "begins with $"],
  ["$.lines[-1] = 1", "At character 8"],
  ["$.sku", "At character 6"],
  ["$.sku = 85123A", "in quotes"],
  ["$.sku = {}", "in quotes"],
  ["$.sku = 1e999", "in quotes"],
  ["$.sku contains 5", "contains wants a text"],
  ['$.sku contains ""', "contains wants a text"],
  ["$.sku > true", "wants a number"],
  ["$.sku < null", "wants a number"],
  ['$.sku = "a\\u0000"', "NUL"],
  ['$.sku = "\\ud800"', "halves of characters"],
  ['$["a\\u0000"] = 1', "NUL"],
  [`$${".a".repeat(33)} = 1`, "at most 32 steps"],
])("%s is refused with a reason", (typed, reason) => {
  expect(() => parsePayloadFilter(typed)).toThrow(reason);
});

test("a path stands alone", () => {
  expect(parsePayloadPath(" $.lines[0] ")).toEqual([
    { kind: "member", name: "lines" },
    { kind: "element", index: 0 },
  ]);
  expect(() => parsePayloadPath("lines")).toThrow("A path begins with $");
  expect(() => parsePayloadPath("$.sku = 1")).toThrow("At character 6");
});

test("a number is read so that all its digits count, and zero has no sign", () => {
  expect(parsePayloadFilter("$.id = 999999999999999").value).toBe(999_999_999_999_999);
  expect(parsePayloadFilter("$.id = -1000000000000000").value).toBe(-1_000_000_000_000_000n);
  expect(parsePayloadFilter(`$.id = 1${"0".repeat(200)}`).value).toBe(1e200);
  expect(parsePayloadFilter("$.id = -0").value).toBe(0);
});

test.each([
  ['$.brand = "Lens"', "lens"],
  ['$.brand contains "Lens"', "lens"],
  ['$.brand != "Lens"', null],
  ['$.brand = "ab"', null],
  [`$.brand = "${"a".repeat(200)}"`, "a".repeat(200)],
  [`$.brand = "${"a".repeat(201)}"`, null],
])("%s is narrowed by %s", (typed, text) => {
  expect(textWithin(parsePayloadFilter(typed))).toBe(text);
});

test("the text that narrows a search stands in the search text of whatever has the value, also as a decimal number in a text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })), fc.json(), (value, beside) => {
      const within = textWithin({ path: [], comparison: "=", value });
      fc.pre(within !== null);
      expect(searchTextOf("key", `{"a": ${beside}, "b": [${JSON.stringify(value)}]}`)).toContain(within);
    }),
  );
  expect(textWithin(parsePayloadFilter("$.quantity = 100"))).toBe("100");
  expect(textWithin(parsePayloadFilter("$.quantity = 1e21"))).toBeNull();
});

test("names and values reach the database as data", () => {
  expect(toJsonPath(parsePayloadFilter(String.raw`$["a\"b"] = "x\") || (1 == 1"`))).toBe(
    String.raw`lax $."a\"b" ? (@.type() != "array" && (@ == "x\") || (1 == 1"))`,
  );
});
