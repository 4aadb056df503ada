import type pg from "pg";

/** An object as it is now. */
type CurrentObject = {
  key: string;
  isDevelopment: boolean;
  version: number;
  sourceVersion: string | null;
  /** The integration point that brought in its newest version. */
  pointId: number;
  document: string;
  originId: string;
};

type Place = { tenantId: number; subtenantId: number; entityType: string };

const columns = `
  entity.business_key as key, entity.is_development as "isDevelopment", entity.version, entity.source_version::text as "sourceVersion",
  version.integration_point_id as "pointId", version.document, version.external_message_id::text as "originId"`;
const newest = `
  cross join lateral (
    select integration_point_id, document, external_message_id from hub.entity_version version
    where version.tenant_id = $1 and version.subtenant_id = entity.subtenant_id and version.entity_type = entity.entity_type
      and version.business_key = entity.business_key and version.is_development = entity.is_development and version.version = entity.version
  ) version`;

/** Documents are read until they have this many bytes, as a whole page of large ones may take more memory than the process has. */
const bytesMax = 8 * 1024 * 1024;

// Of a real object and a test object with the same key, the one that changed last counts, as for a test system that gets both.
const pageSql = `
  select * from (
    select ${columns}, count(*) over ()::integer as found,
      sum(octet_length(version.document)) over (order by entity.business_key) - octet_length(version.document) as "bytesBefore"
    from (
      select distinct on (business_key) * from hub.entity
      where tenant_id = $1 and subtenant_id = $2 and entity_type = $3 and ($4::text is null or business_key > $4) and ($5 or not is_development)
      order by business_key, changed_at desc limit $6
    ) entity ${newest}
  ) page
  where "bytesBefore" < $7
  order by key`;

/** Objects of a subtenant and type behind the key `after`, in the order of keys: up to `limit`, fewer of large ones. `withTests`: test data, too. */
export async function listCurrent(
  client: pg.ClientBase,
  { tenantId, subtenantId, entityType }: Place,
  { after, withTests, limit }: { after: string | null; withTests: boolean; limit: number },
): Promise<{ objects: CurrentObject[]; isLast: boolean }> {
  const values = [tenantId, subtenantId, entityType, after, withTests, limit, bytesMax];
  const { rows } = await client.query<CurrentObject & { found: number }>(pageSql, values);
  const [first] = rows;
  return { objects: rows, isLast: !first || (first.found < limit && first.found === rows.length) };
}

const countSql = `
  select count(distinct business_key)::integer as count from hub.entity
  where tenant_id = $1 and subtenant_id = $2 and entity_type = $3 and ($4 or not is_development)`;

export async function countCurrent(
  client: pg.ClientBase,
  { tenantId, subtenantId, entityType }: Place,
  withTests: boolean,
): Promise<number> {
  const { rows } = await client.query<{ count: number }>(countSql, [tenantId, subtenantId, entityType, withTests]);
  return rows[0]?.count ?? 0;
}

const named = `
  tenant_id = $1 and subtenant_id = $2 and entity_type = $3 and business_key = wanted.key and ($5 or not is_development)`;
const wanted = "(select key from unnest($4::text[]) as key order by key) wanted";

// In the order in which intake locks them, so that the two wait for each other instead of dead-locking.
const lockSql = `
  select from ${wanted} cross join lateral (select from hub.entity where ${named} order by is_development for no key update) entity`;
// A statement of its own: what was waited for has a version that the one before does not see yet.
const lockedSql = `
  select ${columns} from ${wanted}
  cross join lateral (select * from hub.entity where ${named} order by changed_at desc limit 1) entity ${newest}`;

/** The named objects, locked as intake locks them: what is published meanwhile follows in the order of versions. `withTests`: as above. */
export async function lockCurrent(
  client: pg.ClientBase,
  { tenantId, subtenantId, entityType }: Place,
  keys: readonly string[],
  withTests: boolean,
): Promise<CurrentObject[]> {
  const values = [tenantId, subtenantId, entityType, keys, withTests];
  await client.query(lockSql, values);
  return (await client.query<CurrentObject>(lockedSql, values)).rows;
}
