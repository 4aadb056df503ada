import { isRecord, toDecimal } from "@crossdock/connectors";
import { canonicalSchemas, type EntityType, type Fault } from "@crossdock/contract";
import { faultBecause, faultsOf, inDocument, lineBecause } from "../errors/faults.ts";
import { SourceFault, type SourceRecord } from "./csv-reader.ts";
import { numberedIn, withLists } from "./lists.ts";
import type { Format } from "./readers.ts";

/** Canonical path → column of the source, or `=text` for the same text in every document. */
export type ColumnMapping = Record<string, string>;

/** The columns that a mapping names; null for all of them. */
export function columnsOf(mapping: ColumnMapping): ReadonlySet<string> | null {
  const columns = Object.values(mapping);
  return columns.length === 0 ? null : new Set(columns);
}

/** What became of some lines: a document, or the reasons why not. */
export type Outcome = { line: number; document: object } | { line: number; faults: Fault[] };

/** The most faults that are reported for one line. */
const faultsMax = 5;

/** How a file is read. */
type Reading = { entityType: EntityType; format: Format; mapping: ColumnMapping };

/** A record as a document. Without a mapping a record is the document as it is, and the columns of CSV are the canonical paths themselves. */
export function toOutcome(reading: Reading, records: readonly SourceRecord[]): Outcome {
  const { entityType, format } = reading;
  const [first] = records;
  const line = first?.line ?? 0;
  if (first?.fault) return { line, faults: [first.fault] };
  const mapping = mappingOf(reading, first);
  const document = records.length > 1 || entityType === "order" ? orderOf(mapping, records) : fieldsOf(mapping, first?.value ?? {});
  const schema = canonicalSchemas[entityType];
  const parsed = schema.safeParse(format === "ndjson" ? document : withLists(schema, document));
  const faults = [...ambiguousNumbers(mapping, records), ...(parsed.success ? [] : faultsOf(parsed.error.issues, inDocument))];
  return parsed.success && faults.length === 0 ? { line, document: parsed.data } : { line, faults: faults.slice(0, faultsMax) };
}

const linePrefix = "lines.";
/** Of a line that is a row by itself; `lines.0.sku`, as exports have it, is of one beside the order's others. */
const isOfLine = (path: string): boolean => /^lines\.(?!\d+\.)/.test(path);

function mappingOf({ format, mapping }: Reading, row: SourceRecord | undefined): ColumnMapping {
  if (format !== "csv" || Object.keys(mapping).length > 0) return mapping;
  return Object.fromEntries(Object.keys(row?.value ?? {}).map((name) => [name, name]));
}

/** The rows of one order: its own fields come from the first, a line from each. A format with lists, and an export, give one row per order. */
function orderOf(mapping: ColumnMapping, records: readonly SourceRecord[]): Record<string, unknown> {
  const [first] = records;
  const ofOrder = Object.fromEntries(Object.entries(mapping).filter(([path]) => !isOfLine(path)));
  const ofLine = Object.fromEntries(
    Object.entries(mapping).flatMap(([path, column]) => (isOfLine(path) ? [[path.slice(linePrefix.length), column]] : [])),
  );
  const document: Record<string, unknown> = { customer: null, ...fieldsOf(ofOrder, first?.value ?? {}) };
  if (Object.keys(ofLine).length > 0) {
    const lines = records.map(({ value }, index) => ({ lineNumber: String(index + 1), description: null, ...fieldsOf(ofLine, value) }));
    return { ...document, lines };
  }
  const isNumbered = Object.keys(mapping).some((path) => path.startsWith(linePrefix));
  const lines = isNumbered ? numberedIn(document["lines"]) : null;
  // An export writes null as nothing.
  return lines === null ? document : { ...document, lines: lines.map((line) => ({ sku: null, description: null, ...Object(line) })) };
}

function fieldsOf(mapping: ColumnMapping, value: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(mapping).length === 0) return value;
  const document: Record<string, unknown> = {};
  for (const [path, column] of Object.entries(mapping)) {
    const found = cellOf(value, column);
    if (found !== undefined && found !== null && found !== "") put(document, path.split("."), converted(path, found));
  }
  return document;
}

function cellOf(value: Record<string, unknown>, column: string): unknown {
  return column.startsWith("=") ? column.slice(1) : valueAt(value, column);
}

