import { describe, expect, test } from "vitest";
import { type AppliedMapping, applyMappings, compileMappings, missingMappingError } from "./mappings.ts";

const route = { source: "litium", target: "shopify" };
const mapping = (fieldName: string, sourceValue: string, targetValue: string, source = "litium", target = "shopify") => ({
  fieldName,
  source,
  sourceValue,
  target,
  targetValue,
});
const document = {
  warehouse: "WH1",
  taxCode: "25",
  lines: [
    { sku: "a", taxCode: "25", quantity: "1" },
    { sku: "b", taxCode: null, quantity: "2" },
  ],
};

const map = (given: unknown, mappings: AppliedMapping[]) => applyMappings(given, compileMappings(mappings, route));

const rivals = (value: string) => [mapping("color", value, "any", "*"), mapping("color", value, "tenant"), mapping("color", value, "own")];

describe("mappings", () => {
  test("replace a field wherever it stands, by its name alone", () => {
    const { document: mapped, missing } = map(document, [mapping("taxCode", "25", "SE-standard")]);
    expect(missing).toEqual([]);
    expect(mapped).toMatchObject({ taxCode: "SE-standard", lines: [{ taxCode: "SE-standard" }, { taxCode: null }] });
    expect(document.taxCode).toBe("25");
  });

  test("replace a field at one place only, by its path", () => {
    const { document: mapped } = map(document, [mapping("lines.taxCode", "25", "SE-standard")]);
    expect(mapped).toMatchObject({ taxCode: "25", lines: [{ taxCode: "SE-standard" }, {}] });
  });

  test("report every value without a mapping as missing, where the field is mapped at all", () => {
    const { missing } = map(document, [mapping("lines.sku", "a", "A"), mapping("other", "x", "y")]);
    expect(missing).toEqual([{ fieldName: "lines.sku", mappedAs: "lines.sku", path: "lines.1.sku", value: "b" }]);
    expect(missingMappingError(missing)).toEqual({ class: "mapping-missing", message: "mapping missing: lines.sku 'b'" });
  });

  test("apply between their own two systems only; those of this source beat those of any", () => {
    const foreign = [mapping("taxCode", "25", "wrong", "magento"), mapping("taxCode", "25", "wrong", "litium", "sitoo")];
    expect(map(document, foreign)).toEqual({ document, missing: [] });
    const general = [mapping("warehouse", "WH1", "own"), mapping("warehouse", "WH1", "any", "*")];
    expect(map(document, general).document).toMatchObject({ warehouse: "own" });
  });

  test("a value may be mapped to nothing, and a field named like a part of every object harms nobody", () => {
    expect(map({ note: "x" }, [mapping("note", "x", "")]).document).toEqual({ note: "" });
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": "x"}, "constructor": "y"}');
    const { document: mapped } = map(hostile, [mapping("polluted", "x", "z"), mapping("constructor", "y", "w")]);
    expect(JSON.stringify(mapped)).toBe('{"__proto__":{"polluted":"z"},"constructor":"w"}');
  });

  test("the same missing values give the same text in any order, so that dead letters group", () => {
    const [a, b] = ["a", "b"].map((value) => ({ fieldName: "f", mappedAs: "f", path: "f", value }));
    expect(missingMappingError([a!, b!, a!])).toEqual(missingMappingError([b!, a!]));
  });

  test("an exact row wins over wildcards, the wildcard with most characters over the others, and the default row is last", () => {
    const rows = [
      mapping("color", "*", "Other"),
      mapping("color", "NAVY*", "Blue"),
      mapping("color", "NAVY*DARK", "Midnight"),
      mapping("color", "NAVY", "Navy blue"),
    ];
    const colorOf = (color: string) => map({ color }, rows).document;
    expect(["NAVY", "NAVY LIGHT", "NAVY VERY DARK", "RED"].map(colorOf)).toEqual(
      ["Navy blue", "Blue", "Midnight", "Other"].map((color) => ({ color })),
    );
  });

  test.each([
    ["a*a", "a", false],
    ["a*a", "aa", true],
    ["*b*b*", "abcb", true],
    ["*b*b*", "abc", false],
    ["*", "", true],
    ["a*", "b", false],
  ])("the wildcard %s and the value '%s': %s", (pattern, value, isMatch) => {
    expect(map({ color: value }, [mapping("color", pattern, "hit")]).document).toEqual({ color: isMatch ? "hit" : value });
  });

  test("a wildcard of many stars is decided at once for a value that almost fits", () => {
    const begun = performance.now();
    map({ color: "a".repeat(500) }, [mapping("color", `${"*a".repeat(200)}*b`, "hit")]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test("a row for this source wins over one for any, and a later one over an earlier one, whatever kind of row it is", () => {
    for (const value of ["NAVY", "NAV*", "*"])
      expect(map({ color: "NAVY" }, rivals(value).slice(0, 2)).document).toEqual({ color: "tenant" });
    for (const value of ["NAVY", "NAV*", "*"]) expect(map({ color: "NAVY" }, rivals(value)).document).toEqual({ color: "own" });
  });

  test("the target value * leaves a value as it is, of its own type", () => {
    const rows = [mapping("size", "*", "*"), mapping("size", "1", "XS")];
    expect(map({ size: [1, 2, "L"] }, rows)).toEqual({ document: { size: ["XS", 2, "L"] }, missing: [] });
  });

  test("what stands as name and value in a list is a field of that name", () => {
    const item = {
      options: [
        { name: "Color", value: "NAVY" },
        { name: "Size", value: "M" },
      ],
    };
    for (const fieldName of ["Color", "options.Color"]) {
      expect(map(item, [mapping(fieldName, "NAVY", "Blue")]).document).toEqual({
        options: [
          { name: "Color", value: "Blue" },
          { name: "Size", value: "M" },
        ],
      });
    }
    expect(map(item, [mapping("Color", "RED", "Red")]).missing).toEqual([
      { fieldName: "options.Color", mappedAs: "Color", path: "options.0.value", value: "NAVY" },
    ]);
  });
});
