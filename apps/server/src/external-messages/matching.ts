import { EntityType, type Routes } from "@crossdock/contract";
import { findOrigins, firstIdOf } from "@crossdock/queue";
import type pg from "pg";
import type { z } from "zod";
import { mayCaller, type Principal } from "../access/access.ts";
import { keyRange } from "../key-range.ts";
import type { Permitted } from "../messages/filter.ts";

type Query = Permitted<z.output<NonNullable<Routes["countExternalMessages"]["query"]>>>;
export type Filter = Query;
/** Ids below `before`, at most `limit` of them; the newest, unless any will do. */
export type Place = { before: string | null; limit: number; isAny?: true };
export type Matching = { sql: string; values: unknown[] };

/** Groups of rejected messages, the list of one of them, and what a filter by value leaves of a text search in their bodies are of so many of the newest. */
export const rejectedLookedAt = 10_000;

/** `$1` is the tenant. The index of states has them in this order. */
export const newestRejectedSql = `
  select id, subtenant_id, integration_point_id, entity_type, received_at, reasons from hub.external_message
  where tenant_id = $1 and state = 'rejected' and removed_at is null order by id desc limit ${rejectedLookedAt}`;

/** What was wrong first, without the numbers and quoted values that tell one message's from another's. */
export const faultSql = (from: string): string => {
  const bare = (part: string): string =>
    `regexp_replace(coalesce(${from}.reasons::json->0->>'${part}', ''), '\\d+|"[^"]*"|''[^'']*''', '*', 'g')`;
  return `md5(${bare("path")} || chr(10) || ${bare("message")})`;
};

/** Published messages that a text search looks at at a time: a page's first, then more as long as few of them match the rest of the filter. */
const searchedAtOnce = 500;
const searchedAtOnceMax = 10_000;
/** A message is published in the transaction in which its external message was received, after it. */
const publishedMsMax = 60_000;

/**
 * SELECT of the ids that match, newest first; `$1` is the tenant. Each kind of filter has its index (0019_external_messages.sql): a search and a key
 * few rows, a state other than accepted and the removed an index of their own, and everything else is merged from the newest of each
 * integration point and entity type.
 */
export async function matchingSql(client: pg.ClientBase, tenantId: number, filter: Filter, place: Place): Promise<Matching> {
  const { before, limit, isAny } = place;
  const points = await selectPoints(client, tenantId, filter);
  const matchingAmong = (ids: readonly string[]): Matching => amongSql(tenantId, filter, points, ids, place);
  const { search, fault } = filter;
  const wrong = fault === undefined ? null : await faultIds(client, tenantId, fault);
  if (search !== undefined) {
    const rejected = await rejectedIds(client, { ...filter, search }, points, place);
    if (wrong) return matchingAmong(rejected.filter((id) => wrong.has(id)));
    // Of what was not accepted nothing was published.
    if (filter.state && !filter.state.includes("accepted")) return matchingAmong(rejected);
    return matchingAmong([...rejected, ...(await publishedIds(client, tenantId, { ...filter, search }, place, matchingAmong))]);
  }
  if (wrong) return matchingAmong([...wrong]);
  const values: unknown[] = [tenantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, points, before, add);
  const ending = `${isAny ? "" : "order by message.id desc"} limit ${add(limit)}`;
  const where = ["message.tenant_id = $1", ...conditions].join(" and ");

  const states = filter.state ?? [];
  const hasOwnIndex = filter.key !== undefined || filter.keyPrefix !== undefined || filter.removed === true;
  if (hasOwnIndex) return { sql: `select message.id from hub.external_message message where ${where} ${ending}`, values };
  if (states.length > 0 && !states.includes("accepted")) return { sql: mergedByState(where, ending, add(states)), values };
  return {
    sql: mergedByPoint(where, ending, add(filter.entityType === undefined ? [...EntityType.options, null] : [filter.entityType])),
    values,
  };
}

