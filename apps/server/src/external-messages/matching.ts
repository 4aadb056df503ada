import { EntityType, type Routes } from "@crossdock/contract";
import { firstIdOf, listMessages } from "@crossdock/queue";
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

/** Groups of rejected messages, the list of one of them, and a text search are of so many of the newest. */
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

/** Published messages that a text search looks at. */
const searchedMax = 500;
/** A message is published in the transaction in which its external message was received, after it. */
const publishedMsMax = 60_000;

/**
 * SELECT of the ids that match, newest first; `$1` is the tenant. Each kind of filter has its index (0019_external_messages.sql): a search and a key
 * few rows, a state other than accepted and the removed an index of their own, and everything else is merged from the newest of each
 * integration point and entity type.
 */
export async function matchingSql(
  client: pg.ClientBase,
  tenantId: number,
  filter: Filter,
  { before, limit, isAny }: Place,
): Promise<Matching> {
  const values: unknown[] = [tenantId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const among = await amongIds(client, tenantId, filter, before, limit);
  const conditions = conditionsOf(filter, await selectPoints(client, tenantId, filter), before, add);
  const ending = `${isAny ? "" : "order by message.id desc"} limit ${add(limit)}`;
  const where = (more: string[]): string => ["message.tenant_id = $1", ...conditions, ...more].join(" and ");

  if (among)
    return {
      sql: `select message.id from hub.external_message message where ${where([`message.id = any(${add(among)}::bigint[])`])} ${ending}`,
      values,
    };
  const states = filter.state ?? [];
  const hasOwnIndex = filter.key !== undefined || filter.keyPrefix !== undefined || filter.removed === true;
  if (hasOwnIndex) return { sql: `select message.id from hub.external_message message where ${where([])} ${ending}`, values };
  if (states.length > 0 && !states.includes("accepted")) return { sql: mergedByState(where([]), ending, add(states)), values };
  return {
    sql: mergedByPoint(where([]), ending, add(filter.entityType === undefined ? [...EntityType.options, null] : [filter.entityType])),
    values,
  };
}

/** The ids that a search or a reason of rejection leaves; null where neither is asked for. */
async function amongIds(
  client: pg.ClientBase,
  tenantId: number,
  { search, fault, from, to }: Filter,
  before: string | null,
  limit: number,
): Promise<string[] | null> {
  const found = search === undefined ? null : await searchIds(client, tenantId, { search, from, to }, before, limit);
  if (fault === undefined) return found;
  const wrong = await faultIds(client, tenantId, fault);
  if (found === null) return wrong;
  const those = new Set(wrong);
  return found.filter((id) => those.has(id));
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
  if (filter.fault !== undefined) conditions.push(`message.id = any(${add(await faultIds(client, tenantId, filter.fault))}::bigint[])`);
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

async function faultIds(client: pg.ClientBase, tenantId: number, fault: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select newest.id::text from (${newestRejectedSql}) newest where ${faultSql("newest")} = $2`,
    [tenantId, fault],
  );
  return rows.map(({ id }) => id);
}

type Searched = { search: string } & Pick<Filter, "from" | "to">;

/** More than a page of the rejected, as the other filters leave only some of them. */
async function searchIds(
  client: pg.ClientBase,
  tenantId: number,
  { search, from, to }: Searched,
  before: string | null,
  limit: number,
): Promise<string[]> {
  const times = {
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(Date.parse(to) + publishedMsMax) }),
  };
  const published = await listMessages(client, { tenantId, filter: { search, ...times }, limit: searchedMax });
  const { rows } = await client.query<{ id: string }>("select id::text from hub.search_rejected($1, $2, $3) as id", [
    search,
    before,
    Math.max(limit, rejectedLookedAt),
  ]);
  const ids = [...published.items.map(({ originId }) => originId), ...rows.map(({ id }) => id), /^\d{1,18}$/.test(search) ? search : null];
  return [...new Set(ids.filter((id) => id !== null))];
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
