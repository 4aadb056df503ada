import type pg from "pg";
import type { ExternalItemKey } from "@crossdock/contract";
import { besideOthers, inOrder } from "../db.ts";
import { itemIdOf } from "../external-items/item-id.ts";
import type { Point } from "../intake/directory.ts";
import { sha256 } from "../keys/sha256.ts";

/** What a target knows of a business object: its own id for it, the hash of what it was told last, and by which message; null when it was told nothing. */
export type ExternalItem = { externalId: string | null; deliveredHash: Buffer | null; messageId: string | null };

/** A completed delivery to be remembered. `externalId` null leaves the known one as it is. */
export type CompletedDelivery = ExternalItemKey & {
  /** Of the integration point as it was delivered by. */
  system: number;
  subtenantId: number;
  externalId: string | null;
  deliveredHash: Buffer;
  messageId: string;
};

/** What was delivered: the mapped document, and the settings that turned it into a request. Not their version, which a pause moves on, too. */
export function deliveryHash({ settings }: Point, mappedDocument: string): Buffer {
  return sha256(`${JSON.stringify(settings)} ${mappedDocument}`);
}

// Lateral, because a join of the two lists would be planned for the empty table and read all of a tenant's items.
const findSql = `
  select wanted.*, item.*
  from unnest($2::integer[], $3::text[], $4::text[]) as wanted ("integrationPointId", "entityType", key)
  cross join lateral (
    select external_id as "externalId", delivered_hash as "deliveredHash", message_id::text as "messageId"
    from hub.external_item
    where tenant_id = $1 and integration_point_id = wanted."integrationPointId" and entity_type = wanted."entityType" and business_key = wanted.key
    offset 0
  ) item`;

/** The external items of the given keys in their order; null where the target has never been told of the object. */
export async function findExternalItems(
  client: pg.ClientBase,
  tenantId: number,
  keys: ExternalItemKey[],
): Promise<(ExternalItem | null)[]> {
  const { rows } = await client.query<ExternalItemKey & ExternalItem>({
    name: "external-items-find",
    text: findSql,
    values: [
      tenantId,
      keys.map(({ integrationPointId }) => integrationPointId),
      keys.map(({ entityType }) => entityType),
      keys.map(({ key }) => key),
    ],
  });
  const found = new Map(rows.map((row) => [itemIdOf(row), row]));
  return keys.map((key) => found.get(itemIdOf(key)) ?? null);
}

const ownerSql = `
  select business_key as key from hub.external_item
  where tenant_id = $1 and integration_point_id = $2 and entity_type = $3 and external_id = $4 and business_key <> $5 limit 1`;

/** Another key that the target knows by this id of its own; null where there is none. */
export async function findOtherKey(
  client: pg.ClientBase,
  tenantId: number,
  { integrationPointId, entityType, key }: ExternalItemKey,
  externalId: string,
): Promise<string | null> {
  const { rows } = await client.query<{ key: string }>(ownerSql, [tenantId, integrationPointId, entityType, externalId, key]);
  return rows[0]?.key ?? null;
}

// Sorted, so that two workers that remember the same objects cannot dead-lock. What a system knew that the address leads to no more is not kept.
const storeSql = `
  insert into hub.external_item as item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id)
  select $1, told.point_id, told.type, told.key, told.subtenant_id, told.external_id, told.hash, told.message_id
  from unnest($2::integer[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::bytea[], $8::bigint[], $9::integer[])
    as told (point_id, type, key, subtenant_id, external_id, hash, message_id, system)
  join hub.integration_point point on point.tenant_id = $1 and point.id = told.point_id and point.system = told.system
  order by 2, 3, 4
  on conflict (tenant_id, integration_point_id, entity_type, business_key) do update
  set external_id = coalesce(excluded.external_id, item.external_id), delivered_hash = excluded.delivered_hash, message_id = excluded.message_id,
    delivered_at = excluded.delivered_at`;

/**
 * What systems tell is kept under this name beside others, and alone by whoever turns an address to another system: what the former one told is either
 * there to be removed, or not kept any more. Whoever holds a queue's shards as well took them before.
 */
export const systemsOf = (tenantId: number): string => `systems of ${tenantId}`;

export async function storeDeliveries(client: pg.ClientBase, tenantId: number, deliveries: CompletedDelivery[]): Promise<void> {
  // One statement cannot write a row twice; of several deliveries of one object the last one stands.
  const last = [...new Map(deliveries.map((delivery) => [itemIdOf(delivery), delivery])).values()];
  const store = {
    name: "external-items-store",
    text: storeSql,
    values: [
      tenantId,
      last.map(({ integrationPointId }) => integrationPointId),
      last.map(({ entityType }) => entityType),
      last.map(({ key }) => key),
      last.map(({ subtenantId }) => subtenantId),
      last.map(({ externalId }) => externalId),
      last.map(({ deliveredHash }) => deliveredHash),
      last.map(({ messageId }) => messageId),
      last.map(({ system }) => system),
    ],
  };
  await inOrder([besideOthers(client, systemsOf(tenantId)), client.query(store)]);
}
