import type { Row } from "./delimited.ts";

export type Group = { key: string; rows: Row[] };

/**
 * Rows with one key, together, in the order in which groups are completed. The file is read twice: first to count each key's rows,
 * then to hand a group on as soon as its last row has come. So memory holds the keys and the groups that are open, never the file.
 */
export async function* groupRows(read: () => AsyncIterable<Row>, keyOf: (row: Row) => string): AsyncGenerator<Group> {
  const counts = new Map<string, number>();
  for await (const row of read()) {
    const key = keyOf(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const open = new Map<string, Row[]>();
  for await (const row of read()) {
    const key = keyOf(row);
    const rows = open.get(key) ?? [];
    rows.push(row);
    if (rows.length < (counts.get(key) ?? 0)) {
      open.set(key, rows);
      continue;
    }
    open.delete(key);
    yield { key, rows };
  }
}
