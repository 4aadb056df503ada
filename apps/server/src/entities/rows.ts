import { EntityType, type Entity, type EntityVersion, type Routes } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import { capped, countMax } from "../api/capped-count.ts";
import { pageAfter, readCursor, writeCursor } from "../api/cursors.ts";
import { keyRange } from "../key-range.ts";
import type { Permitted } from "../messages/filter.ts";
import type { ScanPlace, ScanStep } from "../api/scanning.ts";

type Query = Permitted<z.output<NonNullable<Routes["listEntities"]["query"]>>>;
type Page = { items: Entity[]; nextCursor: string | null };
/** What names one object. */
export type EntityName = { subtenant: string; entityType: EntityType; key: string; isDevelopment: boolean };

// An object's own time of change has no index, which every change would have to keep up. When a type was last heard of is what its newest
// external message says, found by integration point and type.
const typesSql = `
  select kind.entity_type as "entityType", counted.count::integer, queue.iso(heard.received_at) as "heardOfAt"
  from unnest($2::text[]) with ordinality kind (entity_type, place)
  cross join lateral (
    select count(*) from (
      select from hub.subtenant cross join lateral (
        select from hub.entity where entity.tenant_id = $1 and entity.subtenant_id = subtenant.id and entity.entity_type = kind.entity_type limit $4
      ) entity
      where subtenant.tenant_id = $1 and ($3::text is null or subtenant.code = $3) limit $4
    ) found
  ) counted
  left join lateral (
    select newest.received_at
    from hub.integration_point point
    join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
    cross join lateral (
      select id, received_at from hub.external_message message
      where message.tenant_id = $1 and message.integration_point_id = point.id and message.entity_type = kind.entity_type and message.removed_at is null
      order by id desc limit 1
    ) newest
    where point.tenant_id = $1 and ($3::text is null or subtenant.code = $3)
    order by newest.id desc limit 1
  ) heard on true
  order by kind.place`;

export async function listEntityTypes(client: pg.ClientBase, tenantId: number, subtenant: string | null) {
  const { rows } = await client.query<{ entityType: EntityType; count: number; heardOfAt: string | null }>(typesSql, [
    tenantId,
    EntityType.options,
    subtenant,
    countMax + 1,
  ]);
  return rows.map(({ count, ...type }) => ({ ...type, count: capped(count) }));
}

const columns = `
  subtenant.code || ' ' || entity.is_development || ' ' || entity.entity_type || ' ' || entity.business_key as id, subtenant.code as "subtenantCode",
  entity.entity_type as "entityType", entity.business_key as key, entity.is_development as "isDevelopment", entity.version, point.connector as source,
  queue.iso(entity.changed_at) as "changedAt", queue.iso(entity.deleted_at) as "deletedAt"`;
const isNewest = `version.tenant_id = $1 and version.subtenant_id = entity.subtenant_id and version.entity_type = entity.entity_type
    and version.business_key = entity.business_key and version.is_development = entity.is_development and version.version = entity.version`;
// The entity's own integration point is the one that told of it last, maybe what was known already.
const newestJoin = `
  cross join lateral (select integration_point_id, document, external_message_id from hub.entity_version version where ${isNewest}) version
  join hub.integration_point point on point.tenant_id = $1 and point.id = version.integration_point_id`;

const payloadCondition = (path: string): string => `(${path}::jsonpath is null or exists (
  select from hub.entity_version version where ${isNewest} and jsonb_path_exists(version.document::jsonb, ${path}, '{}', true)))`;

// Subtenant by subtenant in the order of the primary key, so the first rows are the page. $7 to $9: the last row's place.
const foundSql = `
  select entity.*
  from (select id from hub.subtenant where tenant_id = $1 and ($4::text is null or code = $4) and ($7::integer is null or id >= $7) order by id) subtenant
  cross join lateral (
    select * from hub.entity
    where entity.tenant_id = $1 and entity.subtenant_id = subtenant.id and entity.entity_type = $3
      and ($5::text is null or entity.business_key >= $5 and entity.business_key < $6)
      and ($7::integer is null or subtenant.id > $7 or (entity.business_key, entity.is_development) > ($8, $9::boolean))
      and ($10::text is null or exists (select from hub.entity_version version
        join hub.integration_point own on own.tenant_id = $1 and own.id = version.integration_point_id and own.connector = $10 where ${isNewest}))
      and ($11::timestamptz is null or entity.changed_at >= $11) and ($12::timestamptz is null or entity.changed_at < $12)
      and ${payloadCondition("$13")} and ($14::text[] is null or entity.business_key = any($14))
    order by entity.business_key, entity.is_development limit $2
  ) entity
  limit $2`;
const joined = `join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = entity.subtenant_id ${newestJoin}`;
const inOrder = "entity.subtenant_id, entity.business_key, entity.is_development";
const listSql = `select ${columns} from (${foundSql}) entity ${joined} order by ${inOrder}`;

const Cursor = z.tuple([z.string(), z.string(), z.boolean()]);
type Place = Pick<Entity, "subtenantCode" | "key" | "isDevelopment">;
const placeOf = ({ subtenantCode, key, isDevelopment }: Place) => [subtenantCode, key, isDevelopment];

export async function listEntities(client: pg.ClientBase, tenantId: number, query: Query): Promise<Page> {
  const { limit } = query;
  const { rows } = await client.query<Entity>(listSql, await filterValues(client, tenantId, query, limit + 1));
  return pageAfter(rows, limit, placeOf);
}

