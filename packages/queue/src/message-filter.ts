import type { MessageState } from "./model.ts";
import { toJsonPath, type PayloadFilter } from "./payload-filter.ts";

export type MessageFilter = {
  queueIds?: readonly number[];
  subtenantId?: number;
  state?: MessageState;
  /** One of these, of which there is at least one; then `state` is absent. */
  states?: readonly MessageState[];
  /** One of these. */
  ids?: readonly string[];
  /** One of these. */
  keys?: readonly string[];
  keyPrefix?: string;
  entityType?: string;
  source?: string;
  from?: Date;
  to?: Date;
  /** Words, each of them part of a value in the document, in upper or lower case; or the id of the message or of the external message it was made from. */
  search?: string;
  /** Keys whose messages the search finds as well. */
  searchKeys?: readonly string[];
  /** The class of its last failure or of one of its attempts. */
  errorClass?: string;
  /** The status that one of its attempts was answered with. */
  httpStatus?: number;
  attemptsMin?: number;
  payload?: PayloadFilter;
  originId?: string;
  /** Cause of a dead letter, as `deadGroups` names it. */
  fingerprint?: string;
};

/** Ids a search is restricted to, `from` included and `before` not. */
type IdRange = { from: bigint | null; before: bigint | null };

/** For messages that are read one by one: what their search text must hold; and the key as SQL, where each of several is asked for by itself. */
export type ReadFilter = MessageFilter & { words?: readonly string[]; keySql?: string };

/** Collects values for `$n` while a statement is put together. */
export class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

/** A message of a leased shard is in hand up to the highest id handed out; a pulled one while its lease row stands. */
export const isInHandSql = `((s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to)
  or exists (select from queue.lease l where l.tenant_id = w.tenant_id and l.queue_id = w.queue_id and l.lane = w.lane and l.message_id = w.id))`;

const placeSql: Record<MessageState, { table: string; condition: string }> = {
  ready: { table: "ready", condition: `and not ${isInHandSql}` },
  "in-hand": { table: "ready", condition: `and ${isInHandSql}` },
  retrying: { table: "retrying", condition: "" },
  parked: { table: "parked", condition: "" },
  dead: { table: "dead", condition: "" },
  removed: { table: "removed", condition: "" },
  delivered: { table: "history", condition: "and w.outcome = 'delivered'" },
  superseded: { table: "history", condition: "and w.outcome = 'superseded'" },
  redirected: { table: "history", condition: "and w.outcome = 'redirected'" },
};

