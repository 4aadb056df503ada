import type pg from "pg";
import type { ClaimedRun } from "../runs/runs.ts";

// Kept as removed by people are, so that it can be restored. What was delivered since the target was asked is there by now.
const forgetSql = `
  with gone as (
    delete from hub.external_item
    where tenant_id = $1 and integration_point_id = $2 and entity_type = $3 and business_key = any($4::text[])
      and coalesce(delivered_at, created_at) < (select started_at from hub.run where tenant_id = $1 and id = $6)
    returning *
  )
  insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash,
    message_id, delivered_at, created_at, removed_by)
  select tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id, delivered_at, created_at, $5
  from gone`;

/** The target did not have these objects when the run `ofRun` asked it: the next delivery makes them anew. */
export async function forgetItems(
  client: pg.ClientBase,
  { tenantId, id, pointId, entityType }: ClaimedRun,
  ofRun: number,
  keys: readonly string[],
): Promise<void> {
  await client.query(forgetSql, [tenantId, pointId, entityType, keys, `reconciliation (run ${id})`, ofRun]);
}
