import type pg from "pg";
import { searchTextOf } from "./search-text.ts";
import { countedAtOnce } from "./queue-depths.ts";
import { arrayLiteral, textArray } from "./packed-text.ts";

// Each function is one run of a job. They need the worker role: they look at all tenants.

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

/** Wakes sleeping shards that have messages, in case a wake-up by `publish` was missed. Returns how many. */
export function sweepShards(db: Db): Promise<number> {
  return firstNumber(db, "select queue.sweep_shards() as count");
}

const dueCircuitsSql = `
  select tenant_id as "tenantId", id from queue.target where circuit = 'open' and circuit_open_until <= clock_timestamp() order by tenant_id, id`;

/** Lets a trial through to targets whose circuit was open long enough. Returns how many. */
export async function tryCircuits(db: Db): Promise<number> {
  const { rows } = await db.query<{ tenantId: number; id: number }>(dueCircuitsSql);
  let tried = 0;
  for (const { tenantId, id } of rows) tried += await firstNumber(db, "select queue.try_circuit($1, $2)::integer as count", [tenantId, id]);
  return tried;
}

/** Makes the partitions of the coming days and moves new ids into the database's today. Run it at start and hourly. */
export function rollPartitions(db: Db): Promise<number> {
  return firstNumber(db, "select queue.roll_partitions() as count");
}

/**
 * Drops days older than the retention in which nothing waits, nor was removed or finished within it. Returns the partitions dropped, each in a
 * transaction of its own.
 */
export async function dropExpired(db: Db, retentionDays: number): Promise<string[]> {
  const dropped: string[] = [];
  for (;;) {
    const { rows } = await db.query<{ name: string | null }>("select queue.drop_expired($1) as name", [retentionDays]);
    const name = rows[0]?.name ?? null;
    if (name === null) return dropped;
    dropped.push(name);
  }
}

/** Adds up what changed among the dead letters. Returns the number of changes. */
export function foldDeaths(db: Db): Promise<number> {
  return firstNumber(db, "select queue.fold_deaths() as count");
}

/** Counts what waits in long queues, which are not counted each time somebody asks. Returns whether it was due. */
export async function countWaiting(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ done: boolean }>("select queue.count_waiting($1) as done", [countedAtOnce]);
  return rows[0]?.done ?? false;
}

const unsearchableSql = `select from_id as "fromId", to_id as "toId", is_cut as "isCut" from queue.unsearchable($1)`;
/** Documents are read until they have this many bytes, as a whole batch of large ones may take more memory than the process has. */
const fillBytesMax = 4 * 1024 * 1024;

// Queue by queue, as there is no index on ids alone.
const unfilledSql = {
  name: "queue.unfilled",
  text: `
  select id, tenant_id as "tenantId", queue_id as "queueId", key, document
  from (
    select m.*, sum(octet_length(m.document)) over (order by m.id) - octet_length(m.document) as bytes_before
    from queue.queue q
    cross join lateral (
      select m.id, m.tenant_id, m.queue_id, m.key, m.document from queue.message m
      where m.tenant_id = q.tenant_id and m.queue_id = q.id and m.id > $1 and m.id <= $2
      order by m.id limit $3
    ) m
    order by m.id limit $3
  ) m
  where bytes_before < $4
  order by id`,
};
const fillSql = {
  name: "queue.fill-search",
  text: `
  with filled as (
    insert into queue.search_text (id, tenant_id, queue_id, text)
    select * from unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[])
    on conflict do nothing
  )
  update queue.search_cursor set filled_to = greatest(filled_to, $5::bigint)`,
};
/** How many ids one look covers for each message wanted, so that with many long queues not everything is read to find the first messages. */
const idsPerMessage = 20;

type Unsearchable = { fromId: string; toId: string; isCut: boolean };
type Unfilled = { id: string; tenantId: number; queueId: number; key: string; document: string };

/** Makes up to `batch` messages searchable. Returns how many; fewer than `batch`: all are searchable up to the lowest id that may still be published. */
export async function fillSearch(db: Db, batch: number): Promise<number> {
  let filled = 0;
  for (;;) {
    const { rows: bounds } = await db.query<Unsearchable>(unsearchableSql, [idsPerMessage * batch]);
    const [bound] = bounds;
    if (!bound || Number(bound.toId) <= Number(bound.fromId)) return filled;
    const room = batch - filled;
    const { rows } = await db.query<Unfilled>({ ...unfilledSql, values: [bound.fromId, bound.toId, room, fillBytesMax] });
    const isFull = rows.length === room || rows.reduce((sum, { document }) => sum + Buffer.byteLength(document), 0) >= fillBytesMax;
    const ids = [rows.map((row) => row.id), rows.map((row) => row.tenantId), rows.map((row) => row.queueId)].map(arrayLiteral);
    const texts = textArray(rows.map((row) => searchTextOf(row.key, row.document)));
    await db.query({ ...fillSql, values: [...ids, texts, isFull ? rows.at(-1)?.id : bound.toId] });
    filled += rows.length;
    if (filled === batch || !(isFull || bound.isCut)) return filled;
  }
}
