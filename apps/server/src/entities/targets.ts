import type { EntityTarget } from "@crossdock/contract";
import { listMessages } from "@crossdock/queue";
import type pg from "pg";
import { mapDocument } from "../delivery/deliver.ts";
import { deliveryHash, findExternalItems } from "../delivery/external-items.ts";
import type { Point, TenantDirectory } from "../intake/directory.ts";
import type { CurrentEntity } from "./rows.ts";

const pointsSql = `select id, name from hub.integration_point where tenant_id = $1 and id = any($2::integer[])`;
const deliveredSql = `
  select integration_point_id as "pointId", queue.iso(delivered_at) as "deliveredAt" from hub.external_item
  where tenant_id = $1 and integration_point_id = any($2::integer[]) and entity_type = $3 and business_key = $4`;

/** The targets that want the object: what each was told, compared with what it would be told now. */
export async function readTargets(
  client: pg.ClientBase,
  tenantId: number,
  directory: TenantDirectory,
  entity: CurrentEntity,
): Promise<EntityTarget[]> {
  const targets = targetsOf(directory, entity);
  const ids = targets.map(({ point }) => point.id);
  const { entityType, key } = entity;
  const names = new Map(
    (await client.query<{ id: number; name: string }>(pointsSql, [tenantId, ids])).rows.map(({ id, name }) => [id, name]),
  );
  const delivered = await client.query<{ pointId: number; deliveredAt: string | null }>(deliveredSql, [tenantId, ids, entityType, key]);
  const times = new Map(delivered.rows.map(({ pointId, deliveredAt }) => [pointId, deliveredAt]));
  const items = await findExternalItems(
    client,
    tenantId,
    ids.map((integrationPointId) => ({ integrationPointId, entityType, key })),
  );
  const read: EntityTarget[] = [];
  for (const [index, { point, queueId }] of targets.entries()) {
    const { items: messages } = await listMessages(client, { tenantId, filter: { queueIds: [queueId], keys: [key] }, limit: 20 });
    const item = items[index] ?? null;
    const newest = messages[0];
    read.push({
      integrationPointId: point.id,
      name: names.get(point.id) ?? point.code,
      connector: point.connector,
      sync: syncOf(directory, point, entity, item?.deliveredHash ?? null),
      externalId: item?.externalId ?? null,
      deliveredVersion: messages.find(({ messageId }) => messageId === item?.messageId)?.entityVersion ?? null,
      deliveredAt: times.get(point.id) ?? null,
      lastMessage: newest ? { id: newest.messageId, state: newest.state } : null,
    });
  }
  return read;
}

/** With their queues, as intake routes the object's newest version. */
export function targetsOf(directory: TenantDirectory, entity: CurrentEntity): { point: Point; queueId: number; isPulled: boolean }[] {
  const source = directory.points.get(entity.integrationPointId);
  if (!source) return [];
  const routes = new Map(directory.routesFrom(source, entity.entityType).map((route) => [route.queueId, route]));
  return [...directory.points.values()].flatMap((point) => {
    const route = routes.get(directory.queueOf(point.id, entity.entityType) ?? 0);
    return route ? [{ point, ...route }] : [];
  });
}

function syncOf(directory: TenantDirectory, point: Point, entity: CurrentEntity, deliveredHash: Buffer | null): EntityTarget["sync"] {
  if (deliveredHash === null) return "never";
  const mapped = mapDocument(directory, point, { document: entity.document, headers: { source: entity.source } });
  // What cannot be mapped now would not be delivered either.
  if ("error" in mapped) return "outdated";
  return deliveryHash(point, mapped.document).equals(deliveredHash) ? "in-sync" : "outdated";
}
