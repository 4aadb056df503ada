import type pg from "pg";
import type { Chore } from "./loops.ts";

const minuteMs = 60_000;

/** The time by the database's clock, which all processes go by. */
export async function databaseNow(client: pg.Pool | pg.ClientBase): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>("select clock_timestamp() as now");
  if (!rows[0]) throw new Error("the database told no time");
  return rows[0].now;
}

/**
 * Says so while this machine's clock is not the database's. Whatever is kept goes by the database's, but access tokens and the signatures of
 * requests are checked and made by this one: with two processes an hour apart, one refuses who has signed in at the other.
 */
export function clockChore(pool: pg.Pool, now: () => number = Date.now): Chore {
  const run = async (): Promise<void> => {
    const askedAt = now();
    const { rows } = await pool.query<{ at: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as at");
    // The database looked at its clock at some moment in between.
    const aheadMs =
      [askedAt, now()].map((at) => at - (rows[0]?.at ?? at)).toSorted((one, other) => Math.abs(one) - Math.abs(other))[0] ?? 0;
    if (Math.abs(aheadMs) < minuteMs) return;
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    throw new Error(
      `this machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the database's: access tokens and signed requests may be refused`,
    );
  };
  return { name: "compare clocks", everyMs: minuteMs, run };
}
