import type { SkippedRow } from "@crossdock/contract";
import type pg from "pg";
import { tellExternalNews } from "./news.ts";
import { leftOf } from "../api/skipped.ts";

// In the order of ids, so that two operators who remove the same messages wait for each other instead of dead-locking.
const lockSql = (isRemoved: boolean): string => `
  select id from hub.external_message
  where tenant_id = $1 and id = any($2::bigint[]) and removed_at is ${isRemoved ? "not null" : "null"} and ($4::integer is null or changed_by_job = $4)
  order by id for update`;
const removeSql = `
  with own as materialized (${lockSql(false)})
  update hub.external_message message set removed_at = now(), removed_by = $5, changed_by_job = $3
  from own where message.tenant_id = $1 and message.id = own.id returning message.id::text`;
const restoreSql = `
  with own as materialized (${lockSql(true)})
  update hub.external_message message set removed_at = null, removed_by = null, changed_by_job = $3
  from own where message.tenant_id = $1 and message.id = own.id returning message.id::text`;

type Change = {
  tenantId: number;
  ids: readonly string[];
  /** Where a job does it. One that takes another back leaves what has been removed or put back since. */
  job?: { id: number; undoOf: number | null };
};

/** The ids of those that were removed by this; `by` is the name under which people know who did it. */
export function removeExternalMessages(client: pg.ClientBase, { by, ...change }: Change & { by: string }): Promise<string[]> {
  return run(client, removeSql, change, [by]);
}

/** The ids of those that were put back. */
export function restoreExternalMessages(client: pg.ClientBase, change: Change): Promise<string[]> {
  return run(client, restoreSql, change);
}

/** Live consoles are told when anything was changed. */
async function run(client: pg.ClientBase, sql: string, { tenantId, ids, job }: Change, more: unknown[] = []): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql, [tenantId, ids, job?.id ?? null, job?.undoOf ?? null, ...more]);
  if (rows.length > 0) await tellExternalNews(client, tenantId);
  return rows.map(({ id }) => id);
}

const fatesSql = `
  select message.id::text, coalesce(message.business_key, message.id::text) as name, message.removed_at is null as "isThere",
    message.removed_by as "removedBy", queue.iso(message.removed_at) as "removedAt"
  from unnest($2::bigint[]) wanted (id)
  cross join lateral (select * from hub.external_message own where own.tenant_id = $1 and own.id = wanted.id offset 0) message`;

/** Why messages were left as they were: they are gone, or somebody else was faster. */
export async function explainSkipped(
  client: pg.ClientBase,
  tenantId: number,
  wanted: readonly string[],
  changed: readonly string[],
): Promise<SkippedRow[]> {
  const left = leftOf(wanted, changed);
  if (left.length === 0) return [];
  const fates = new Map((await client.query<SkippedRow>(fatesSql, [tenantId, left])).rows.map((row) => [row.id, row]));
  return left.map((id) => fates.get(id) ?? { id, name: id, isThere: false, removedBy: null, removedAt: null });
}
