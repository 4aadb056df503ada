import { EntityType, type ExternalItem, type ExternalItemKey, type Routes } from "@crossdock/contract";
import { inPortions, type CheckCount } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import { IdCursor, pageAfter, readCursor, writeCursor } from "../api/cursors.ts";
import { itemIdOf } from "./item-id.ts";
import { keyRange } from "../key-range.ts";
import type { Permitted } from "../messages/filter.ts";
import type { ScanPlace, ScanStep } from "../api/scanning.ts";

export type Filter = Permitted<z.output<NonNullable<Routes["countExternalItems"]["query"]>>>;
type Query = Permitted<z.output<NonNullable<Routes["listExternalItems"]["query"]>>>;
type Page = { items: ExternalItem[]; nextCursor: string | null };

// The business object behind an item as it is now. A test system gets real ones, too: of a real and a test object with the same key it has the one
// that changed last.
const entityOf = (environment: string): string => `(
  select * from hub.entity own
  where own.tenant_id = item.tenant_id and own.subtenant_id = item.subtenant_id and own.entity_type = item.entity_type
    and own.business_key = item.business_key and (${environment} = 'development' or not own.is_development)
  order by own.changed_at desc, own.is_development desc limit 1) entity`;
const shared = `
  item.integration_point_id as "integrationPointId", point.code as "integrationPointCode", point.name as "integrationPointName", point.connector,
  subtenant.code as "subtenantCode", item.entity_type as "entityType", item.business_key as key, item.external_id as "externalId",
  encode(item.delivered_hash, 'hex') as hash, item.message_id::text as "messageId", queue.iso(item.delivered_at) as "deliveredAt",
  (select queue.iso(entity.deleted_at) from ${entityOf("point.environment")}) as "deletedAt"`;
const joined = `
  join hub.integration_point point on point.tenant_id = item.tenant_id and point.id = item.integration_point_id
  join hub.subtenant on subtenant.tenant_id = item.tenant_id and subtenant.id = item.subtenant_id`;
const keyCondition =
  "($6::text is null or item.business_key >= $6 and item.business_key < $7) and ($13::text[] is null or item.business_key = any($13))";
const externalIdCondition = "($8::text is null or item.external_id >= $8 and item.external_id < $9)";
const deliveredCondition =
  "($11::timestamptz is null or item.delivered_at >= $11) and ($12::timestamptz is null or item.delivered_at < $12)";
const payloadCondition = (path: string): string => `(${path}::jsonpath is null or exists (
  select from hub.integration_point known
  cross join lateral ${entityOf("known.environment")}
  join hub.entity_version version on version.tenant_id = $1 and version.subtenant_id = entity.subtenant_id and version.entity_type = entity.entity_type
    and version.business_key = entity.business_key and version.is_development = entity.is_development and version.version = entity.version
  where known.tenant_id = $1 and known.id = item.integration_point_id and jsonb_path_exists(version.document::jsonb, ${path}, '{}', true)))`;

// Integration point by point and type by type, each in the order of an index: that of the key, or with an external id its own. The order
// of the whole is that of the places, so the first rows are the page. $14 to $17: the last row's place.
const foundSql = (order: Order): string => `
  select item.* from (
    select point.id, kind.entity_type from hub.integration_point point
    join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
    cross join unnest($5::text[]) kind (entity_type)
    where point.tenant_id = $1 and ($3::text is null or subtenant.code = $3) and ($4::integer is null or point.id = $4)
      and ($14::integer is null or (point.id, kind.entity_type) >= ($14, $15::text))
    order by point.id, kind.entity_type
  ) place cross join lateral (
    select * from hub.external_item item
    where item.tenant_id = $1 and item.integration_point_id = place.id and item.entity_type = place.entity_type
      and ($14::integer is null or (place.id, place.entity_type) > ($14, $15::text) or (item.${order}, item.business_key) > ($16, $17))
      and ${keyCondition} and ${externalIdCondition} and ${deliveredCondition} and ${payloadCondition("$10")}
    order by item.${order}, item.business_key limit $2
  ) item
  limit $2`;

const Cursor = z.tuple([z.int(), z.string(), z.string(), z.string()]);
type Place = z.output<typeof Cursor>;

function valuesOf(tenantId: number, limit: number, filter: Filter, place: Place | null): unknown[] {
  const {
    subtenant = null,
    integrationPointId = null,
    entityType,
    key = null,
    keyPrefix,
    externalId,
    payload,
    from = null,
    to = null,
  } = filter;
  const types: EntityType[] = entityType === undefined ? [...EntityType.options].toSorted() : [entityType];
  return [
    tenantId,
    limit,
    subtenant,
    integrationPointId,
    types,
    ...keyRange(keyPrefix),
    ...keyRange(externalId),
    payload?.path ?? null,
    from,
    to,
    key,
    ...(place ?? [null, null, null, null]),
  ];
}

