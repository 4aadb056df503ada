import type { ListedObject } from "@crossdock/connectors";
import type { Difference, FieldDifference, Routes } from "@crossdock/contract";
import type pg from "pg";
import type { z } from "zod";
import { storable } from "../delivery/recording.ts";
import type { Point } from "../intake/directory.ts";
import { isWanted } from "../runs/differences.ts";
import type { ClaimedRun } from "../runs/runs.ts";

type RunName = Pick<ClaimedRun, "tenantId" | "id">;
type Side = "source" | "target";

// An object that a list shows twice, as it moved between two pages, stands as it was shown last.
const putSql = `
  insert into hub.run_object (tenant_id, run_id, side, business_key, fields, may_be_missing)
  select $1, $2, $3, key, fields::jsonb, may_be_missing
  from unnest($4::text[], $5::text[], $6::boolean[]) as input (key, fields, may_be_missing)
  on conflict (tenant_id, run_id, side, business_key) do update set fields = excluded.fields, may_be_missing = excluded.may_be_missing`;

export async function putObjects(
  client: pg.ClientBase,
  { tenantId, id }: RunName,
  side: Side,
  objects: readonly ListedObject[],
): Promise<void> {
  // One statement must not change the same row twice.
  const distinct = new Map(objects.map((object) => [storable(object.key), object]));
  if (distinct.size === 0) return;
  const shown = [...distinct.values()];
  await client.query(putSql, [
    tenantId,
    id,
    side,
    [...distinct.keys()],
    shown.map(({ fields }) => JSON.stringify(storableFields(fields))),
    shown.map(({ mayBeMissing }) => mayBeMissing === true),
  ]);
}

function storableFields(fields: ListedObject["fields"]): ListedObject["fields"] {
  return Object.fromEntries(Object.entries(fields).map(([path, value]) => [storable(path), value && storable(value)]));
}

const takeSql = `
  delete from hub.run_object where tenant_id = $1 and run_id = $2 and side = 'target' and business_key = any($3::text[])
  returning business_key as key, fields`;

/** What the target shows of these keys. It is taken away with it: what is left in the end is at the target only. */
export async function takeTargets(
  client: pg.ClientBase,
  { tenantId, id }: RunName,
  keys: readonly string[],
): Promise<Map<string, ListedObject>> {
  const { rows } = await client.query<ListedObject>(takeSql, [tenantId, id, keys]);
  return new Map(rows.map((row) => [row.key, row]));
}

const takeLeftSql = `
  delete from hub.run_object
  where tenant_id = $1 and run_id = $2 and side = $3 and business_key in (
    select business_key from hub.run_object where tenant_id = $1 and run_id = $2 and side = $3 order by business_key limit $4
  )
  returning business_key as key, fields, may_be_missing as "mayBeMissing"`;

export async function takeLeft(client: pg.ClientBase, { tenantId, id }: RunName, side: Side, limit: number): Promise<ListedObject[]> {
  return (await client.query<ListedObject>(takeLeftSql, [tenantId, id, side, limit])).rows;
}

export async function dropObjects(client: pg.ClientBase, { tenantId, id }: RunName): Promise<void> {
  await client.query("delete from hub.run_object where tenant_id = $1 and run_id = $2", [tenantId, id]);
}

export type Found = { key: string; kind: Difference["kind"]; fields: FieldDifference[] };

const writeSql = `
  insert into hub.run_difference (tenant_id, run_id, business_key, kind, fields)
  select $1, $2, key, kind, fields::jsonb from unnest($3::text[], $4::text[], $5::text[]) as input (key, kind, fields)
  on conflict (tenant_id, run_id, business_key) do nothing`;

export async function writeDifferences(client: pg.ClientBase, { tenantId, id }: RunName, found: readonly Found[]): Promise<void> {
  if (found.length === 0) return;
  const columns = [found.map(({ key }) => key), found.map(({ kind }) => kind), found.map(({ fields }) => JSON.stringify(fields))];
  await client.query(writeSql, [tenantId, id, ...columns]);
}

const listSql = `
  select id::text, business_key as key, kind, fields, fixed_by as "fixedBy" from hub.run_difference
  where tenant_id = $1 and run_id = $2 and id > $3::bigint and ($4::text is null or kind = $4)
    and ($5::text[] is null or business_key = any($5)) and ($6::text is null or starts_with(business_key, $6))
    and ($7::boolean is null or (fixed_by is not null) = $7)
  order by run_difference.id limit $8`;