/** SELECT of (queue_id, id) that match all of the filter but its search, newest first per source, at most `limit` from each. */
export function matchingSql(query: Parameters, tenantId: number, filter: ReadFilter, range: IdRange, limit: number): string {
  const { keys, states, ...rest } = filter;
  if (states !== undefined)
    return ofStatesSql(states, (state) => matchingSql(query, tenantId, { ...rest, ...(keys && { keys }), state }, range, limit));
  if (keys !== undefined) {
    // Key by key, so that each has its newest messages in the index's order: of a thousand keys with a thousand messages few are read.
    const ofKey = matchingSql(query, tenantId, { ...rest, keySql: "wanted.key" }, range, limit);
    return `select of_key.* from unnest(${query.add([...new Set(keys)])}::text[]) wanted (key) cross join lateral (${ofKey}) of_key`;
  }
  const tenant = query.add(tenantId);
  const queues = filter.queueIds ? `and q.id = any(${query.add([...filter.queueIds])})` : "";
  const from = range.from === null ? "" : `and w.id >= ${query.add(range.from)}::bigint`;
  const within = range.before === null ? from : `${from} and w.id < ${query.add(range.before)}::bigint`;
  const ordered = `order by w.id desc limit ${query.add(limit)}`;
  if (filter.ids !== undefined) {
    const named = `(select w.queue_id, w.id from queue.locate(${tenant}, ${query.add([...filter.ids])}::bigint[]) w
      join queue.queue q on q.tenant_id = ${tenant} and q.id = w.queue_id ${queues} where true ${within})`;
    return `select * from (${matchingAmongSql(query, tenantId, filter, named)}) w ${ordered}`;
  }
  const conditions = messageConditions(query, filter);
  const of = `w.tenant_id = ${tenant} and w.queue_id = q.id`;

  // Few rows by an index of their own: no need to ask queue by queue.
  const isNamed = filter.keySql !== undefined || filter.originId !== undefined;
  if (filter.state && isNamed) {
    const named = `(select m.queue_id, m.id from queue.message m join queue.queue q on q.tenant_id = m.tenant_id and q.id = m.queue_id ${queues}
      where m.tenant_id = ${tenant} ${conditions} ${within.replaceAll("w.", "m.")} offset 0)`;
    return `select * from (${matchingAmongSql(query, tenantId, placedPartOf(filter), named)}) w ${ordered}`;
  }
  if (filter.state) {
    const { table, condition } = placeOf(query, filter, filter.state);
    const shards = table === "ready" ? "join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id" : "";
    const shard = table === "ready" ? "and w.shard = s.shard" : "";
    return `select r.queue_id, r.id from queue.queue q ${shards}
      cross join lateral (select w.queue_id, w.id from queue.${table} w ${messageJoin(tenant, conditions)}
        where ${of} ${shard} ${condition} ${within} ${ordered}) r where q.tenant_id = ${tenant} ${queues}`;
  }
  const direct = conditions.replaceAll("m.", "w.");
  if (isNamed) {
    return `select w.queue_id, w.id from queue.message w join queue.queue q on q.tenant_id = w.tenant_id and q.id = w.queue_id ${queues}
      where w.tenant_id = ${tenant} ${direct} ${within} ${ordered}`;
  }
  return `select r.queue_id, r.id from queue.queue q cross join lateral (select w.queue_id, w.id from queue.message w
    where ${of} ${direct} ${within} ${ordered}) r where q.tenant_id = ${tenant} ${queues}`;
}

/** SELECT of those of `among`, an expression with rows of (queue_id, id), that match all of the filter but its search and queues. */
export function matchingAmongSql(query: Parameters, tenantId: number, filter: ReadFilter, among: string): string {
  const { states: severalStates, ...rest } = filter;
  if (severalStates !== undefined)
    return ofStatesSql(severalStates, (state) => matchingAmongSql(query, tenantId, { ...rest, state }, among));
  const tenant = query.add(tenantId);
  const join = messageJoin(tenant, messageConditions(query, filter));
  if (!filter.state) return `select w.queue_id, w.id from ${among} w (queue_id, id) ${join}`;
  const { table, condition } = placeOf(query, filter, filter.state);
  const shards = table === "ready" ? `join queue.shard s on s.tenant_id = ${tenant} and s.queue_id = c.queue_id` : "";
  const shard = table === "ready" ? "and w.shard = s.shard" : "";
  // One by one: a join would look for each in all shards.
  return `select w.queue_id, w.id from ${among} c (queue_id, id) ${shards}
    cross join lateral (
      select w.* from queue.${table} w where w.tenant_id = ${tenant} and w.queue_id = c.queue_id and w.id = c.id ${shard} ${condition} offset 0
    ) w ${join}`;
}

/** One statement for all states: between two a message could move from a state that is not yet read to one that has been. */
function ofStatesSql(states: readonly MessageState[], sqlOf: (state: MessageState) => string): string {
  return states.map((state) => `select * from (${sqlOf(state)}) of_state`).join(" union all ");
}

/** What a dead letter `w` must be like: a join with its message where that tells it, and conditions on the row itself. */
export function deadConditions(query: Parameters, tenant: string, filter: ReadFilter): { join: string; where: string } {
  const { keys, ...rest } = filter;
  const { condition } = placeOf(query, rest, "dead");
  const ofKeys = keys === undefined ? "" : `and w.key = any(${query.add([...keys])}::text[])`;
  return { join: messageJoin(tenant, messageConditions(query, rest)), where: `${condition} ${ofKeys}` };
}

