import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { addDecimals, multiplyDecimals, toWholeNumber } from "./decimal.ts";
import { decodeJson, parseJson, toDecimal } from "./json.ts";

function print(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(3, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function decode(text: string) {
  return decodeJson(Buffer.from(text));
}

test("a text of others is parsed up to 64 levels, and none of them counts within a string", () => {
  expect(parseJson(`${'{"a{":'.repeat(64)}1${"}".repeat(64)}`)).toHaveProperty("a{");
  for (const text of [`${'{"a":'.repeat(65)}1${"}".repeat(65)}`, "[".repeat(65)])
    expect(() => parseJson(text)).toThrow(/^nested deeper than 64 levels$/);
});

describe("toDecimal", () => {
  test.each([
    ["199.00", "199.00"],
    [".0000", "0.0000"],
    ["+5", "5"],
    ["007", "7"],
    ["-0", "0"],
    ["-0.00", "0.00"],
    ["5.", "5"],
    ["1e3", "1000"],
    ["1.25e2", "125"],
    ["12e-3", "0.012"],
    [1e-7, "0.0000001"],
    [1e21, "1000000000000000000000"],
    [0.1, "0.1"],
    [-12.5, "-12.5"],
    ["90071992547409931.10", "90071992547409931.10"],
  ])("%s is %s", (value, expected) => {
    expect(toDecimal(value)).toBe(expected);
  });

  test.each([
    ["", null],
    ["12,50", null],
    ["1 000", null],
    ["0x10", null],
    [Number.NaN, null],
    [Infinity, null],
    [null, null],
    [{}, null],
    ["1e999", null],
  ])("%s is no decimal", (value, expected) => {
    expect(toDecimal(value)).toBe(expected);
  });

  test("blanks around a number count for nothing, and no pattern walks those of a text that is none", () => {
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const decimals = [` \t\u00a0${"\n".repeat(5_000)}12.50 `, `${" ".repeat(5_000)}x`].map(toDecimal);
    const longest = Math.max(...exec.mock.calls.map(([text]) => text.length));
    exec.mockRestore();
    expect(decimals).toEqual(["12.50", null]);
    expect(longest).toBe("12.50".length);
  });

  test("any double comes back unchanged from its decimal", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }), (value) => {
        const decimal = toDecimal(value);
        // Numbers below 1e-30 or so need more digits than are taken.
        expect(decimal === null ? value : Number(decimal)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe("decimal arithmetic", () => {
  const cents = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });

  test("sums are exact where binary fractions are not", () => {
    expect(addDecimals("0.1", "0.2")).toBe("0.3");
    expect(addDecimals()).toBe("0");
    fc.assert(fc.property(cents, cents, (a, b) => addDecimals(print(a), print(b)) === print(a + b)));
  });

  test("products are exact, signs included", () => {
    expect(multiplyDecimals("-12.50", "3")).toBe("-37.50");
    expect(multiplyDecimals("0.1", "0.1")).toBe("0.01");
    fc.assert(fc.property(cents, fc.bigInt({ min: -999n, max: 999n }), (a, b) => multiplyDecimals(print(a), String(b)) === print(a * b)));
  });

  test("whole numbers are found only where there is no fraction", () => {
    expect([toWholeNumber("3"), toWholeNumber("-3.00"), toWholeNumber("3.5"), toWholeNumber("9007199254740993")]).toEqual([
      3,
      -3,
      null,
      null,
    ]);
  });
});

describe("decodeJson", () => {
  test("gives what JSON.parse gives, whatever the JSON, as long as a double holds its numbers", () => {
    const property = fc.property(fc.json({ maxDepth: 5 }), (text) => {
      expect(decode(text)).toEqual({ kind: "json", value: JSON.parse(text) });
    });
    fc.assert(property);
  });

  test("keeps the digits of numbers that a double can't hold, and leaves all others numbers", () => {
    const text = '[9007199254740993, 1.10, 0.1000000000000000055, 12, "1234567890123456789"]';
    const value = ["9007199254740993", 1.1, "0.1000000000000000055", 12, "1234567890123456789"];
    expect(decode(text)).toEqual({ kind: "json", value });
    expect(parseJson(text)).toEqual(value);
    for (const number of [`0.${"12".repeat(25)}`, "9".repeat(50), "1e400", "1e-400"]) expect(parseJson(number)).toBe(number);
  });

  test("refuses nesting beyond 64, and counts no brackets inside texts", () => {
    expect(decode("[".repeat(65) + "]".repeat(65)).kind).toBe("rejected");
    expect(decode("[".repeat(64) + "]".repeat(64)).kind).toBe("json");
    expect(decode(JSON.stringify(`\\"${"[".repeat(100)}`)).kind).toBe("json");
  });

  test("reasons hold no contents", () => {
    const decoded = decode('{"secret": "swordfish", oops}');
    expect(decoded).toMatchObject({ kind: "rejected", reasons: [{ message: expect.stringContaining("position") }] });
    expect(JSON.stringify(decoded)).not.toContain("swordfish");
  });
});
