import type pg from "pg";
import { byteOrderMark, harmlessText, quotedField, readCsvText } from "../api/csv.ts";
import { inTenant } from "../db.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { faultsText } from "../runs/line-text.ts";
import { SourceFault, rejectedColumns, separatorOf } from "./csv-reader.ts";
import { readGroups, type ImportedFile } from "./groups.ts";
import { readRejections, type RejectedLine } from "./rows.ts";

/** Characters of a piece of the answer, about. */
const pieceSize = 64_000;

/**
 * The rows of an import that did not fit, as they stand in its file, to be corrected and handed in as they are. In CSV the line and the reasons
 * come before each. Throws conflict where the file ends before they do: it is being deleted.
 */
export async function* rejectedRows(pool: pg.Pool, file: ImportedFile): AsyncGenerator<string> {
  const write = file.format === "csv" ? csvWriter() : writeLines;
  const rejections = rejectedLines(pool, file);
  let { value: rejected } = await rejections.next();
  let piece = "";
  for await (const span of spansOf(pool, file)) {
    const [first] = span.begins;
    if (first !== undefined && first !== rejected?.line) continue;
    piece += write(span, rejected);
    if (first !== undefined) ({ value: rejected } = await rejections.next());
    if (!rejected) break;
    if (piece.length < pieceSize) continue;
    yield piece;
    piece = "";
  }
  if (rejected) throw new ApiError("conflict", because("import-rows-over"));
  yield piece;
}

async function* rejectedLines(pool: pg.Pool, { tenantId, runId }: ImportedFile): AsyncGenerator<RejectedLine, undefined> {
  for (let after = 0; ;) {
    const batches = await inTenant(pool, tenantId, (client) => readRejections(client, tenantId, runId, after));
    for (const { lines } of batches) yield* lines;
    const last = batches.at(-1);
    if (!last) return undefined;
    after = last.rowCount;
  }
}

/** The lines of a file that belong together, and on which of them the records of a document begin; none at its head. */
type Span = { begins: number[]; lines: string[] };

async function* spansOf(pool: pg.Pool, file: ImportedFile): AsyncGenerator<Span> {
  const lines = createLines();
  let begins: number[] = [];
  const until = (line: number): Span => ({ begins, lines: lines.take(line) });
  try {
    for await (const group of readGroups(pool, file, (text) => lines.push(text))) {
      const [first] = group;
      if (first) yield until(first.line);
      begins = group.map(({ line }) => line);
    }
    yield until(Infinity);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    yield until(error.unreadFrom);
  }
}

/** The lines of a text that comes in pieces, for as long as nobody takes them. */
function createLines() {
  let first = 1;
  let kept: string[] = [""];
  let taken = 0;
  return {
    push(text: string): void {
      const lines = ((kept.at(-1) ?? "") + text).split("\n");
      kept = kept.slice(taken, -1).concat(lines);
      taken = 0;
    },
    /** Those before a line, or all. */
    take(before: number): string[] {
      const lines = kept.slice(taken, taken + before - first);
      taken += lines.length;
      first += lines.length;
      return lines;
    },
  };
}

function writeLines({ begins, lines }: Span): string {
  return begins.length === 0 ? "" : `${withoutEnd(lines)}\n`;
}

/** Writes with the file's own separator. What an earlier file of rejected rows had before its columns is left out. */
function csvWriter() {
  let separator = ",";
  let former = 0;
  const row = (added: readonly string[], text: string): string =>
    `${[...added, ...harmlessCells(text, separator).slice(former)].join(separator)}\r\n`;
  return ({ begins, lines }: Span, rejected: RejectedLine | undefined): string => {
    const [first] = begins;
    if (first === undefined) {
      const text = withoutEnd(lines);
      const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
      const head = text.slice(mark.length).replace(/^[\r\n]+/, "");
      separator = separatorOf(head);
      const names = cellsIn(head, separator).map(textIn);
      if (rejectedColumns.every((name, index) => names[index] === name)) former = rejectedColumns.length;
      return mark + row(rejectedColumns, head);
    }
    return begins
      .map((begin, index) => {
        const told = index === 0 && rejected ? [String(rejected.line), quotedField(harmlessText(faultsText(rejected.faults)))] : ["", ""];
        return row(told, withoutEnd(lines.slice(begin - first, (begins[index + 1] ?? Infinity) - first)));
      })
      .join("");
  };
}

/** The cells of a row as they stand in the file, quotes included, but those that a spreadsheet would run. */
export function harmlessCells(row: string, separator: string): string[] {
  return cellsIn(row, separator).map((cell) => {
    const text = textIn(cell);
    const safe = harmlessText(text);
    return safe === text ? cell : quotedField(safe);
  });
}

function cellsIn(row: string, separator: string): string[] {
  const cell = new RegExp(`${separator}((?:"[^"]*(?:""[^"]*)*"?)?[^${separator}]*)`, "g");
  return Array.from(`${separator}${row}`.matchAll(cell), ([, found = ""]) => found);
}

function textIn(cell: string): string {
  return readCsvText(cell.startsWith('"') ? cell.slice(1).replace(/"$/, "").replaceAll('""', '"') : cell);
}

/** A blank line after the last one is none of its row. */
function withoutEnd(lines: string[]): string {
  return lines.join("\n").replace(/[\r\n]+$/, "");
}
