/** A line of a CSV text with the number on which it begins, from 1. */
export type CsvRow = { line: number; cells: string[] };

/** Reads CSV (RFC 4180) with a comma or, when its first line has more of them, a semicolon. A byte order mark and empty lines are dropped. */
export function parseCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "");
  const [head = ""] = source.split("\n", 1);
  const separator = head.split(";").length > head.split(",").length ? ";" : ",";
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  let line = 1;
  let begun = 1;
  const endRow = (): void => {
    cells.push(cell);
    if (cells.some((text) => text !== "")) rows.push({ line: begun, cells });
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
