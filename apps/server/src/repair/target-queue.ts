import type { MessageDetail } from "@crossdock/queue";
import type pg from "pg";

// Production and development stay apart, and nothing goes back to where it came from.
const findSql = `
  select queue.id
  from queue.queue
  join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join hub.integration_point present on present.tenant_id = queue.tenant_id and present.id = $4
  where queue.tenant_id = $1 and queue.id = $2 and point.subtenant_id = $3 and point.environment = present.environment
    and point.is_active and $5 = any (point.target_types) and split_part(queue.name, '.', -1) = $5
    and not exists (select from hub.external_message origin
      where origin.tenant_id = queue.tenant_id and origin.id = $6 and origin.integration_point_id = point.id)`;

/** The queue's id if a message may be redirected to it: of the same subtenant, environment and entity type. */
export async function findQueue(
  client: pg.ClientBase,
  tenantId: number,
  { subtenantId, targetId, entityType, originId }: MessageDetail,
  queueId: number,
): Promise<number | null> {
  const { rows } = await client.query<{ id: number }>(findSql, [tenantId, queueId, subtenantId, targetId, entityType, originId]);
  return rows[0]?.id ?? null;
}