/** SELECT of (queue_id, id, due_at) of the retrying messages behind a place that match all of the filter but its search, the next due first. */
export function retryingSql(
  query: Parameters,
  tenantId: number,
  filter: MessageFilter,
  after: { due: string | null; id: string },
  limit: number,
): string {
  const tenant = query.add(tenantId);
  const { condition } = placeOf(query, filter, "retrying");
  const queues = filter.queueIds ? `and w.queue_id = any(${query.add([...filter.queueIds])})` : "";
  const conditions = messageConditions(query, { ...filter, state: "retrying" });
  const isNamed = filter.keys !== undefined || filter.originId !== undefined;
  const named = `(select m.queue_id, m.id from queue.message m where m.tenant_id = ${tenant} ${conditions} offset 0) m
    cross join lateral (select * from queue.retrying r where r.tenant_id = ${tenant} and r.queue_id = m.queue_id and r.id = m.id offset 0) w`;
  return `select w.queue_id, w.id, w.due_at from ${isNamed ? named : `queue.retrying w ${messageJoin(tenant, conditions)}`}
    where w.tenant_id = ${tenant} ${queues} ${condition}
      and (w.due_at, w.id) > (coalesce(${query.add(after.due)}::timestamptz, '-infinity'), ${query.add(after.id)}::bigint)
    order by w.due_at, w.id limit ${query.add(limit)}`;
}

/** The ids between which the filter's times lie: ids go by days, except for some minutes around midnight. */
export function idRangeOf({ from, to }: MessageFilter): IdRange {
  return { from: from ? firstIdOf(from, -1) : null, before: to ? firstIdOf(to, 2) : null };
}

/** Those that keep the error of the last try: what waits elsewhere, or was delivered, has none. */
const failedTables: ReadonlySet<string> = new Set(["retrying", "dead", "removed"]);

/** Where messages of a state are, with what can be told there. */
function placeOf(query: Parameters, filter: MessageFilter, state: MessageState): { table: string; condition: string } {
  const { table, condition } = placeSql[state];
  const { ids, fingerprint, attemptsMin } = filter;
  const ofIds = ids === undefined ? "" : `and w.id = any(${query.add([...ids])}::bigint[])`;
  const ofFacts = state === "dead" ? factConditions(query, filter, "w.published_at").replaceAll("m.", "w.") : "";
  const isOfError = fingerprint !== undefined && failedTables.has(table) ? `and w.fingerprint = ${query.add(fingerprint)}` : "and false";
  const ofFingerprint = fingerprint === undefined ? "" : isOfError;
  const ofAttempts = attemptsMin === undefined ? "" : `and w.attempts >= ${query.add(attemptsMin)}`;
  return { table, condition: `${condition} ${ofIds} ${ofFingerprint} ${ofAttempts} ${ofFacts}` };
}

/**
 * The message of each row, by its whole key: fenced, since a table that was filled a moment ago has no statistics that speak for the key, and
 * a join would then read all of the queue's messages for each of its rows.
 */
function messageJoin(tenant: string, conditions: string): string {
  return (
    conditions &&
    `cross join lateral (
      select from queue.message m where m.tenant_id = ${tenant} and m.queue_id = w.queue_id and m.id = w.id ${conditions} offset 0) m`
  );
}

