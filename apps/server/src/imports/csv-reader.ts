import type { Fault, LineFault } from "@crossdock/contract";
import { faultBecause, lineBecause } from "../faults.ts";

/** A record with the line on which it begins, from 1. `fault`: why it could not be read. */
export type SourceRecord = { line: number; value: Record<string, unknown>; fault?: Fault };

/** Reads records from a text that comes in pieces. What can't be read is thrown with its line. */
export type RecordReader = { push(text: string): SourceRecord[]; end(): SourceRecord[] };

/** The file can't be read any further than this line. */
export class SourceFault extends Error {
  /** What had been read of the same piece before it. */
  before: SourceRecord[] = [];
  constructor({ line, message }: Pick<LineFault, "line" | "message">) {
    super(`line ${line}: ${message}`);
  }
}

/** What the work finds. A fault carries along what was found before it, so that this is not lost. */
export function foundBy(found: SourceRecord[], work: () => void): SourceRecord[] {
  try {
    work();
  } catch (error) {
    if (error instanceof SourceFault) error.before = found.splice(0);
    throw error;
  }
  return found.splice(0);
}

/** The most characters of a cell or line. */
export const partMax = 1024 * 1024;

/** CSV (RFC 4180) with a comma, a semicolon or a tab, whichever its first line has most of. The first line names the columns. */
export function createCsvReader(): RecordReader {
  let separator: string | null = null;
  let head = "";
  let columns: string[] | null = null;
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  /** A quote inside quotes: their end, or the first half of an escaped quote. */
  let isAfterQuote = false;
  let line = 1;
  let begun = 1;
  const found: SourceRecord[] = [];

  function endRow(): void {
    cells.push(cell);
    const row = cells;
    cells = [];
    cell = "";
    if (row.every((text) => text === "")) return;
    if (columns === null) {
      columns = row.map((name) => name.trim());
      return;
    }
    const isTooLong = row.length > columns.length;
    found.push({
      line: begun,
      value: Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ""])),
      ...(isTooLong && { fault: faultBecause("", "file-cells", { cells: row.length, columns: columns.length }) }),
    });
  }

  function take(character: string): void {
    if (isAfterQuote) {
      isAfterQuote = false;
      if (character === '"') {
        cell += '"';
        return;
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
    } else if (character === "\n") {
      endRow();
      begun = line + 1;
    } else if (character !== "\r") cell += character;
    if (character === "\n") line += 1;
    if (cell.length > partMax) throw new SourceFault(lineBecause(begun, "file-cell-endless"));
  }

  function read(text: string): SourceRecord[] {
    return foundBy(found, () => {
      for (const character of text) take(character);
    });
  }

  return {
    push(text) {
      if (separator !== null) return read(text);
      head += text;
      if (!head.includes("\n") && head.length < partMax) return [];
      separator = separatorOf(head);
      return read(head);
    },
    end() {
      if (separator === null) {
        separator = separatorOf(head);
        read(head);
      }
      if (isQuoted && !isAfterQuote) throw new SourceFault(lineBecause(begun, "file-quote-open"));
      if (cell !== "" || cells.length > 0) endRow();
      return found.splice(0);
    },
  };
}

function separatorOf(head: string): string {
  const [first = ""] = head.split("\n", 1);
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).separator;
}
