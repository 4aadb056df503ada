import { z } from "zod";
import { csvLine } from "../api/csv.ts";

const Fields = z.record(z.string(), z.unknown());

/** One document as one line; line breaks within it are escaped by JSON already. */
export function documentLine(document: string): string {
  return `${JSON.stringify(JSON.parse(document))}\n`;
}

/** Paths of a document's values, in its order: `price.amount`, `lines.0.sku`. */
export function pathsIn(document: string): string[] {
  return [...valuesIn(document).keys()];
}

function valuesIn(document: string): Map<string, string> {
  const values = new Map<string, string>();
  const left: [path: string, value: unknown][] = [["", JSON.parse(document)]];
  for (let next = left.shift(); next; next = left.shift()) {
    const [path, value] = next;
    if (typeof value !== "object" || value === null)
      values.set(path, typeof value === "string" ? value : value === null ? "" : JSON.stringify(value));
    else
      left.unshift(
        ...Object.entries(Fields.parse({ ...value })).map(([name, inner]): [string, unknown] => [path ? `${path}.${name}` : name, inner]),
      );
  }
  return values;
}

/** One record of CSV (RFC 4180) with the document's values under the columns. */
export function csvRecord(document: string, columns: readonly string[]): string {
  const values = valuesIn(document);
  return csvLine(columns.map((column) => values.get(column) ?? ""));
}
