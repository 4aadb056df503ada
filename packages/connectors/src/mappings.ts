import { isRecord } from "./json.ts";

/** In `fieldName`, what system `source` calls `sourceValue` is called `targetValue` by system `target`. */
export type AppliedMapping = { fieldName: string; source: string; sourceValue: string; target: string; targetValue: string };

export type MissingMapping = { fieldName: string; path: string; value: string };

/**
 * Replaces mapped values throughout a document. A field counts as mapped from `source` to `target` as soon as one mapping names it;
 * from then on every value of it needs one, and those without are reported as missing, which makes the delivery fail for good.
 * A field name is a path from the document's root in which lists are walked through ("lines.taxCode"), or a single name ("taxCode"),
 * which is found at any depth. The source `*` stands for any system. The input is not changed.
 */
export function applyMappings(
  document: unknown,
  mappings: readonly AppliedMapping[],
  route: { source: string; target: string },
): { document: unknown; missing: MissingMapping[] } {
  const fields = new Map<string, Map<string, string>>();
  // Those for any system first, so that the ones for this very source win.
  for (const source of ["*", route.source]) {
    for (const mapping of mappings) {
      if (mapping.source !== source || mapping.target !== route.target) continue;
      const values = fields.get(mapping.fieldName) ?? new Map<string, string>();
      fields.set(mapping.fieldName, values.set(mapping.sourceValue, mapping.targetValue));
    }
  }
  const missing: MissingMapping[] = [];
  if (fields.size === 0) return { document, missing };

  function replace(value: unknown, fieldPath: string, path: string): unknown {
    if (Array.isArray(value)) return value.map((entry, index) => replace(entry, fieldPath, `${path}.${index}`));
    if (isRecord(value)) {
      // fromEntries defines properties instead of assigning them, so a key named __proto__ stays a plain key.
      return Object.fromEntries(
        Object.entries(value).map(([name, entry]) => {
          const at = (prefix: string) => (prefix === "" ? name : `${prefix}.${name}`);
          return [name, replace(entry, at(fieldPath), at(path))];
        }),
      );
    }
    const values = fields.get(fieldPath) ?? fields.get(fieldPath.slice(fieldPath.lastIndexOf(".") + 1));
    if (!values || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")) return value;
    const sourceValue = String(value);
    const mapped = values.get(sourceValue);
    if (mapped === undefined) missing.push({ fieldName: fieldPath, path, value: sourceValue });
    return mapped ?? value;
  }

  return { document: replace(document, "", ""), missing };
}

/** The permanent failure of a delivery for want of mappings; the same values give the same text, so that dead letters group well. */
export function missingMappingError(missing: readonly MissingMapping[]): { class: string; message: string } {
  const values = [...new Set(missing.map(({ fieldName, value }) => `${fieldName} '${value.slice(0, 100)}'`))].sort();
  const shown = values.slice(0, 10).join(", ");
  return { class: "mapping-missing", message: `mapping missing: ${shown}${values.length > 10 ? ` and ${values.length - 10} more` : ""}` };
}
