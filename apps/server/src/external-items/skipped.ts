import type { ExternalItemKey, SkippedRow } from "@crossdock/contract";
import type pg from "pg";
import { itemIdOf } from "./item-id.ts";
import { leftOf } from "../api/skipped.ts";

// The last one of this name that was removed.
const removedSql = `
  select wanted.id, item.removed_by as "removedBy", queue.iso(item.removed_at) as "removedAt"
  from unnest($2::text[], $3::integer[], $4::text[], $5::text[]) wanted (id, integration_point_id, entity_type, business_key)
  cross join lateral (
    select removed_by, removed_at from hub.external_item_removed removed
    where removed.tenant_id = $1 and removed.integration_point_id = wanted.integration_point_id and removed.entity_type = wanted.entity_type
      and removed.business_key = wanted.business_key
    order by removed.id desc limit 1
  ) item`;

/** Why items could not be removed: who had done so before, where that is known. */
export async function explainSkipped(
  client: pg.ClientBase,
  tenantId: number,
  wanted: readonly ExternalItemKey[],
  changed: readonly ExternalItemKey[],
): Promise<SkippedRow[]> {
  const left = leftOf(wanted, changed, itemIdOf);
  if (left.length === 0) return [];
  const columns = [
    left.map(itemIdOf),
    left.map((item) => item.integrationPointId),
    left.map((item) => item.entityType),
    left.map(({ key }) => key),
  ];
  const { rows } = await client.query<Pick<SkippedRow, "id" | "removedBy" | "removedAt">>(removedSql, [tenantId, ...columns]);
  const removals = new Map(rows.map((row) => [row.id, row]));
  return left.map((item) => {
    const { removedBy = null, removedAt = null } = removals.get(itemIdOf(item)) ?? {};
    return { id: itemIdOf(item), name: item.key, isThere: false, removedBy, removedAt };
  });
}
