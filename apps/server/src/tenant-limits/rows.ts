import type { TenantLimits, TenantUsage, UsageCategory } from "@crossdock/contract";
import type pg from "pg";

export type Limits = Omit<TenantLimits, "bounds">;

const columns = `
  history_days as "historyDays", attempt_days as "attemptDays", raw_message_days as "rawMessageDays", removed_days as "removedDays",
  run_days as "runDays", message_bytes as "messageBytes", version`;
const none: Limits = {
  historyDays: null,
  attemptDays: null,
  rawMessageDays: null,
  removedDays: null,
  runDays: null,
  messageBytes: null,
  version: 0,
};

export async function readLimits(client: pg.ClientBase, tenantId: number): Promise<Limits> {
  return (await client.query<Limits>(`select ${columns} from hub.tenant_limit where tenant_id = $1`, [tenantId])).rows[0] ?? none;
}

const insertSql = `
  insert into hub.tenant_limit (tenant_id, history_days, attempt_days, raw_message_days, removed_days, run_days, message_bytes)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning ${columns}`;
const updateSql = `
  update hub.tenant_limit
  set history_days = $2, attempt_days = $3, raw_message_days = $4, removed_days = $5, run_days = $6, message_bytes = $7, version = version + 1
  where tenant_id = $1 and version = $8 returning ${columns}`;

/** Null where somebody else changed them since `version`. Whoever keeps a copy of the tenant's configuration is told. */
export async function writeLimits(client: pg.ClientBase, tenantId: number, limits: Limits): Promise<Limits | null> {
  const { historyDays, attemptDays, rawMessageDays, removedDays, runDays, messageBytes, version } = limits;
  const values = [tenantId, historyDays, attemptDays, rawMessageDays, removedDays, runDays, messageBytes];
  const { rows } =
    version === 0 ? await client.query<Limits>(insertSql, values) : await client.query<Limits>(updateSql, [...values, version]);
  await client.query("select pg_notify('hub_changed', $1::text)", [tenantId]);
  return rows[0] ?? null;
}

/** Rows of one category that are counted at most. */
const countMax = 200_000;
const sampleSize = 1_000;

/** The lowest id of the day on which the last 24 hours began: it leaves the days before out, which the times alone do not. */
const dayBefore = "((now() - interval '24 hours') at time zone 'utc')::date - date '1970-01-01'";
const firstId = `(${dayBefore})::bigint * 10000000000`;

type Source = {
  /** With columns `id`, `size` and `made_at`. */
  rows: string;
  /** Where no index has `rows` in the order of ids: the newest of each part that has one, with columns `id` and `size`. */
  newest?: string;
  /** Ids begin with the day. */
  isByDay: boolean;
};

/** The newest rows of a category, and how many have come since midnight a day ago. */
function usageSql({ rows, newest = rows, isByDay }: Source): string {
  const lately = `made_at > now() - interval '24 hours'${isByDay ? ` and id >= ${firstId}` : ""}`;
  return `
    with counted as (select count(*) as rows from (select from (${rows}) each limit ${countMax + 1}) found),
    sample as (select size from (${newest}) each order by id desc limit ${sampleSize}),
    lately as (select count(*) as rows from (select from (${rows}) each where ${lately} limit ${countMax}) found)
    select counted.rows::integer as rows, coalesce((select avg(size) from sample), 0)::float8 as size, lately.rows::integer as "rowsPerDay"
    from counted, lately`;
}

/** Queue by queue, as the primary keys of messages and attempts have the queue before the id. */
const newestOfQueues = (columns: string, table: string): string => `
  select newest.* from queue.queue
  cross join lateral (
    select ${columns} from ${table} own where own.tenant_id = queue.tenant_id and own.queue_id = queue.id order by own.id desc limit ${sampleSize}
  ) newest
  where queue.tenant_id = $1`;
const ofMessage = "id, octet_length(document) + 120 as size";
const ofAttempt = "id, coalesce(octet_length(exchange), 0) + 90 as size";

const sources: Record<UsageCategory, Source> = {
  messages: {
    rows: `select ${ofMessage}, created_at as made_at from queue.message where tenant_id = $1`,
    newest: newestOfQueues(ofMessage, "queue.message"),
    isByDay: true,
  },
  attempts: {
    rows: `select ${ofAttempt}, started_at as made_at from queue.attempt where tenant_id = $1`,
    newest: newestOfQueues(ofAttempt, "queue.attempt"),
    // An old message may be tried today.
    isByDay: false,
  },
  rawMessages: {
    rows: "select id, octet_length(body) + octet_length(headers) + 120 as size, received_at as made_at from hub.external_message where tenant_id = $1",
    isByDay: true,
  },
  removed: {
    rows: `
      select id, 120 as size, removed_at as made_at from queue.removed where tenant_id = $1
      union all select id, 160, removed_at from hub.external_item_removed where tenant_id = $1`,
    isByDay: false,
  },
  runs: {
    rows: `
      select line.id, octet_length(text) + 60 as size, at as made_at from hub.run_line line where tenant_id = $1
      union all select difference.id, octet_length(fields::text) + 80, run.created_at
        from hub.run_difference difference join hub.run on run.tenant_id = difference.tenant_id and run.id = difference.run_id where difference.tenant_id = $1
      union all select part.number, octet_length(content), run.created_at
        from hub.export_part part join hub.run on run.tenant_id = part.tenant_id and run.id = part.run_id where part.tenant_id = $1
      union all select part.number, octet_length(content), run.created_at
        from hub.import_part part join hub.run on run.tenant_id = part.tenant_id and run.id = part.run_id where part.tenant_id = $1
      union all select part.row_count, octet_length(lines), run.created_at
        from hub.import_rejection part join hub.run on run.tenant_id = part.tenant_id and run.id = part.run_id where part.tenant_id = $1`,
    isByDay: false,
  },
  versions: {
    rows: "select external_message_id as id, octet_length(document) + 120 as size, created_at as made_at from hub.entity_version where tenant_id = $1",
    isByDay: true,
  },
};

export async function readUsage(client: pg.ClientBase, tenantId: number): Promise<TenantUsage[]> {
  const usage: TenantUsage[] = [];
  for (const [category, source] of Object.entries(sources) as [UsageCategory, Source][]) {
    const { rows } = await client.query<{ rows: number; size: number; rowsPerDay: number }>(usageSql(source), [tenantId]);
    const { rows: counted = 0, size = 0, rowsPerDay = 0 } = rows[0] ?? {};
    const count = Math.min(counted, countMax);
    const isExact = counted <= countMax;
    usage.push({ category, rows: count, isExact, bytes: Math.round(count * size), rowsPerDay, bytesPerDay: Math.round(rowsPerDay * size) });
  }
  return usage;
}
