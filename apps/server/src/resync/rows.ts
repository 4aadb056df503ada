import type pg from "pg";
import type { ClaimedRun } from "../runs/runs.ts";

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
