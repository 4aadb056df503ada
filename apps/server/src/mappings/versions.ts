import { mappingChangesMax, type MappingChange, type MappingVersion, type MappingVersionDetails } from "@crossdock/contract";
import type pg from "pg";
import { notFound } from "../errors/errors.ts";

const columns = `
  version.version, queue.iso(version.made_at) as "madeAt", version.made_by as "madeBy", version.reason, version.restored,
  changes.added, changes.changed, changes.removed`;
const counted = `
  hub.mapping_version version cross join lateral (
    select count(*) filter (where before is null)::integer as added, count(*) filter (where before is not null and after is not null)::integer as changed,
      count(*) filter (where after is null)::integer as removed
    from hub.mapping_change change where change.tenant_id = version.tenant_id and change.version = version.version
  ) changes`;

const listSql = `
  select ${columns} from ${counted} where version.tenant_id = $1 and ($2::integer is null or version.version < $2)
  order by version.version desc limit $3`;

export async function listVersions(
  client: pg.ClientBase,
  tenantId: number,
  before: number | null,
  limit: number,
): Promise<MappingVersion[]> {
  return (await client.query<MappingVersion>(listSql, [tenantId, before, limit])).rows;
}

/** SQL of a stored content with its subtenant's code. */
const contentSql = (content: string) => `
  case when ${content} is not null then ${content} || jsonb_build_object('subtenantCode', (
    select code from hub.subtenant where tenant_id = $1 and id = (${content} ->> 'subtenantId')::integer)) - 'subtenantId' end`;

const changesSql = `
  select mapping_id as "mappingId", ${contentSql("before")} as before, ${contentSql("after")} as after
  from hub.mapping_change where tenant_id = $1 and version = $2 order by mapping_id limit ${mappingChangesMax}`;

// What a mapping was in a version stands in the first change after it; where there is none it is what it is.
const differing = `
  select past.mapping_id, past.content as after, mapping.content as before
  from (
    select distinct on (mapping_id) mapping_id, before as content from hub.mapping_change
    where tenant_id = $1 and version > $2 order by mapping_id, version
  ) past
  left join lateral (
    select hub.mapping_content(subtenant_id, field_name, source, source_value, target, target_value) as content
    from hub.mapping where mapping.tenant_id = $1 and mapping.id = past.mapping_id
  ) mapping on true
  where past.content is distinct from mapping.content`;

const toRestoreSql = `
  select mapping_id as "mappingId", ${contentSql("before")} as before, ${contentSql("after")} as after, count(*) over ()::integer as total
  from (${differing}) change order by mapping_id limit ${mappingChangesMax}`;

/** Throws not-found. */
export async function readVersion(client: pg.ClientBase, tenantId: number, version: number): Promise<MappingVersionDetails> {
  const sql = `select ${columns} from ${counted} where version.tenant_id = $1 and version.version = $2`;
  const [found] = (await client.query<MappingVersion>(sql, [tenantId, version])).rows;
  if (!found) throw notFound();
  // Read first: what is changed while the rest is read makes it an old one, which is refused.
  const current = await currentVersion(client, tenantId);
  const changes = await client.query<MappingChange>(changesSql, [tenantId, version]);
  return { ...found, currentVersion: current, changes: changes.rows, ...(await readToRestore(client, tenantId, version)) };
}

type ToRestore = Pick<MappingVersionDetails, "toRestore" | "toRestoreCount">;

/** What restoring a version would change; it is not looked for. */
export async function readToRestore(client: pg.ClientBase, tenantId: number, version: number): Promise<ToRestore> {
  const { rows } = await client.query<MappingChange & { total: number }>(toRestoreSql, [tenantId, version]);
  return { toRestore: rows.map(({ mappingId, before, after }) => ({ mappingId, before, after })), toRestoreCount: rows[0]?.total ?? 0 };
}

const differingIdsSql = `select mapping_id as id, after from (${differing}) change`;
const removeSql = "delete from hub.mapping where tenant_id = $1 and id = any($2::integer[])";
// A version number that nobody can hold a copy of.
const putSql = `
  insert into hub.mapping (tenant_id, id, version, subtenant_id, field_name, source, source_value, target, target_value)
  select $1, id, 1 + (select count(*) from hub.mapping_change change where change.tenant_id = $1 and change.mapping_id = past.id),
    (content ->> 'subtenantId')::integer, content ->> 'fieldName', content ->> 'source', content ->> 'sourceValue', content ->> 'target',
    content ->> 'targetValue'
  from unnest($2::integer[], $3::jsonb[]) past (id, content)`;

/** Restores the set of a version. Returns how many mappings that changed. Call under lockMappings. */
export async function restoreVersion(client: pg.ClientBase, tenantId: number, version: number): Promise<number> {
  const { rows } = await client.query<{ id: number; after: object | null }>(differingIdsSql, [tenantId, version]);
  // The old rows are removed first, as a restored one may need the place of one that is there.
  await client.query(removeSql, [tenantId, rows.map(({ id }) => id)]);
  const back = rows.filter(({ after }) => after !== null);
  await client.query(putSql, [tenantId, back.map(({ id }) => id), back.map(({ after }) => JSON.stringify(after))]);
  return rows.length;
}

const currentSql = "select coalesce(max(version), 0) as version from hub.mapping_version where tenant_id = $1";

export async function currentVersion(client: pg.ClientBase, tenantId: number): Promise<number> {
  return (await client.query<{ version: number }>(currentSql, [tenantId])).rows[0]?.version ?? 0;
}
