import type { Mapping, MappingContent, Routes } from "@crossdock/contract";
import type pg from "pg";
import type { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { IndexedMapping } from "../intake/mapping-index.ts";
import { findSubtenantId } from "../subtenants/codes.ts";

const columns = `
  mapping.id, subtenant.code as "subtenantCode", mapping.field_name as "fieldName", mapping.source, mapping.source_value as "sourceValue",
  mapping.target, mapping.target_value as "targetValue", mapping.version, queue.iso(mapping.changed_at) as "changedAt"`;
const joined = `hub.mapping left join hub.subtenant on subtenant.tenant_id = mapping.tenant_id and subtenant.id = mapping.subtenant_id`;
const matching = `
  mapping.tenant_id = $1 and ($2::text is null or mapping.field_name = $2)
  and ($3::text is null or position(lower($3) in lower(concat_ws(' ', field_name, source, source_value, target, target_value))) > 0)
  and ($4::text is null or mapping.source = $4) and ($5::text is null or mapping.target = $5)
  and ($6::text is null or mapping.subtenant_id is null or subtenant.code = $6)`;

type Filter = z.output<NonNullable<Routes["countMappings"]["query"]>>;

const filterValues = (tenantId: number, { fieldName, search, source, target, subtenant }: Filter): unknown[] => [
  tenantId,
  fieldName ?? null,
  search ?? null,
  source ?? null,
  target ?? null,
  subtenant ?? null,
];

// In the order of the id, newest first: it is stable while people edit.
const listSql = `select ${columns} from ${joined} where ${matching} and ($7::integer is null or mapping.id < $7) order by mapping.id desc limit $8`;

export async function listMappings(
  client: pg.ClientBase,
  tenantId: number,
  filter: Filter,
  before: number | null,
  limit: number,
): Promise<Mapping[]> {
  return (await client.query<Mapping>(listSql, [...filterValues(tenantId, filter), before, limit])).rows;
}

const countSql = `select count(*)::integer as count from (select from ${joined} where ${matching} limit $7) found`;

export async function countMappings(client: pg.ClientBase, tenantId: number, filter: Filter, cap: number): Promise<number> {
  return (await client.query<{ count: number }>(countSql, [...filterValues(tenantId, filter), cap])).rows[0]?.count ?? 0;
}

const findSql = `select ${columns} from ${joined} where mapping.tenant_id = $1 and mapping.id = any($2::integer[])`;

export async function findMappings(client: pg.ClientBase, tenantId: number, ids: readonly number[]): Promise<Mapping[]> {
  return (await client.query<Mapping>(findSql, [tenantId, ids])).rows;
}

/** When two people change mappings at the same time the second waits, so that what was checked still holds when it is written. */
export async function lockMappings(client: pg.ClientBase, tenantId: number): Promise<void> {
  await client.query("select from hub.tenant where id = $1 for no key update", [tenantId]);
}

/** A mapping as a delivery applies it. */
export type MappingRow = IndexedMapping & { id: number };

const allSql = `
  select id, subtenant_id as "subtenantId", field_name as "fieldName", source, source_value as "sourceValue", target, target_value as "targetValue"
  from hub.mapping where tenant_id = $1 order by subtenant_id nulls first, id`;

/** All mappings of the tenant, those of a subtenant last, as deliveries let the later one win. */
export async function readAllMappings(client: pg.ClientBase, tenantId: number): Promise<MappingRow[]> {
  return (await client.query<MappingRow>(allSql, [tenantId])).rows;
}

/** What a mapping says, checked or as it is stored. */
export type StoredContent = Pick<Mapping, keyof MappingContent>;

const contentOf = (content: StoredContent): unknown[] => [
  content.fieldName,
  content.source,
  content.sourceValue,
  content.target,
  content.targetValue,
];

const insertSql = `
  insert into hub.mapping (tenant_id, subtenant_id, field_name, source, source_value, target, target_value)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`;

/** Throws already-exists when the value has a mapping, unknown-subtenant. */
export async function insertMapping(client: pg.ClientBase, tenantId: number, content: StoredContent): Promise<number> {
  const subtenantId = await subtenantIdOf(client, tenantId, content.subtenantCode);
  const { rows } = await client.query<{ id: number }>(insertSql, [tenantId, subtenantId, ...contentOf(content)]);
  if (!rows[0]) throw alreadyMapped();
  return rows[0].id;
}

const updateSql = `
  update hub.mapping set subtenant_id = $3, field_name = $4, source = $5, source_value = $6, target = $7, target_value = $8,
    version = version + 1, changed_at = now()
  where tenant_id = $1 and id = $2
    and not exists (
      select from hub.mapping other where other.tenant_id = $1 and other.id <> $2 and other.subtenant_id is not distinct from $3
        and (other.field_name, other.source, other.source_value, other.target) = ($4, $5, $6, $7))`;

/** Throws already-exists when the value has another mapping, unknown-subtenant. Call under lockMappings. */
export async function updateMapping(client: pg.ClientBase, tenantId: number, id: number, content: StoredContent): Promise<void> {
  const subtenantId = await subtenantIdOf(client, tenantId, content.subtenantCode);
  const updated = await client.query(updateSql, [tenantId, id, subtenantId, ...contentOf(content)]);
  if (updated.rowCount === 0) throw alreadyMapped();
}

export async function removeMappings(client: pg.ClientBase, tenantId: number, ids: readonly number[]): Promise<number[]> {
  const sql = "delete from hub.mapping where tenant_id = $1 and id = any($2::integer[]) returning id";
  return (await client.query<{ id: number }>(sql, [tenantId, ids])).rows.map(({ id }) => id);
}

// The last thing that is known of each is its removal. The version number is one that nobody can hold a copy of.
const restoreSql = `
  insert into hub.mapping (tenant_id, id, version, subtenant_id, field_name, source, source_value, target, target_value)
  select $1, last.mapping_id, 1 + last.count, (last.before ->> 'subtenantId')::integer, last.before ->> 'fieldName', last.before ->> 'source',
    last.before ->> 'sourceValue', last.before ->> 'target', last.before ->> 'targetValue'
  from unnest($2::integer[]) wanted (id)
  cross join lateral (
    select mapping_id, before, after, count(*) over () as count from hub.mapping_change change
    where change.tenant_id = $1 and change.mapping_id = wanted.id order by change.version desc limit 1
  ) last
  where last.after is null
  on conflict do nothing returning id`;

export async function restoreMappings(client: pg.ClientBase, tenantId: number, ids: readonly number[]): Promise<number[]> {
  return (await client.query<{ id: number }>(restoreSql, [tenantId, ids])).rows.map(({ id }) => id);
}

const subtenantIdOf = async (client: pg.ClientBase, tenantId: number, code: string | null): Promise<number | null> =>
  code === null ? null : findSubtenantId(client, tenantId, code);

const alreadyMapped = (): ApiError => new ApiError("already-exists", because("value-mapped"));
