import { describe, expect, test } from "vitest";
import { applyMappings, missingMappingError } from "./mappings.ts";

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

describe("mappings", () => {
  test("replace a field wherever it stands, by its name alone", () => {
    const { document: mapped, missing } = applyMappings(document, [mapping("taxCode", "25", "SE-standard")], route);
    expect(missing).toEqual([]);
    expect(mapped).toMatchObject({ taxCode: "SE-standard", lines: [{ taxCode: "SE-standard" }, { taxCode: null }] });
    expect(document.taxCode).toBe("25");
  });

  test("replace a field at one place only, by its path", () => {
    const { document: mapped } = applyMappings(document, [mapping("lines.taxCode", "25", "SE-standard")], route);
    expect(mapped).toMatchObject({ taxCode: "25", lines: [{ taxCode: "SE-standard" }, {}] });
  });

  test("report every value without a mapping as missing, where the field is mapped at all", () => {
    const { missing } = applyMappings(document, [mapping("lines.sku", "a", "A"), mapping("other", "x", "y")], route);
    expect(missing).toEqual([{ fieldName: "lines.sku", path: "lines.1.sku", value: "b" }]);
    expect(missingMappingError(missing)).toEqual({ class: "mapping-missing", message: "mapping missing: lines.sku 'b'" });
  });

  test("apply between their own two systems only; those of this source beat those of any", () => {
    const foreign = [mapping("taxCode", "25", "wrong", "magento"), mapping("taxCode", "25", "wrong", "litium", "sitoo")];
    expect(applyMappings(document, foreign, route)).toEqual({ document, missing: [] });
    const general = [mapping("warehouse", "WH1", "own"), mapping("warehouse", "WH1", "any", "*")];
    expect(applyMappings(document, general, route).document).toMatchObject({ warehouse: "own" });
  });

  test("a value may be mapped to nothing, and a field named like a part of every object harms nobody", () => {
    expect(applyMappings({ note: "x" }, [mapping("note", "x", "")], route).document).toEqual({ note: "" });
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": "x"}, "constructor": "y"}');
    const { document: mapped } = applyMappings(hostile, [mapping("polluted", "x", "z"), mapping("constructor", "y", "w")], route);
    expect(JSON.stringify(mapped)).toBe('{"__proto__":{"polluted":"z"},"constructor":"w"}');
  });

  test("the same missing values give the same text in any order, so that dead letters group", () => {
    const [a, b] = ["a", "b"].map((value) => ({ fieldName: "f", path: "f", value }));
    expect(missingMappingError([a!, b!, a!])).toEqual(missingMappingError([b!, a!]));
  });
});
