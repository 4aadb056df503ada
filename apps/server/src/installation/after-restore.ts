import { rollPartitions } from "@crossdock/queue";
import type pg from "pg";
import { readConfig } from "../config.ts";
import { openOwnerDatabase } from "./owner-database.ts";
import { StartError, refuse } from "./start-error.ts";

/** More than are given between a backup and the end of its day. */
const skipped = 1_000_000_000;

/**
 * `npm run after-restore`: a database that was set back to an earlier moment would give the ids of messages a second time, and a target that
 * knows what it has by the id would take new messages for those it had then. So the ids go on well behind all that may have been given since.
 * A server that runs already gives them a second time meanwhile.
 */
async function run(): Promise<void> {
  const database = await openOwnerDatabase(readConfig(process.env));
  try {
    console.log(`The ids of messages go on behind ${await skipIds(database.pool)}.`);
  } finally {
    await database.close();
  }
}

/** Also of a day that began after the backup: its ids begin at their first again otherwise. */
const skipSql = `
  with day as (select ((now() at time zone 'utc')::date - date '1970-01-01')::bigint as number),
    next as (select greatest(last_value, number * 10000000000) + $1::bigint as id, number from queue.message_id, day)
  select setval('queue.message_id', id) as id from next where id < (number + 1) * 10000000000`;

const serversSql = `
  select count(*)::integer as connections from pg_stat_activity
  where datname = current_database() and usename in ('crossdock_app', 'crossdock_worker')`;

/**
 * The id behind which the next ones come. Their day has its partitions then, whichever process starts first. Throws StartError while a server is
 * connected.
 */
export async function skipIds(pool: pg.Pool): Promise<string> {
  const { rows: servers } = await pool.query<{ connections: number }>(serversSql);
  if (servers[0]?.connections !== 0) throw new StartError("A server is connected to this database. Stop all servers, then run this again.");
  await rollPartitions(pool);
  const { rows } = await pool.query<{ id: string }>(skipSql, [skipped]);
  const [row] = rows;
  if (!row) throw new StartError("The ids of this day would not suffice. Set the clock right, or go on tomorrow.");
  return row.id;
}

if (import.meta.main) await run().catch(refuse);
