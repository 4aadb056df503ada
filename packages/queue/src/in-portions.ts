import type { Queryable } from "./model.ts";

/** Rows that are in memory at a time. */
export const portionSize = 20_000;

/** What a SELECT finds, however much it is, as it is at one moment. `db` is in a transaction, and reads nothing else in this way meanwhile. */
export async function* inPortions<Row extends object>(db: Queryable, sql: string, values: unknown[]): AsyncGenerator<Row[], void> {
  // All of it is read: else the plan would be one for its first tenth.
  await db.query("set local cursor_tuple_fraction = 1");
  await db.query(`declare portions no scroll cursor for ${sql}`, values);
  let rows: Row[];
  do {
    ({ rows } = await db.query<Row>(`fetch ${portionSize} from portions`));
    yield rows;
  } while (rows.length === portionSize);
  await db.query("close portions");
}