/** Of these ids. */
function amongSql(tenantId: number, filter: Filter, points: number[] | null, ids: readonly string[], { before, limit }: Place): Matching {
  const values: unknown[] = [tenantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const where = ["message.tenant_id = $1", ...conditionsOf(filter, points, before, add), `message.id = any(${add(ids)}::bigint[])`].join(
    " and ",
  );
  return { sql: `select message.id from hub.external_message message where ${where} order by message.id desc limit ${add(limit)}`, values };
}

/** SELECT of the ids from `from` on and below `before` that match, newest first; `$1` is the tenant. A text search is another way. */
export async function withinSql(
  client: pg.ClientBase,
  tenantId: number,
  filter: Omit<Filter, "search">,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<Matching> {
  const values: unknown[] = [tenantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, await selectPoints(client, tenantId, filter), before, add);
  if (filter.fault !== undefined)
    conditions.push(`message.id = any(${add([...(await faultIds(client, tenantId, filter.fault))])}::bigint[])`);
  const where = ["message.tenant_id = $1", `message.id >= ${add(from)}::bigint`, ...conditions].join(" and ");
  return { sql: `select message.id from hub.external_message message where ${where} order by message.id desc limit ${add(limit)}`, values };
}

/** Ids between which the filter's times lie, `from` included and `before` not: ids go by days, except for some minutes around midnight. */
export function idRangeOf({ from, to }: Pick<Filter, "from" | "to">): { from: string | null; before: string | null } {
  return {
    from: from === undefined ? null : firstIdOf(new Date(from), -1).toString(),
    before: to === undefined ? null : firstIdOf(new Date(to), 2).toString(),
  };
}

function conditionsOf(
  { state, removed, key, keyPrefix, entityType, payload, from, to }: Omit<Filter, "search">,
  points: number[] | null,
  before: string | null,
  add: (value: unknown) => string,
): string[] {
  const conditions = [`message.removed_at is ${removed === true ? "not null" : "null"}`];
  if (before !== null) conditions.push(`message.id < ${add(before)}::bigint`);
  if (points) conditions.push(`message.integration_point_id = any(${add(points)}::integer[])`);
  if (entityType !== undefined) conditions.push(`message.entity_type = ${add(entityType)}`);
  if (state) conditions.push(`message.state = any(${add(state)}::text[])`);
  if (key !== undefined) conditions.push(`message.business_key = any(${add(key)}::text[])`);
  if (keyPrefix !== undefined) {
    const [first, end] = keyRange(keyPrefix);
    conditions.push(`message.business_key >= ${add(first)} and message.business_key < ${add(end)}`);
  }
  // Ids begin with the day, so a time span also bounds the ids and leaves whole partitions out.
  const ids = idRangeOf({ from, to });
  if (ids.from !== null) conditions.push(`message.received_at >= ${add(from)}::timestamptz and message.id >= ${add(ids.from)}::bigint`);
  if (ids.before !== null) conditions.push(`message.received_at < ${add(to)}::timestamptz and message.id < ${add(ids.before)}::bigint`);
  // Last, as it is costly.
  if (payload) conditions.push(`jsonb_path_exists(hub.external_json(message.body), ${add(payload.path)}::jsonpath, '{}', true)`);
  return conditions;
}

function mergedByState(where: string, ending: string, states: string): string {
  return `select message.id from unnest(${states}::text[]) one (state) cross join lateral (
    select message.id from hub.external_message message where ${where} and message.state = one.state and message.state <> 'accepted' ${ending}
  ) message ${ending}`;
}

/** An entity type may be null, which equals nothing, so the two are asked for apart. */
function mergedByPoint(where: string, ending: string, entityTypes: string): string {
  const newest = (condition: string): string =>
    `select message.id from hub.external_message message where ${where} and message.integration_point_id = point.id and ${condition} ${ending}`;
  return `select message.id from hub.integration_point point cross join unnest(${entityTypes}::text[]) kind (entity_type) cross join lateral (
    (${newest("message.entity_type = kind.entity_type")}) union all (${newest("kind.entity_type is null and message.entity_type is null")})
  ) message where point.tenant_id = $1 ${ending}`;
}

/** The integration points that the filter names; null when it names none. */
async function selectPoints(
  client: pg.ClientBase,
  tenantId: number,
  { subtenant, integrationPointId, source }: Omit<Filter, "search">,
): Promise<number[] | null> {
  if (subtenant === undefined && source === undefined) return integrationPointId === undefined ? null : [integrationPointId];
  const { rows } = await client.query<{ id: number }>(
    `select point.id from hub.integration_point point
     join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
     where point.tenant_id = $1 and ($2::text is null or subtenant.code = $2) and ($3::integer is null or point.id = $3)
       and ($4::text is null or point.connector = $4)`,
    [tenantId, subtenant ?? null, integrationPointId ?? null, source ?? null],
  );
  return rows.map(({ id }) => id);
}

async function faultIds(client: pg.ClientBase, tenantId: number, fault: string): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>(
    `select newest.id::text from (${newestRejectedSql}) newest where ${faultSql("newest")} = $2`,
    [tenantId, fault],
  );
  return new Set(rows.map(({ id }) => id));
}

/** More than a page of the rejected, as a filter by value leaves only some of them; and what the search names by its id. */
async function rejectedIds(
  client: pg.ClientBase,
  { search, entityType, removed, to }: Filter & { search: string },
  points: number[] | null,
  { before, limit }: Place,
): Promise<string[]> {
  const sql = "select id::text from hub.search_rejected($1, $2, $3, $4, $5, $6, $7) as id";
  const values = [search, before, Math.max(limit, rejectedLookedAt), points, entityType ?? null, removed ?? false, to ?? null];
  const { rows } = await client.query<{ id: string }>(sql, values);
  return [...rows.map(({ id }) => id), ...(/^\d{1,18}$/.test(search) ? [search] : [])];
}

const receivedSql = `select received_at as "receivedAt" from hub.external_message where tenant_id = $1 and id = $2`;

/**
 * What the published messages that a search finds were made from: all of it, or so much that `limit` of the newest match the rest of the filter,
 * as `matchingAmong` says. A message has a higher id than what it was made from.
 */
async function publishedIds(
  client: pg.ClientBase,
  tenantId: number,
  { search, from, to }: Filter & { search: string },
  { before, limit }: Place,
  matchingAmong: (ids: readonly string[]) => Matching,
): Promise<Set<string>> {
  const received = before === null ? undefined : (await client.query<{ receivedAt: Date }>(receivedSql, [tenantId, before])).rows[0];
  const ends = [...(to === undefined ? [] : [Date.parse(to)]), ...(received ? [received.receivedAt.getTime()] : [])];
  const filter = {
    search,
    ...(from !== undefined && { from: new Date(from) }),
    ...(ends.length > 0 && { to: new Date(Math.min(...ends) + publishedMsMax) }),
  };
  const found = new Set<string>();
  let matching = 0;
  let cursor: string | null = null;
  for (let atOnce = searchedAtOnce; ; atOnce = Math.min(atOnce * 4, searchedAtOnceMax)) {
    const { originIds, nextCursor } = await findOrigins(client, { tenantId, filter, cursor, limit: atOnce });
    const fresh = originIds.filter((id) => !found.has(id));
    for (const id of fresh) found.add(id);
    if (nextCursor === null) return found;
    const { sql, values } = matchingAmong(fresh.filter((id) => BigInt(id) > BigInt(nextCursor)));
    matching += (await client.query(sql, values)).rowCount ?? 0;
    if (matching >= limit) return found;
    cursor = nextCursor;
  }
}

/** Who may not reveal finds nothing out by searching for it either: a search goes by keys alone. */
export function permittedFilter<Wish extends { search?: string | undefined; keyPrefix?: string | undefined }>(
  principal: Principal,
  filter: Wish,
): Wish {
  const { search, keyPrefix } = filter;
  if (search === undefined || mayCaller(principal, "reveal")) return filter;
  return { ...filter, search: undefined, keyPrefix: keyPrefix ?? search };
}
