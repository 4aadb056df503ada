import type { LineFault } from "@crossdock/contract";
import { lineBecause } from "../errors/faults.ts";

/** What stands in a field of a CSV file. */
export type CsvValue = string | number | boolean | null;

/** U+FEFF. Excel takes a CSV file without it for the machine's old code page. */
export const byteOrderMark = "\uFEFF";
/** A text that starts so is run as a formula by spreadsheets (https://owasp.org/www-community/attacks/CSV_Injection). */
const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/;
/** But a negative number is one to a spreadsheet, too. */
const plainNumber = /^-?\d+(?:\.\d+)?$/;
const harmlessStart = /^'+[=+\-@\t\r\n＝＋－＠]/;
/** As does what follows one of these, where they end a cell: a spreadsheet whose language separates by semicolons heeds no quotes behind a comma. */
const formulaWithin = /([;\t\r\n])(?=["']*[=+\-@＝＋－＠])/g;
const harmlessWithin = /([;\t\r\n])'(?=["']*[=+\-@＝＋－＠])/g;

/** What `csvLine` made of a text, its apostrophes included, is read back as it was. */
export function readCsvText(text: string): string {
  return (harmlessStart.test(text) ? text.slice(1) : text).replace(harmlessWithin, "$1");
}

/** CSV after RFC 4180: comma, CRLF, quotes doubled. What a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = harmlessText(value);
  return /[",\r\n]/.test(safe) ? quotedField(safe) : safe;
}

/** A text with an apostrophe in front of what a spreadsheet would run. */
export function harmlessText(value: string): string {
  const within = value.replace(formulaWithin, "$1'");
  return formulaStart.test(within) && !plainNumber.test(within) ? `'${within}` : within;
}

export function quotedField(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** A line of a CSV text with the number on which it begins, from 1. One that is open has swallowed the rest of the text: its quote never closes. */
export type CsvRow = { line: number; cells: string[]; isOpen: boolean };

/** Reads CSV (RFC 4180) with a comma or, when its first line has more of them, a semicolon. A byte order mark and empty lines are dropped. */
export function parseCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "");
  const [head = ""] = /[^\r\n]+/.exec(source) ?? [];
  const separator = head.split(";").length > head.split(",").length ? ";" : ",";
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let begun = 1;
  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((text) => text !== "")) rows.push({ line: begun, cells, isOpen: isQuoted });
    cells = [];
    cell = "";
    begun = line + 1;
  };
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (isQuoted && character === '"' && source[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (character === '"' && (isQuoted || cell === "")) isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      cells.push(cell);
      cell = "";
    } else if (!isQuoted && character === "\n") {
      endRow();
    } else if (isQuoted || character !== "\r") cell += character;
    if (character === "\n") line += 1;
  }
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}

/** Why nothing of a row can be read: it has more cells than columns, or none in the column `last`, the last one of those that have to be there. */
export function rowFault({ line, cells, isOpen }: CsvRow, columns: number, last: number): LineFault | null {
  if (isOpen) return lineBecause(line, "file-quote-open");
  const isFitting = cells.length <= columns && cells.length > last;
  return isFitting ? null : lineBecause(line, "file-cells", { cells: cells.length, columns });
}

/** What is wrong with the columns' names: one that has to be there is not, or of one that is read there are two and nobody could tell which is meant. */
export function headerFaults(names: readonly string[], needed: readonly string[], optional: readonly string[] = []): LineFault[] {
  const missing = needed.filter((column) => !names.includes(column));
  if (missing.length > 0) return [lineBecause(1, "csv-header", { columns: missing.join(", ") })];
  const twice = [...needed, ...optional].filter((column) => names.indexOf(column) !== names.lastIndexOf(column));
  return twice.map((column) => lineBecause(1, "csv-column-twice", { column }));
}
