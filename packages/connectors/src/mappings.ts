import { isRecord } from "./json.ts";

/** In `fieldName`, what system `source` calls `sourceValue` is called `targetValue` by system `target`. */
export type AppliedMapping = { fieldName: string; source: string; sourceValue: string; target: string; targetValue: string };

/** `mappedAs`: under which name the field's other mappings go, which may be shorter than its path. */
export type MissingMapping = { fieldName: string; mappedAs: string; path: string; value: string };

/** The mappings of one route, ready to be applied to many documents. */
export type CompiledMappings = {
  readonly isEmpty: boolean;
  readonly fields: ReadonlyMap<string, FieldMappings>;
  fieldOf: (fieldPath: string) => FieldMappings | undefined;
};

type FieldMappings = {
  name: string;
  exact: ReadonlyMap<string, string>;
  /** The most particular first. */
  wildcards: readonly { parts: readonly string[]; targetValue: string }[];
  fallback: string | undefined;
};

/** As a source value: any value. As a target value: the value as it is. */
const any = "*";

/**
 * A field counts as mapped from `source` to `target` as soon as one mapping names it; from then on every value of it needs one.
 * A field name is a path from the document's root in which lists are walked through ("lines.taxCode"), or a single name ("taxCode"),
 * which is found at any depth. What stands as {name, value} in a list is a field of that name ("options.Color" or "Color").
 *
 * Which row wins for a value: one that names it exactly before one with wildcards ("NAVY*", `*` stands for any characters), of several
 * with wildcards the one with most other characters, and last the default row, whose source value is `*`. Among rows that say the same,
 * one for this very source wins over one for any source (`*`), then the later one in the list.
 *
 * `inherited` tells of the fields that none of the mappings names, without a copy of it.
 */
export function compileMappings(
  mappings: readonly AppliedMapping[],
  route: { source: string; target: string },
  inherited?: CompiledMappings,
): CompiledMappings {
  const rows = new Map<string, Map<string, string>>();
  // Those for any system first, so that the ones for this very source win.
  for (const source of [any, route.source]) {
    for (const mapping of mappings) {
      if (mapping.source !== source || mapping.target !== route.target) continue;
      const values = rows.get(mapping.fieldName) ?? new Map<string, string>();
      rows.set(mapping.fieldName, values.set(mapping.sourceValue, mapping.targetValue));
    }
  }
  const fields = new Map([
    ...(inherited?.fields ?? []),
    ...[...rows].map(([name, values]): [string, FieldMappings] => [name, compileField(name, values)]),
  ]);
  return {
    isEmpty: fields.size === 0,
    fields,
    fieldOf: (fieldPath) => fields.get(fieldPath) ?? fields.get(fieldPath.slice(fieldPath.lastIndexOf(".") + 1)),
  };
}

/** How much of a wildcard is not star. */
const literalLength = (parts: readonly string[]): number => parts.reduce((sum, part) => sum + part.length, 0);

function compileField(name: string, values: ReadonlyMap<string, string>): FieldMappings {
  const wildcards = [...values]
    .filter(([value]) => value !== any && value.includes(any))
    .map(([value, targetValue]) => ({ value, parts: value.split(any), targetValue }))
    .toSorted((one, other) => literalLength(other.parts) - literalLength(one.parts) || (one.value < other.value ? -1 : 1));
  return { name, exact: values, wildcards, fallback: values.get(any) };
}

function targetValueOf({ exact, wildcards, fallback }: FieldMappings, value: string): string | undefined {
  // A value that is a star, or has one, is looked up by its very characters, too.
  return exact.get(value) ?? wildcards.find(({ parts }) => matches(parts, value))?.targetValue ?? fallback;
}

/** Each part as early as it can stand leaves most room for the next, so one pass decides. */
function matches(parts: readonly string[], value: string): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= value.length - last.length;
}

/** Replaces mapped values throughout a document; values without one are reported, which makes the delivery fail for good. The input is not changed. */
export function applyMappings(document: unknown, mappings: CompiledMappings): { document: unknown; missing: MissingMapping[] } {
  const missing: MissingMapping[] = [];
  if (mappings.isEmpty) return { document, missing };

  function replace(value: unknown, fieldPath: string, path: string): unknown {
    if (Array.isArray(value)) return value.map((entry, index) => replace(entry, fieldPath, `${path}.${index}`));
    if (isRecord(value)) {
      const named = isNamedValue(value) ? `${fieldPath}.${value.name}` : null;
      // fromEntries defines properties instead of assigning them, so a key named __proto__ stays a plain key.
      return Object.fromEntries(
        Object.entries(value).map(([name, entry]) => {
          const at = (prefix: string) => (prefix === "" ? name : `${prefix}.${name}`);
          const isOwnField = name === "value" && named !== null && mappings.fieldOf(named) !== undefined;
          return [name, replace(entry, isOwnField ? named : at(fieldPath), at(path))];
        }),
      );
    }
    const field = mappings.fieldOf(fieldPath);
    if (!field || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")) return value;
    const sourceValue = String(value);
    const mapped = targetValueOf(field, sourceValue);
    if (mapped === undefined) missing.push({ fieldName: fieldPath, mappedAs: field.name, path, value: sourceValue });
    return mapped === undefined || mapped === any ? value : mapped;
  }

  return { document: replace(document, "", ""), missing };
}

function isNamedValue(record: Record<string, unknown>): record is { name: string; value: unknown } {
  return typeof record["name"] === "string" && "value" in record;
}

/** The permanent failure of a delivery for want of mappings; the same values give the same text, so that dead letters group well. */
export function missingMappingError(missing: readonly MissingMapping[]): { class: string; message: string } {
  const values = [...new Set(missing.map(({ fieldName, value }) => `${fieldName} '${value.slice(0, 100)}'`))].sort();
  const shown = values.slice(0, 10).join(", ");
  return { class: missingMappingClass, message: `mapping missing: ${shown}${values.length > 10 ? ` and ${values.length - 10} more` : ""}` };
}

/** The error class of a delivery that failed for want of mappings. */
export const missingMappingClass = "mapping-missing";
