import type pg from "pg";

/** How many workers there are, and which of them this one is, counted from 0. */
export type Share = { workers: number; rank: number };

const heartbeatSql = `
  with beat as (
    insert into queue.worker (id, seen_at) values ($1, clock_timestamp()) on conflict (id) do update set seen_at = excluded.seen_at returning id
  ), forgotten as (
    delete from queue.worker where seen_at < clock_timestamp() - interval '1 hour' and id <> $1
  ), live as (
    -- What was seen later than now was seen before the clock was set back.
    select id from queue.worker
    where seen_at > clock_timestamp() - interval '20 seconds' and seen_at < clock_timestamp() + interval '20 seconds'
    union select id from beat
  )
  select count(*)::integer as workers, (count(*) filter (where id < $1))::integer as rank from live`;

/** Says that the worker lives. */
export async function beat(pool: pg.Pool, workerId: string): Promise<Share> {
  const { rows } = await pool.query<Share>(heartbeatSql, [workerId]);
  return rows[0] ?? { workers: 1, rank: 0 };
}

/** Says that it has ended, so that nobody has to take it for dead first. */
export async function leave(pool: pg.Pool, workerId: string): Promise<void> {
  await pool.query("delete from queue.worker where id = $1", [workerId]);
}
