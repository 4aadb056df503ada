import { applyMappings } from "@crossdock/connectors";
import { expect, test } from "vitest";
import { indexMappings, type IndexedMapping } from "./mapping-index.ts";

const row = (subtenantId: number | null, fieldName: string, sourceValue: string, targetValue: string, source = "*"): IndexedMapping => ({
  subtenantId,
  fieldName,
  source,
  sourceValue,
  target: "magento",
  targetValue,
});

const indexed = indexMappings([
  row(null, "taxCode", "25", "SE-25"),
  row(null, "taxCode", "12", "SE-12", "litium"),
  row(null, "color", "NAVY", "blue"),
  row(2, "taxCode", "25", "NO-25"),
  row(2, "taxCode", "12", "NO-12"),
  row(2, "lines.color", "NAVY", "marine"),
  row(3, "taxCode", "25", "DK-25", "centra"),
]);
const mapped = (subtenantId: number, source = "litium") =>
  applyMappings(
    { taxCode: "25", color: "NAVY", lines: [{ taxCode: "12", color: "NAVY" }] },
    indexed(source, { subtenantId, connector: "magento" }),
  ).document;

test("a subtenant's own rows lie over those of all, field by field, and those of its source above them", () => {
  expect(mapped(1)).toEqual({ taxCode: "SE-25", color: "blue", lines: [{ taxCode: "SE-12", color: "blue" }] });
  expect(mapped(2)).toEqual({ taxCode: "NO-25", color: "blue", lines: [{ taxCode: "SE-12", color: "marine" }] });
  expect(mapped(2, "sitoo")).toEqual({ taxCode: "NO-25", color: "blue", lines: [{ taxCode: "NO-12", color: "marine" }] });
});

test("what all subtenants say alike is compiled once for all of them", () => {
  const of = (subtenantId: number, source = "litium") => indexed(source, { subtenantId, connector: "magento" });
  expect(of(4)).toBe(of(1));
  expect(of(3)).toBe(of(1));
  expect(of(3, "centra")).not.toBe(of(1, "centra"));
  expect(of(2).fields.get("color")).toBe(of(1).fields.get("color"));
  expect(indexed("litium", { subtenantId: 2, connector: "sitoo" }).isEmpty).toBe(true);
});
