import type pg from "pg";
import type { ClaimedRun } from "../runs/runs.ts";

const wantedSql = `
  select id::text, business_key as key, kind from hub.run_difference
  where tenant_id = $1 and run_id = $2 and kind <> 'extra' and ($3::bigint[] is null or id = any($3)) and id > $4::bigint
  order by id limit $5`;

/** Differences of a reconciliation that sending anew can mend, behind the one named `after`. */
export async function wantedDifferences(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  ids: readonly string[] | null,
  after: string,
  limit: number,
): Promise<{ id: string; key: string; kind: string }[]> {
  return (await client.query<{ id: string; key: string; kind: string }>(wantedSql, [tenantId, runId, ids, after, limit])).rows;
}

const markSql = "update hub.run_difference set fixed_by = $4 where tenant_id = $1 and run_id = $2 and business_key = any($3::text[])";

export async function markSent(client: pg.ClientBase, { tenantId, id }: ClaimedRun, ofRun: number, keys: readonly string[]): Promise<void> {
  await client.query(markSql, [tenantId, ofRun, keys, id]);
}

// Kept as removed by people are, so that it can be restored.
const forgetSql = `
  with gone as (
    delete from hub.external_item where tenant_id = $1 and integration_point_id = $2 and entity_type = $3 and business_key = any($4::text[]) returning *
  )
  insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash,
    message_id, delivered_at, created_at, removed_by)
  select tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id, delivered_at, created_at, $5
  from gone`;

/** The target does not have these objects: the next delivery makes them anew. */
export async function forgetItems(
  client: pg.ClientBase,
  { tenantId, id, pointId, entityType }: ClaimedRun,
  keys: readonly string[],
): Promise<void> {
  await client.query(forgetSql, [tenantId, pointId, entityType, keys, `reconciliation (run ${id})`]);
}
