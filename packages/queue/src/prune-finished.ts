import type pg from "pg";

type Db = pg.Pool | pg.ClientBase;
type Pruned = { tenantId: number; beforeId: string; limit: number };

const messageTables = (ids: string) => `
  texts as (delete from queue.search_text t using ${ids} where t.tenant_id = $1 and t.queue_id = ${ids}.queue_id and t.id = ${ids}.id),
  attempts as (delete from queue.attempt a using ${ids} where a.tenant_id = $1 and a.queue_id = ${ids}.queue_id and a.id = ${ids}.id),
  messages as (delete from queue.message m using ${ids} where m.tenant_id = $1 and m.queue_id = ${ids}.queue_id and m.id = ${ids}.id)`;

// Midnight, from which on ids are not lower: what was published before may have finished after it, as an old dead letter that was requeued.
const midnight = "to_timestamp($2::bigint / 10000000000 * 86400)";

// A finished message has a row in history; what waits, is dead or was removed has none. Whose row is locked is being claimed again.
const finishedSql = `
  with old as (
    select h.queue_id, h.id from queue.queue q
    cross join lateral (
      select queue_id, id from queue.history h where h.tenant_id = $1 and h.queue_id = q.id and h.id < $2::bigint and h.finished_at < ${midnight}
      order by id limit $3 for update skip locked
    ) h
    where q.tenant_id = $1 limit $3
  ), ${messageTables("old")},
  gone as (delete from queue.history h using old where h.tenant_id = $1 and h.queue_id = old.queue_id and h.id = old.id)
  select count(*)::integer as count from old`;

const attemptsSql = `
  with old as (
    select a.queue_id, a.id, a.number from queue.queue q
    cross join lateral (
      select a.queue_id, a.id, a.number from queue.attempt a
      where a.tenant_id = $1 and a.queue_id = q.id and a.id < $2::bigint
        and exists (
          select from queue.history h where h.tenant_id = $1 and h.queue_id = a.queue_id and h.id = a.id and h.finished_at < ${midnight}
        )
      order by a.id limit $3
    ) a
    where q.tenant_id = $1 limit $3
  ), gone as (
    delete from queue.attempt a using old where a.tenant_id = $1 and a.queue_id = old.queue_id and a.id = old.id and a.number = old.number
  )
  select count(*)::integer as count from old`;

const removedSql = `
  with old as (
    delete from queue.removed r
    where r.tenant_id = $1 and (r.queue_id, r.id) in (
      select queue_id, id from queue.removed where tenant_id = $1 and removed_at < now() - make_interval(days => $2) limit $3
    )
    returning r.queue_id, r.id
  ), ${messageTables("old")}
  select count(*)::integer as count from old`;

async function countOf(db: Db, sql: string, values: unknown[]): Promise<number> {
  return (await db.query<{ count: number }>(sql, values)).rows[0]?.count ?? 0;
}

/** Deletes messages of a tenant that are older than the id, a day's first, and finished before that day, with all that is known of them. Returns how many. */
export function pruneFinished(db: Db, { tenantId, beforeId, limit }: Pruned): Promise<number> {
  return countOf(db, finishedSql, [tenantId, beforeId, limit]);
}

/** Deletes the attempts of such messages. Returns how many. */
export function pruneAttempts(db: Db, { tenantId, beforeId, limit }: Pruned): Promise<number> {
  return countOf(db, attemptsSql, [tenantId, beforeId, limit]);
}

/** Deletes messages that were removed so many days ago: they can't be restored any more. Returns how many. */
export function pruneRemoved(db: Db, { tenantId, days, limit }: { tenantId: number; days: number; limit: number }): Promise<number> {
  return countOf(db, removedSql, [tenantId, days, limit]);
}
