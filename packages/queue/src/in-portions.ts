import type { Queryable } from "./model.ts";

/** Rows that are in memory at a time. */
export const portionSize = 20_000;

/** Is told how many rows there are before any is read; what it throws refuses them. */
export type CheckCount = (count: number) => void;

/** What a SELECT finds, however much it is, as it is at one moment. `db` is in a transaction, and reads nothing else in this way meanwhile. */
export async function* inPortions<Row extends object>(
  db: Queryable,
  sql: string,
  values: unknown[],
  check?: CheckCount,
): AsyncGenerator<Row[], void> {
  // Materialized it is found once, though it is counted and then read. And its plan is one for all of it: a cursor's own would be one for its first tenth.
  await db.query(`declare portions scroll cursor for with found as materialized (${sql}) select * from found`, values);
  if (check) {
    check((await db.query("move forward all from portions")).rowCount ?? 0);
    await db.query("move absolute 0 from portions");
  }
  let rows: Row[];
  do {
    ({ rows } = await db.query<Row>(`fetch ${portionSize} from portions`));
    yield rows;
  } while (rows.length === portionSize);
  await db.query("close portions");
}