type Order = "business_key" | "external_id";
const orderOf = ({ externalId }: Filter): Order => (externalId === undefined ? "business_key" : "external_id");

export async function listExternalItems(
  client: pg.ClientBase,
  tenantId: number,
  { cursor, limit, removed, ...filter }: Query,
): Promise<Page> {
  if (removed === true) return listRemoved(client, tenantId, filter, readCursor(IdCursor, cursor)?.id ?? null, limit);
  const order = orderOf(filter);
  const { rows } = await client.query<Omit<ExternalItem, "id">>(
    `select ${columns} from (${foundSql(order)}) item ${joined} order by ${inOrder(order)}`,
    valuesOf(tenantId, limit + 1, filter, readCursor(Cursor, cursor)),
  );
  return pageAfter(rows.map(withId), limit, (last) => placeOf(last, order));
}

const columns = `${shared}, null as "removedAt", null as "removedBy"`;
const withId = (row: Omit<ExternalItem, "id">): ExternalItem => ({ id: itemIdOf(row), ...row });
const inOrder = (order: Order): string => `item.integration_point_id, item.entity_type, item.${order}, item.business_key`;

function placeOf(
  { integrationPointId, entityType, key, externalId }: Pick<ExternalItem, keyof ExternalItemKey | "externalId">,
  order: Order,
) {
  return [integrationPointId, entityType, order === "business_key" ? key : (externalId ?? ""), key];
}

/** What matches of the next `size` items, in the order of the list. */
export async function lookAtExternalItems(
  client: pg.ClientBase,
  tenantId: number,
  { payload, removed, ...filter }: Filter & { removed?: boolean | undefined },
  { cursor, size, limit }: ScanPlace,
): Promise<ScanStep<ExternalItem>> {
  if (removed === true) return lookAtRemoved(client, tenantId, { payload, ...filter }, { cursor, size, limit });
  const order = orderOf(filter);
  const values = valuesOf(tenantId, size, filter, readCursor(Cursor, cursor));
  const end = await client.query<Pick<ExternalItem, keyof ExternalItemKey | "externalId">>(
    `select item.integration_point_id as "integrationPointId", item.entity_type as "entityType", item.business_key as key, item.external_id as "externalId"
     from (${foundSql(order)}) item offset $2 - 1`,
    values,
  );
  const { rows } = await client.query<Omit<ExternalItem, "id">>(
    `with looked as materialized (${foundSql(order)}), found as materialized (select * from looked item where ${payloadCondition("$18")} limit $19)
     select ${columns} from found item ${joined} order by ${inOrder(order)}`,
    [...values, payload?.path ?? null, limit],
  );
  const last = rows.length === limit ? rows.at(-1) : end.rows[0];
  return { items: rows.map(withId), cursor: last ? writeCursor(placeOf(last, order)) : null, searchedTo: last?.key ?? null };
}

async function lookAtRemoved(
  client: pg.ClientBase,
  tenantId: number,
  { payload, ...filter }: Filter,
  { cursor, size, limit }: ScanPlace,
): Promise<ScanStep<ExternalItem>> {
  const before = readCursor(IdCursor, cursor)?.id ?? null;
  const values = [...valuesOf(tenantId, size, filter, null).slice(0, 13), before];
  const sql = `select item.id::text, item.business_key as key from (${foundRemovedSql}) item order by item.id desc offset $2 - 1`;
  const end = await client.query<{ id: string; key: string }>(sql, values);
  const { rows: items } = await client.query<ExternalItem>(
    `with looked as materialized (${foundRemovedSql})
     select ${removedColumns} from looked item ${joined} where ${payloadCondition("$15")} order by item.id desc limit $16`,
    [...values, payload?.path ?? null, limit],
  );
  const last = items.length === limit ? items.at(-1) : end.rows[0];
  return { items, cursor: last ? writeCursor({ id: last.id }) : null, searchedTo: last?.key ?? null };
}

const removedColumns = `item.id::text, ${shared}, queue.iso(item.removed_at) as "removedAt", item.removed_by as "removedBy"`;
const foundRemovedSql = `
  select item.* from hub.external_item_removed item ${joined}
  where item.tenant_id = $1 and ($3::text is null or subtenant.code = $3) and ($4::integer is null or item.integration_point_id = $4)
    and item.entity_type = any($5::text[]) and ${keyCondition} and ${externalIdCondition} and ${deliveredCondition} and ${payloadCondition("$10")}
    and ($14::bigint is null or item.id < $14)
  order by item.id desc limit $2`;
const removedSql = `select ${removedColumns} from (${foundRemovedSql}) item ${joined} order by item.id desc`;

async function listRemoved(client: pg.ClientBase, tenantId: number, filter: Filter, before: string | null, limit: number): Promise<Page> {
  const values = valuesOf(tenantId, limit + 1, filter, null).slice(0, 13);
  const { rows } = await client.query<ExternalItem>(removedSql, [...values, before]);
  return pageAfter(rows, limit, ({ id }) => ({ id }));
}

