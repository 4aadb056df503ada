import type pg from "pg";
import { searchTextOf } from "./search-text.ts";
import { arrayLiteral, textArray } from "./packed-text.ts";

// Each job is one run. They want the worker role: they look at all tenants, and change one tenant per statement.

type Db = pg.Pool | pg.ClientBase;

async function firstNumber(db: Db, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.query<{ count: number | null }>(sql, values);
  return rows[0]?.count ?? 0;
}

const dueTenantsSql =
  "select distinct tenant_id as id from (select tenant_id from queue.retrying where due_at <= clock_timestamp() order by due_at limit 10000) d";

/** Makes due retries ready. Returns how many. */
export async function promoteRetries(db: Db): Promise<number> {
  const { rows } = await db.query<{ id: number }>(dueTenantsSql);
  let promoted = 0;
  for (const { id } of rows) promoted += await firstNumber(db, "select queue.promote_retries($1, 10000) as count", [id]);
  return promoted;
}

/** Ends pull leases that ran out; each counts as a failed attempt. Returns how many. */
export async function rescueLeases(db: Db): Promise<number> {
  const { rows } = await db.query<{ id: number }>("select distinct tenant_id as id from queue.lease where lease_until < clock_timestamp()");
  let rescued = 0;
  for (const { id } of rows) rescued += await firstNumber(db, "select queue.rescue_leases($1) as count", [id]);
  return rescued;
}

/** Wakes sleeping shards that have messages: the net under the wake-up by publish. Returns how many. */
export function sweepShards(db: Db): Promise<number> {
  return firstNumber(db, "select queue.sweep_shards() as count");
}

/** Lets a trial through to targets whose circuit was open long enough. Returns how many. */
export function tryCircuits(db: Db): Promise<number> {
  return firstNumber(db, "select queue.try_circuits() as count");
}

/** Makes the partitions of the coming days and moves new ids into the database's today. Run it at start and hourly. */
export function rollPartitions(db: Db): Promise<number> {
  return firstNumber(db, "select queue.roll_partitions() as count");
}

/** Drops days older than the retention in which nothing waits. `attemptDays` may keep attempts shorter. Returns the partitions dropped. */
export async function dropExpired(
  db: Db,
  { retentionDays, attemptDays = retentionDays }: { retentionDays: number; attemptDays?: number },
): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>("select queue.drop_expired($1, $2) as name", [retentionDays, attemptDays]);
  return rows.map((row) => row.name);
}

// A commit may come late with an id below filled_to, so the last minute is looked at again; filled_to moves behind it.
const unfilledSql = `
  select m.id, m.tenant_id as "tenantId", m.queue_id as "queueId", m.key, m.document, m.created_at < clock_timestamp() - interval '1 minute' as "isOld"
  from queue.message m
  where m.id > (select filled_to from queue.search_cursor)
    and not exists (select from queue.search_text t where t.tenant_id = m.tenant_id and t.queue_id = m.queue_id and t.id = m.id)
  order by m.id limit $1`;
const fillSql = `
  insert into queue.search_text (id, tenant_id, queue_id, text)
  select * from unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[])
  on conflict do nothing`;
const moveCursorSql = `
  update queue.search_cursor set filled_to = greatest(filled_to, $1::bigint)`;

type Unfilled = { id: string; tenantId: number; queueId: number; key: string; document: string; isOld: boolean };

/** Makes up to `batch` messages searchable. Returns how many; fewer than `batch` means all are. */
export async function fillSearch(db: Db, batch: number): Promise<number> {
  const { rows } = await db.query<Unfilled>(unfilledSql, [batch]);
  if (rows.length === 0) return 0;
  const texts = textArray(rows.map((row) => searchTextOf(row.key, row.document)));
  const ids = [rows.map((row) => row.id), rows.map((row) => row.tenantId), rows.map((row) => row.queueId)].map(arrayLiteral);
  await db.query(fillSql, [...ids, texts]);
  const filledTo = rows.findLast((row) => row.isOld)?.id;
  if (filledTo !== undefined) await db.query(moveCursorSql, [filledTo]);
  return rows.length;
}
