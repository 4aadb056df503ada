import type pg from "pg";

type Wish = {
  subtenant?: string | undefined;
  queueId?: number[] | undefined;
  integrationPointId?: number | undefined;
  entityType?: string | undefined;
};

const selectSql = `
  select queue.id
  from queue.queue
  join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where queue.tenant_id = $1
    and ($2::text is null or subtenant.code = $2) and ($3::integer[] is null or queue.id = any($3)) and ($4::integer is null or point.id = $4)
    and ($5::text is null or split_part(queue.name, '.', -1) = $5)`;

/**
 * The queues that a list is about, as the engine's filter takes them; undefined for all. A queue belongs to one subtenant and
 * holds one entity type, the last part of its name; asking the engine by queue keeps its lists on their indexes. Codes and ids that do not exist select nothing.
 */
export async function selectQueues(client: pg.ClientBase, tenantId: number, wish: Wish): Promise<number[] | undefined> {
  const { subtenant, integrationPointId, entityType } = wish;
  if (subtenant === undefined && integrationPointId === undefined && entityType === undefined) return wish.queueId;
  const { rows } = await client.query<{ id: number }>(selectSql, [
    tenantId,
    subtenant ?? null,
    wish.queueId ?? null,
    integrationPointId ?? null,
    entityType ?? null,
  ]);
  return rows.map((row) => row.id);
}