/** Exact up to `cap`. */
export async function countExternalItems(client: pg.ClientBase, tenantId: number, filter: Filter, cap: number): Promise<number> {
  const sql = `select count(*)::integer as count from (${foundSql(orderOf(filter))}) found`;
  return (await client.query<{ count: number }>(sql, valuesOf(tenantId, cap, filter, null))).rows[0]?.count ?? 0;
}

/** Those that match, up to `limit`, counted for `check` first, a portion at a time. */
export function findMatching(
  client: pg.ClientBase,
  tenantId: number,
  filter: Filter,
  limit: number,
  check?: CheckCount,
): AsyncGenerator<ExternalItemKey[], void> {
  return inPortions(
    client,
    `select integration_point_id as "integrationPointId", entity_type as "entityType", business_key as key from (${foundSql(orderOf(filter))}) item`,
    valuesOf(tenantId, limit, filter, null),
    check,
  );
}

/** Those of the removed that match, under the numbers by which they are restored, counted for `check` first, a portion at a time. */
export function findRemoved(
  client: pg.ClientBase,
  tenantId: number,
  filter: Filter,
  limit: number,
  check: CheckCount,
): AsyncGenerator<RemovedItem[], void> {
  const values = [...valuesOf(tenantId, limit, filter, null).slice(0, 13), null];
  const sql = `select id, "integrationPointId", "entityType", key from (${removedSql}) found order by id::bigint`;
  return inPortions(client, sql, values, check);
}

const namedRemovedSql = `
  select id::text, integration_point_id as "integrationPointId", entity_type as "entityType", business_key as key
  from hub.external_item_removed where tenant_id = $1 and id = any($2::bigint[]) order by external_item_removed.id`;

/** The removed ones of these numbers. */
export async function findNamedRemoved(client: pg.ClientBase, tenantId: number, ids: readonly string[]): Promise<RemovedItem[]> {
  return (await client.query<RemovedItem>(namedRemovedSql, [tenantId, ids])).rows;
}

// Locked in the order in which deliveries write them, so that the two wait for each other instead of dead-locking.
const removeSql = `
  with own as materialized (
    select item.* from (
      select distinct * from unnest($2::integer[], $3::text[], $4::text[]) as input (integration_point_id, entity_type, business_key) order by 1, 2, 3
    ) wanted
    cross join lateral (
      select * from hub.external_item item
      where item.tenant_id = $1 and item.integration_point_id = wanted.integration_point_id and item.entity_type = wanted.entity_type
        and item.business_key = wanted.business_key
        and ($6::integer is null or coalesce(item.delivered_at, item.created_at) < (select started_at from hub.job where tenant_id = $1 and id = $6))
      for update
    ) item
  ), gone as (
    delete from hub.external_item item using own
    where item.tenant_id = $1 and item.integration_point_id = own.integration_point_id and item.entity_type = own.entity_type
      and item.business_key = own.business_key
  )
  insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash,
    message_id, delivered_at, created_at, removed_by)
  select tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id, delivered_at, created_at,
    $5
  from own returning id::text, integration_point_id as "integrationPointId", entity_type as "entityType", business_key as key`;

/** `id`: the number that its removal gave it. */
export type RemovedItem = ExternalItemKey & { id: string };

/** `undoOf`: the job that put them back, where that is taken back: what was made or delivered since is newer, and stays. */
export async function removeItems(
  client: pg.ClientBase,
  tenantId: number,
  items: ExternalItemKey[],
  by: string,
  undoOf: number | null = null,
): Promise<RemovedItem[]> {
  const columns = [items.map((item) => item.integrationPointId), items.map((item) => item.entityType), items.map(({ key }) => key)];
  return (await client.query<RemovedItem>(removeSql, [tenantId, ...columns, by, undoOf])).rows;
}

const restoreSql = `
  with back as (
    delete from hub.external_item_removed where tenant_id = $1 and id = any($2::bigint[]) returning *
  ), put as (
    insert into hub.external_item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id,
      delivered_at, created_at)
    select distinct on (integration_point_id, entity_type, business_key) tenant_id, integration_point_id, entity_type, business_key, subtenant_id,
      external_id, delivered_hash, message_id, delivered_at, created_at
    from back order by integration_point_id, entity_type, business_key, id desc
    on conflict do nothing
    returning integration_point_id, entity_type, business_key
  )
  select back.id::text, put.business_key is not null
      and back.id = max(back.id) over (partition by back.integration_point_id, back.entity_type, back.business_key) as "isRestored"
  from back left join put using (integration_point_id, entity_type, business_key)`;

/** Tells of each that was removed whether it is back: what a delivery has made anew since is newer, and stays. */
export async function restoreItems(client: pg.ClientBase, tenantId: number, ids: string[]): Promise<{ id: string; isRestored: boolean }[]> {
  return (await client.query<{ id: string; isRestored: boolean }>(restoreSql, [tenantId, ids])).rows;
}