/** The parts of a filter that a message's place answers. */
function placedPartOf({ state, fingerprint, attemptsMin, source, keyPrefix, from, to }: MessageFilter): MessageFilter {
  return {
    ...(state && { state }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(attemptsMin !== undefined && { attemptsMin }),
    ...(state === "dead" && { ...(source !== undefined && { source }), ...(keyPrefix !== undefined && { keyPrefix }) }),
    ...(state === "dead" && { ...(from && { from }), ...(to && { to }) }),
  };
}

function messageConditions(query: Parameters, filter: ReadFilter): string {
  const conditions: string[] = [];
  const equal = (column: string, value: unknown): void => {
    if (value !== undefined) conditions.push(`and m.${column} = ${query.add(value)}`);
  };
  equal("subtenant_id", filter.subtenantId);
  // With a state the message's place answers it.
  if (filter.ids !== undefined && !filter.state) conditions.push(`and m.id = any(${query.add([...filter.ids])}::bigint[])`);
  if (filter.keys !== undefined) conditions.push(`and m.key = any(${query.add([...filter.keys])}::text[])`);
  if (filter.keySql !== undefined) conditions.push(`and m.key = ${filter.keySql}`);
  equal("entity_type", filter.entityType);
  equal("origin_id", filter.originId);
  // A dead letter's place answers them.
  const facts = filter.state === "dead" ? "" : factConditions(query, filter, "m.created_at");
  return [...conditions, facts, ...costlyConditions(query, filter)].join(" ").trim();
}

/** Of a message (`m`), or of the place of a dead letter, which has the same columns but for the time at which it was published. */
function factConditions(query: Parameters, filter: MessageFilter, publishedAt: string): string {
  const { source, keyPrefix, from, to } = filter;
  const conditions: string[] = [];
  if (source !== undefined) conditions.push(`and m.source = ${query.add(source)}`);
  if (keyPrefix !== undefined) conditions.push(`and m.key like ${query.add(`${escapeLike(keyPrefix)}%`)}`);
  const ids = idRangeOf(filter);
  if (ids.from !== null) conditions.push(`and ${publishedAt} >= ${query.add(from)} and m.id >= ${query.add(ids.from)}::bigint`);
  if (ids.before !== null) conditions.push(`and ${publishedAt} < ${query.add(to)} and m.id < ${query.add(ids.before)}::bigint`);
  return conditions.join(" ");
}

const ofMessage = (row: string): string => `${row}.tenant_id = m.tenant_id and ${row}.queue_id = m.queue_id and ${row}.id = m.id`;

/** Conditions that look something up or read the document; they come last, so that the others have sifted before. */
function costlyConditions(query: Parameters, filter: ReadFilter): string[] {
  const { attemptsMin, errorClass, httpStatus, words, payload } = filter;
  const conditions: string[] = [];
  // With a state the message's place answers it.
  if (attemptsMin !== undefined && !filter.state) conditions.push(`and ${attemptsSql} >= ${query.add(attemptsMin)}`);
  if (errorClass !== undefined) conditions.push(`and ${failedOfSql(query.add(errorClass))}`);
  if (httpStatus !== undefined) {
    conditions.push(`and exists (select from queue.attempt a
      where ${ofMessage("a")} and (a.exchange::json #>> '{response,status}')::integer = ${query.add(httpStatus)})`);
  }
  if (words !== undefined) {
    const patterns = query.add(words.map((word) => `%${escapeLike(word)}%`));
    conditions.push(`and exists (select from queue.search_text t where ${ofMessage("t")} and t.text like all (${patterns}::text[]))`);
  }
  if (payload !== undefined) {
    // A document that PostgreSQL cannot read (it need not be JSON) has no such value, and must not end the search.
    conditions.push(`and case when pg_input_is_valid(m.document, 'jsonb')
      then jsonb_path_exists(m.document::jsonb, ${query.add(toJsonPath(payload))}::jsonpath, '{}', true) else false end`);
  }
  return conditions;
}

const attemptsSql = `coalesce(
  (select r.attempts from queue.ready r where ${ofMessage("r")} and r.shard = queue.lane_of(m.key) & (
    select o.shards - 1 from queue.queue o where o.tenant_id = m.tenant_id and o.id = m.queue_id)),
  ${["retrying", "dead", "parked", "history", "removed"].map((table) => `(select r.attempts from queue.${table} r where ${ofMessage("r")})`).join(",\n  ")}, 0)`;

function failedOfSql(errorClass: string): string {
  const places = ["attempt", "retrying", "dead", "removed"];
  return `(${places.map((table) => `exists (select from queue.${table} r where ${ofMessage("r")} and r.error_class = ${errorClass})`).join(" or ")})`;
}

export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

/** The lowest message id of the UTC day that lies `days` after the one of `time`. */
export function firstIdOf(time: Date, days: number): bigint {
  return (BigInt(Math.floor(time.getTime() / 86_400_000)) + BigInt(days)) * 10_000_000_000n;
}