function valueAt(value: Record<string, unknown>, column: string): unknown {
  if (Object.hasOwn(value, column)) return value[column];
  return column.split(".").reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function put(document: Record<string, unknown>, path: string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const known = Object.hasOwn(document, name) ? document[name] : undefined;
  const inner = isRecord(known) ? known : {};
  Object.defineProperty(document, name, { value: inner, enumerable: true, configurable: true, writable: true });
  put(inner, rest, value);
}

const flags = /(?:^|\.)(?:isActive|includesTax|pricesIncludeTax|acceptsMarketing)$/;
const decimals = /(?:^|\.)(?:amount|quantity|minimumQuantity|taxRatePercent|weight\.value)$/;
const lists = /(?:^|\.)(?:categories|tags|street)$/;

/** What stands in the cells of a path; attributes may have the names of other fields. */
function kindOf(path: string): "flag" | "decimal" | "list" | "text" {
  if (/(?:^|\.)attributes\./.test(path)) return "text";
  return flags.test(path) ? "flag" : decimals.test(path) ? "decimal" : lists.test(path) ? "list" : "text";
}

/** Cells are text: numbers become exact decimals ("1 299,50" too), yes and no become true and false, lists are separated by |. */
function converted(path: string, value: unknown): unknown {
  if (path === "schemaVersion") return Number(value);
  const kind = kindOf(path);
  if (typeof value === "number") return kind === "decimal" ? (toDecimal(value) ?? value) : kind === "flag" ? value !== 0 : String(value);
  if (typeof value !== "string") return value;
  if (kind === "flag") return /^(?:1|true|yes|y|ja)$/i.test(value) ? true : /^(?:0|false|no|n|nej)$/i.test(value) ? false : value;
  if (kind === "decimal") return decimalOf(value);
  if (kind === "list") return value.split("|").map((part) => part.trim());
  return value;
}

/**
 * A comma is a decimal point where there is no point and one comma with other than three digits behind it. A blank between digits with other than
 * three behind it parts two numbers.
 */
function decimalOf(text: string): string {
  const compact = /\d\s+\d(?!\d\d(?!\d))/.test(text) ? text : text.replace(/\s/g, "");
  const plain = /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/.test(compact) ? compact.replace(",", ".") : compact;
  return toDecimal(plain) ?? text;
}

/** Three digits behind a point are thousands to some and decimals to others; where the column's numbers have commas, nobody can tell. */
function ambiguousNumbers(mapping: ColumnMapping, records: readonly SourceRecord[]): Fault[] {
  return records.flatMap(({ value, withCommas }, index) => {
    if (!withCommas) return [];
    return Object.entries(mapping).flatMap(([path, column]) => {
      if (kindOf(path) !== "decimal" || !withCommas.has(column) || (index > 0 && !isOfLine(path))) return [];
      const text = String(value[column]).trim();
      if (!/^[+-]?[1-9]\d{0,2}\.\d{3}$/.test(text)) return [];
      const place = isOfLine(path) ? `${linePrefix}${index}.${path.slice(linePrefix.length)}` : path;
      return [faultBecause(place, "number-ambiguous", { text, thousands: text.replace(".", ""), decimals: `${text}0` })];
    });
  });
}

/** More rows of one order than its document may have lines, by far: it is another column that names the orders. */
const orderRowsMax = 10_000;

/** Puts the records together that make one document, in order. The last group may go on in what is still to come. */
export function createGrouper(reading: Reading) {
  const keyOf = orderOfRow(reading);
  let group: SourceRecord[] = [];
  let key: string | undefined;
  return {
    *take(records: Iterable<SourceRecord>): Generator<SourceRecord[]> {
      for (const record of records) {
        // Nobody knows which order the row belongs to: skipping it would silently shorten one.
        if (keyOf && record.fault) throw new SourceFault({ line: record.line, message: record.fault.message });
        const own = keyOf?.(record);
        if (group.length > 0 && own !== key) {
          yield group;
          group = [];
        }
        if (own === undefined) yield [record];
        else group.push(record);
        const [first] = group;
        if (first && group.length > orderRowsMax) throw new SourceFault(lineBecause(first.line, "file-order-rows", { max: orderRowsMax }));
        key = own;
      }
    },
    *end(): Generator<SourceRecord[]> {
      if (group.length > 0) yield group;
    },
    /** The line of the group that may go on. */
    begun: () => group[0]?.line,
  };
}

/** Tells of a row which order it belongs to, undefined where it names none; null where each row is a document by itself. */
export function orderOfRow(reading: Reading): ((record: SourceRecord) => string | undefined) | null {
  const { entityType, format, mapping } = reading;
  const isNamedByColumns = format === "csv" && Object.keys(mapping).length === 0;
  if (entityType !== "order" || !(isNamedByColumns || columnOfOrder(mapping) !== undefined)) return null;
  return (record) => {
    const column = columnOfOrder(mappingOf(reading, record));
    const found = column === undefined ? undefined : cellOf(record.value, column);
    return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
  };
}

/** Where the number of an order stands whose lines are rows of their own. */
function columnOfOrder(mapping: ColumnMapping): string | undefined {
  return Object.keys(mapping).some(isOfLine) ? mapping["orderNumber"] : undefined;
}