/** What matches of the next `size` objects, in the order of the list. */
export async function lookAtEntities(
  client: pg.ClientBase,
  tenantId: number,
  { payload, ...filter }: Omit<Query, "limit" | "cursor">,
  { cursor, size, limit }: ScanPlace,
): Promise<ScanStep<Entity>> {
  const values = await filterValues(client, tenantId, { ...filter, cursor }, size);
  const end = await client.query<Place>(
    `select subtenant.code as "subtenantCode", entity.business_key as key, entity.is_development as "isDevelopment"
     from (select * from (${foundSql}) found offset $2 - 1) entity join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = entity.subtenant_id`,
    values,
  );
  const { rows: items } = await client.query<Entity>(
    `with looked as materialized (${foundSql}), found as materialized (select * from looked entity where ${payloadCondition("$15")} limit $16)
     select ${columns} from found entity ${joined} order by ${inOrder}`,
    [...values, payload?.path ?? null, limit],
  );
  const last = items.length === limit ? items.at(-1) : end.rows[0];
  return { items, cursor: last ? writeCursor(placeOf(last)) : null, searchedTo: last?.key ?? null };
}

async function filterValues(client: pg.ClientBase, tenantId: number, query: Omit<Query, "limit">, limit: number): Promise<unknown[]> {
  const { entityType, subtenant = null, key = null, keyPrefix, source = null, from = null, to = null, payload } = query;
  const [code, ...place] = readCursor(Cursor, query.cursor) ?? [null, null, null];
  const found = await client.query<{ id: number }>("select id from hub.subtenant where tenant_id = $1 and code = $2", [tenantId, code]);
  const after = [found.rows[0]?.id ?? null, ...place];
  return [tenantId, limit, entityType, subtenant, ...keyRange(keyPrefix), ...after, source, from, to, payload?.path ?? null, key];
}

const documentsSql = `
  select wanted.id, version.document
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::integer[]) wanted (id, code, entity_type, business_key, is_development, version)
  join hub.subtenant on subtenant.tenant_id = $1 and subtenant.code = wanted.code
  cross join lateral (
    select document from hub.entity_version own
    where own.tenant_id = $1 and own.subtenant_id = subtenant.id and own.entity_type = wanted.entity_type and own.business_key = wanted.business_key
      and own.is_development = wanted.is_development and own.version = wanted.version offset 0
  ) version`;

/** The documents of a list's rows, by their ids. */
export async function readEntityDocuments(
  client: pg.ClientBase,
  tenantId: number,
  entities: readonly Entity[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; document: string }>(documentsSql, [
    tenantId,
    entities.map(({ id }) => id),
    entities.map(({ subtenantCode }) => subtenantCode),
    entities.map(({ entityType }) => entityType),
    entities.map(({ key }) => key),
    entities.map(({ isDevelopment }) => isDevelopment),
    entities.map(({ version }) => version),
  ]);
  return new Map(rows.map(({ id, document }) => [id, document]));
}

const getSql = `
  select ${columns}, entity.subtenant_id as "subtenantId", version.integration_point_id as "integrationPointId", entity.source_version::text as "sourceVersion",
    version.document, version.external_message_id::text as "externalMessageId"
  from hub.entity
  join hub.subtenant on subtenant.tenant_id = entity.tenant_id and subtenant.id = entity.subtenant_id ${newestJoin}
  where entity.tenant_id = $1 and subtenant.code = $2 and entity.entity_type = $3 and entity.business_key = $4 and entity.is_development = $5`;

// A statement of its own: what was waited for has a version that it does not see yet.
const lockSql = `
  select from hub.entity join hub.subtenant on subtenant.tenant_id = entity.tenant_id and subtenant.id = entity.subtenant_id
  where entity.tenant_id = $1 and subtenant.code = $2 and entity.entity_type = $3 and entity.business_key = $4 and entity.is_development = $5
  for no key update of entity`;

export type CurrentEntity = Entity & {
  subtenantId: number;
  integrationPointId: number;
  sourceVersion: string | null;
  document: string;
  externalMessageId: string;
};

/** `lock`: as intake locks it, so that what is published meanwhile follows in the order of versions. Null when there is none of this name. */
export async function findEntity(
  client: pg.ClientBase,
  tenantId: number,
  { subtenant, entityType, key, isDevelopment }: EntityName,
  lock = false,
): Promise<CurrentEntity | null> {
  const values = [tenantId, subtenant, entityType, key, isDevelopment];
  if (lock) await client.query(lockSql, values);
  return (await client.query<CurrentEntity>(getSql, values)).rows[0] ?? null;
}

const named = `
  where version.tenant_id = $1 and version.subtenant_id = (select id from hub.subtenant where tenant_id = $1 and code = $2)
    and version.entity_type = $3 and version.business_key = $4 and version.is_development = $5`;
const versionsSql = `
  select version.version, point.connector as source, message.id::text as "externalMessageId", queue.iso(version.created_at) as "createdAt"
  from (select * from hub.entity_version version ${named} order by version.version desc limit 100) version
  join hub.integration_point point on point.tenant_id = version.tenant_id and point.id = version.integration_point_id
  left join lateral (
    select id from hub.external_message message where message.tenant_id = $1 and message.id = version.external_message_id offset 0
  ) message on true
  order by version.version desc`;

export async function listVersions(client: pg.ClientBase, tenantId: number, name: EntityName): Promise<EntityVersion[]> {
  return (await client.query<EntityVersion>(versionsSql, [tenantId, ...valuesOf(name)])).rows;
}

export async function findVersion(client: pg.ClientBase, tenantId: number, name: EntityName, version: number): Promise<string | null> {
  const sql = `select document from hub.entity_version version ${named} and version.version = $6`;
  return (await client.query<{ document: string }>(sql, [tenantId, ...valuesOf(name), version])).rows[0]?.document ?? null;
}

function valuesOf({ subtenant, entityType, key, isDevelopment }: EntityName): unknown[] {
  return [subtenant, entityType, key, isDevelopment];
}