type DifferenceFilter = Omit<z.output<NonNullable<Routes["listDifferences"]["query"]>>, "cursor" | "limit">;

export async function listDifferences(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  { kind, key, keyPrefix, isSent }: DifferenceFilter,
  after: string,
  limit: number,
): Promise<Difference[]> {
  const values = [tenantId, runId, after, kind ?? null, key ?? null, keyPrefix ?? null, isSent ?? null, limit];
  return (await client.query<Difference>(listSql, values)).rows;
}

const countSql = `
  select count(*) filter (where kind = 'missing')::integer as missing, count(*) filter (where kind = 'extra')::integer as extra,
    count(*) filter (where kind = 'differing')::integer as differing, count(fixed_by)::integer as sent
  from hub.run_difference where tenant_id = $1 and run_id = $2`;

type DifferenceCounts = { missing: number; extra: number; differing: number; sent: number };

export async function countDifferences(client: pg.ClientBase, tenantId: number, runId: number): Promise<DifferenceCounts> {
  const { rows } = await client.query<DifferenceCounts>(countSql, [tenantId, runId]);
  return rows[0] ?? { missing: 0, extra: 0, differing: 0, sent: 0 };
}

const fixableSql = `
  select count(*)::integer as count from hub.run_difference
  where tenant_id = $1 and run_id = $2 and ${isWanted}`;

/** Differences that sending the object anew can mend. */
export async function countFixable(client: pg.ClientBase, tenantId: number, runId: number, ids: readonly string[] | null): Promise<number> {
  return (await client.query<{ count: number }>(fixableSql, [tenantId, runId, ids])).rows[0]?.count ?? 0;
}

// Told of while the list was read, they may have been made behind it.
const knownFrom = `
  hub.entity
  where entity.tenant_id = $1 and entity.subtenant_id = $3 and entity.entity_type = 'item' and entity.integration_point_id = $4
    and entity.is_development = $5 and entity.deleted_at is null
    and entity.told_at < (select started_at from hub.run where tenant_id = $1 and id = $2)`;
const isUnlisted = `
  not exists (
    select from hub.run_object where tenant_id = $1 and run_id = $2 and side = 'source' and run_object.business_key = entity.business_key
  )`;

const countUnlistedSql = `
  select count(*)::integer as known, count(*) filter (where ${isUnlisted})::integer as missing,
    (select count(*)::integer from hub.run_object where tenant_id = $1 and run_id = $2) as listed
  from ${knownFrom}`;

type Source = Pick<Point, "id" | "subtenantId" | "isDevelopment">;

const ofSource = ({ tenantId, id }: RunName, point: Source) => [tenantId, id, point.subtenantId, point.id, point.isDevelopment];

/** Of the items whose newest version came from this source: how many there are, and how many its list lacks. */
export async function countUnlisted(
  client: pg.ClientBase,
  run: RunName,
  point: Source,
): Promise<{ known: number; missing: number; listed: number }> {
  const { rows } = await client.query<{ known: number; missing: number; listed: number }>(countUnlistedSql, ofSource(run, point));
  return rows[0] ?? { known: 0, missing: 0, listed: 0 };
}

const writeUnlistedSql = `
  insert into hub.run_difference (tenant_id, run_id, business_key, kind)
  select $1, $2, entity.business_key, 'missing' from ${knownFrom} and ${isUnlisted} order by entity.business_key
  on conflict (tenant_id, run_id, business_key) do nothing`;

export async function writeUnlisted(client: pg.ClientBase, run: RunName, point: Source): Promise<void> {
  await client.query(writeUnlistedSql, ofSource(run, point));
}

// In the order in which intake locks them.
const lockUnchangedSql = `
  select entity.business_key as key, queue.iso((select started_at from hub.run where tenant_id = $1 and id = $2)) as at
  from ${knownFrom} and entity.business_key = any($6::text[])
  order by entity.business_key for no key update of entity`;

/** Those of the keys of which nothing was told since the source was asked by this run, and since when it has them no more. */
export async function lockUnchanged(
  client: pg.ClientBase,
  { tenantId }: RunName,
  point: Source,
  ofRun: number,
  keys: readonly string[],
): Promise<{ key: string; at: string }[]> {
  const values = [...ofSource({ tenantId, id: ofRun }, point), keys];
  return (await client.query<{ key: string; at: string }>(lockUnchangedSql, values)).rows;
}
