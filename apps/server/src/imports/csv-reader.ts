import type { Fault, LineFault } from "@crossdock/contract";
import { readCsvText } from "../api/csv.ts";
import { faultBecause, lineBecause } from "../errors/faults.ts";

/**
 * A record with the line on which it begins, from 1. `fault`: why it could not be read. `withCommas`: the columns in whose numbers a comma
 * stands before the decimals, as far as the file was read.
 */
export type SourceRecord = { line: number; value: Record<string, unknown>; fault?: Fault; withCommas?: ReadonlySet<string> };

/**
 * Reads records from a text that comes in pieces, each piece as far as its records are taken. What can't be read is thrown with its line, behind the
 * records that stand before it.
 */
export type RecordReader = { push(text: string): Iterable<SourceRecord>; end(): Iterable<SourceRecord> };

/** The file can't be read any further than this line. */
export class SourceFault extends Error {
  /** The line from which on nothing becomes of the file: this one, or that of a document which it cuts off. */
  unreadFrom: number;

  constructor({ line, message }: Pick<LineFault, "line" | "message">) {
    super(`line ${line}: ${message}`);
    this.unreadFrom = line;
  }
}

/** The columns that a file of rejected rows has before those of its import; a corrected one is read without them. */
export const rejectedColumns = ["#line", "#reason"] as const;
const addedColumns: ReadonlySet<string> = new Set(rejectedColumns);

/** The most characters of a cell or line. */
export const partMax = 1024 * 1024;
/** The most cells of a line: a record has all columns, however short its line is. */
const cellsMax = 500;
/** What only a number with decimals behind a comma looks like. */
const commaDecimal = /^[+-]?[\d.\s\u00A0\u202F]*\d,(?:\d{1,2}|\d{4,})$/;

/**
 * CSV (RFC 4180) with a comma, a semicolon or a tab, whichever its first line has most of. The first line names the columns; `wanted`: those that
 * a record keeps, null for all but those of rejected rows; none that has a name may be there twice, as nobody could tell which is meant. An
 * export's apostrophes before what a spreadsheet would run are none of its texts.
 */
export function createCsvReader(wanted: ReadonlySet<string> | null): RecordReader {
  let separator: string | null = null;
  let head = "";
  let columns: { count: number; kept: { name: string; index: number }[] } | null = null;
  let cells: string[] = [];
  let cell = "";
  const withCommas = new Set<string>();
  let isQuoted = false;
  /** A quote inside quotes: their end, or the first half of an escaped quote. */
  let isAfterQuote = false;
  let line = 1;
  let begun = 1;

  /** Null for an empty line and the columns' names. */
  function endRow(): SourceRecord | null {
    cells.push(cell);
    const row = cells;
    const first = begun;
    cells = [];
    cell = "";
    begun = line + 1;
    if (row.every((text) => text === "")) return null;
    if (columns === null) {
      const named = row.map((name, index) => ({ name: name.trim(), index }));
      const kept = named.filter(({ name }) => wanted?.has(name) ?? !addedColumns.has(name));
      const again = kept.find(({ name }, place) => name !== "" && kept.findIndex((other) => other.name === name) < place);
      if (again) throw new SourceFault(lineBecause(first, "file-column-twice", { column: again.name }));
      columns = { count: row.length, kept };
      // Spreadsheets separate by semicolons where the comma is needed for decimals.
      if (separator === ";") for (const { name } of columns.kept) withCommas.add(name);
      return null;
    }
    const isTooLong = row.length > columns.count;
    const texts = columns.kept.map(({ name, index }) => [name, readCsvText(row[index] ?? "")] as const);
    for (const [name, text] of texts) if (commaDecimal.test(text)) withCommas.add(name);
    return {
      line: first,
      value: Object.fromEntries(texts),
      withCommas,
      ...(isTooLong && { fault: faultBecause("", "file-cells", { cells: row.length, columns: columns.count }) }),
    };
  }

  function take(character: string): SourceRecord | null {
    let record: SourceRecord | null = null;
    if (isAfterQuote) {
      isAfterQuote = false;
      if (character === '"') {
        cell += '"';
        return null;
      }
      isQuoted = false;
    }
    if (isQuoted) {
      if (character === '"') isAfterQuote = true;
      else cell += character;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator) {
      cells.push(cell);
      cell = "";
      if (cells.length >= cellsMax) throw new SourceFault(lineBecause(begun, "file-line-cells", { max: cellsMax }));
    } else if (character === "\n") record = endRow();
    else if (character !== "\r") cell += character;
    if (character === "\n") line += 1;
    if (cell.length > partMax) throw new SourceFault(lineBecause(begun, "file-cell-endless"));
    return record;
  }

  function* read(text: string): Generator<SourceRecord> {
    for (const character of text) {
      const record = take(character);
      if (record) yield record;
    }
  }

  return {
    *push(text) {
      if (separator === null) {
        head += text;
        if (!/[^\r\n]\r?\n/.test(head) && head.length < partMax) return;
        separator = separatorOf(head);
        yield* read(head);
      } else yield* read(text);
    },
    *end() {
      if (separator === null) {
        separator = separatorOf(head);
        yield* read(head);
      }
      if (isQuoted && !isAfterQuote) throw new SourceFault(lineBecause(begun, "file-quote-open"));
      const last = cell !== "" || cells.length > 0 ? endRow() : null;
      if (last) yield last;
    },
  };
}

/** Whichever of the three the first line with a text has most of. */
export function separatorOf(head: string): string {
  const [first = ""] = /[^\r\n]+/.exec(head) ?? [];
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).separator;
}
