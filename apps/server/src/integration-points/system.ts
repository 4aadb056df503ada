import type { IntegrationPoint } from "@crossdock/contract";
import type pg from "pg";
import { oneByOne } from "../db.ts";
import { systemsOf } from "../delivery/external-items.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { leadsElsewhere } from "./secrets.ts";

// Names of a source's objects begin with the integration point's id, and `0` follows `/`.
const isKnownSql = `
  select exists (select from hub.external_item where tenant_id = $1 and integration_point_id = $2)
    or exists (select from hub.schedule where tenant_id = $1 and integration_point_id = $2 and cursor is not null)
    or exists (select from hub.entity where tenant_id = $1 and part_of >= $2::text || '/' and part_of < $2::text || '0') as "isKnown"`;

/** Throws conflict where settings name another address while something is known of the system: its ids would mean other objects in another one. */
export async function refuseUnsaid(
  client: pg.ClientBase,
  tenantId: number,
  { id, settings: stored }: Pick<IntegrationPoint, "id" | "settings">,
  settings: Record<string, unknown>,
): Promise<void> {
  if (!leadsElsewhere(stored, settings)) return;
  const { rows } = await client.query<{ isKnown: boolean }>(isKnownSql, [tenantId, id]);
  if (rows[0]?.isKnown) throw new ApiError("conflict", because("system-unsaid"));
}

const removeAllSql = `
  with gone as (delete from hub.external_item where tenant_id = $1 and integration_point_id = $2 returning *)
  insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash,
    message_id, delivered_at, created_at, removed_by)
  select tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id, delivered_at, created_at, $3
  from gone`;
// Those included that somebody had removed before.
const leaveBehindSql = "update hub.external_item_removed set is_of_former_system = true where tenant_id = $1 and integration_point_id = $2";
// Taken back, an import would put the former system's ids in place of the new one's.
const forgetImportsSql = "delete from hub.external_item_imported where tenant_id = $1 and integration_point_id = $2";
const restartSql = "update hub.schedule set cursor = null where tenant_id = $1 and integration_point_id = $2";

/**
 * The address leads to another system: its ids are not the former one's. A person, but no rebuild, can restore the external items. Call after `syncTargets`:
 * a worker that acknowledges holds its shards before it stores.
 */
export async function forgetSystem(client: pg.ClientBase, tenantId: number, integrationPointId: number, by: string): Promise<void> {
  await oneByOne(client, systemsOf(tenantId));
  await client.query(removeAllSql, [tenantId, integrationPointId, by]);
  await client.query(leaveBehindSql, [tenantId, integrationPointId]);
  await client.query(forgetImportsSql, [tenantId, integrationPointId]);
  await client.query(restartSql, [tenantId, integrationPointId]);
}
