import type { ExportValue } from "../data-table/columns.ts";

/** Writes rows as the lines of a file. `head` comes before the first row. */
export type RowWriter<Row> = { head: string; write: (rows: Row[]) => string; mediaType: string; extension: string };

type ExportColumn<Row> = { header: string; value: (row: Row) => ExportValue };

/** U+FEFF. Excel takes a CSV file without it for the machine's old code page. */
const byteOrderMark = "\uFEFF";
/** A text that starts so is run as a formula by spreadsheets (https://owasp.org/www-community/attacks/CSV_Injection). */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** CSV after RFC 4180: comma, CRLF, quotes doubled. A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvWriter<Row>(columns: ExportColumn<Row>[], { hasByteOrderMark }: { hasByteOrderMark: boolean }): RowWriter<Row> {
  return {
    head: (hasByteOrderMark ? byteOrderMark : "") + csvLine(columns.map(({ header }) => header)),
    write: (rows) => rows.map((row) => csvLine(columns.map(({ value }) => value(row)))).join(""),
    mediaType: "text/csv;charset=utf-8",
    extension: "csv",
  };
}

/** One JSON object a line (https://github.com/ndjson/ndjson-spec), with every field that the list has. */
export function ndjsonWriter<Row>(): RowWriter<Row> {
  return {
    head: "",
    write: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    mediaType: "application/x-ndjson",
    extension: "ndjson",
  };
}

export function csvLine(values: ExportValue[]): string {
  return `${values.map(csvField).join(",")}\r\n`;
}

function csvField(value: ExportValue): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  const safe = formulaStart.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
