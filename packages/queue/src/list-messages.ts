import type { MessageState, Queryable } from "./model.ts";

export type MessageFilter = {
  queueIds?: readonly number[];
  subtenantId?: number;
  state?: MessageState;
  key?: string;
  keyPrefix?: string;
  entityType?: string;
  source?: string;
  from?: Date;
  to?: Date;
  /** Part of a value in the document, whatever its case. */
  search?: string;
  originId?: string;
  /** Cause of a dead letter, as `deadGroups` names it. */
  fingerprint?: string;
};

export type MessageSummary = {
  messageId: string;
  queueId: number;
  queueName: string;
  targetId: number;
  subtenantId: number;
  key: string;
  entityType: string;
  source: string | null;
  version: string | null;
  originId: string | null;
  entityVersion: number | null;
  publishedAt: Date;
  state: MessageState;
  attempts: number;
  /** Next attempt of a retrying message. */
  dueAt: Date | null;
  /** When it got where it is, for messages that failed, were removed or are finished. */
  changedAt: Date | null;
  errorClass: string | null;
  errorMessage: string | null;
  fingerprint: string | null;
  successorId: string | null;
};

export type MessagePage = { items: MessageSummary[]; nextCursor: string | null };

type ListRequest = { tenantId: number; filter?: MessageFilter; cursor?: string | null; limit: number };

/** Newest first. Instant at any size: each queue (for ready: shard) gives its newest matches from an index, and these are merged. */
export async function listMessages(db: Queryable, { tenantId, filter = {}, cursor = null, limit }: ListRequest): Promise<MessagePage> {
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, filter, cursor, limit);
  const text = `with page as (select queue_id, id from (${matches}) found order by id desc limit ${query.add(limit)}) ${summarySql} order by p.id desc`;
  const { rows } = await db.query<MessageSummary>(text, query.values);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows, nextCursor: last?.messageId ?? null };
}

/** Number of matches, at most `cap` (10,001 tells "more than 10,000"). */
export async function countMessages(
  db: Queryable,
  { tenantId, filter = {}, cap = 10_001 }: Omit<ListRequest, "limit" | "cursor"> & { cap?: number },
): Promise<number> {
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, filter, null, cap);
  const { rows } = await db.query<{ count: number }>(
    `select least(count(*), ${query.add(cap)})::integer as count from (${matches}) found`,
    query.values,
  );
  return rows[0]?.count ?? 0;
}

/** Collects values for `$n` while a statement is put together. */
export class Parameters {
  readonly values: unknown[] = [];
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }
}

const placeSql: Record<MessageState, { table: string; condition: string }> = {
  ready: { table: "ready", condition: "" },
  "in-hand": { table: "ready", condition: "" },
  retrying: { table: "retrying", condition: "" },
  parked: { table: "parked", condition: "" },
  dead: { table: "dead", condition: "" },
  removed: { table: "removed", condition: "" },
  delivered: { table: "history", condition: "and w.outcome = 'delivered'" },
  superseded: { table: "history", condition: "and w.outcome = 'superseded'" },
  redirected: { table: "history", condition: "and w.outcome = 'redirected'" },
};

/** A message of a leased shard is in hand up to the highest id handed out; a pulled one while its lease row stands. */
const isInHandSql = `((s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to)
  or exists (select from queue.lease l where l.tenant_id = w.tenant_id and l.queue_id = w.queue_id and l.lane = w.lane and l.message_id = w.id))`;

/** SELECT of (queue_id, id) that match, newest first per source, at most `limit` from each. */
function matchingSql(query: Parameters, tenantId: number, filter: MessageFilter, cursor: string | null, limit: number): string {
  const tenant = query.add(tenantId);
  const queues = filter.queueIds ? `and q.id = any(${query.add([...filter.queueIds])})` : "";
  const before = cursor === null ? "" : `and w.id < ${query.add(cursor)}::bigint`;
  const conditions = messageConditions(query, filter);
  const needsMessage = conditions !== "";
  const ordered = `order by w.id desc limit ${query.add(limit)}`;
  const joinMessage = needsMessage
    ? `join queue.message m on m.tenant_id = ${tenant} and m.queue_id = w.queue_id and m.id = w.id ${conditions}`
    : "";
  const of = `w.tenant_id = ${tenant} and w.queue_id = q.id`;
  const from = `from queue.queue q`;

  if (filter.state === "ready" || filter.state === "in-hand") {
    const hand = filter.state === "in-hand" ? isInHandSql : `not ${isInHandSql}`;
    return `select r.queue_id, r.id ${from} join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id
      cross join lateral (select w.queue_id, w.id from queue.ready w ${joinMessage}
        where ${of} and w.shard = s.shard and ${hand} ${before} ${ordered}) r where q.tenant_id = ${tenant} ${queues}`;
  }
  if (filter.state) {
    const { table, condition } = placeSql[filter.state];
    const fingerprint = filter.fingerprint === undefined ? "" : `and w.fingerprint = ${query.add(filter.fingerprint)}`;
    return `select r.queue_id, r.id ${from} cross join lateral (select w.queue_id, w.id from queue.${table} w ${joinMessage}
      where ${of} ${condition} ${fingerprint} ${before} ${ordered}) r where q.tenant_id = ${tenant} ${queues}`;
  }
  const source = filter.search === undefined ? "message" : "search_text";
  if (source === "message" && (filter.key !== undefined || filter.originId !== undefined)) {
    // Few rows by an index of their own: no need to ask queue by queue.
    const few = conditions.replaceAll("m.", "w.");
    return `select w.queue_id, w.id from queue.message w join queue.queue q on q.tenant_id = w.tenant_id and q.id = w.queue_id ${queues}
      where w.tenant_id = ${tenant} ${few} ${before} ${ordered}`;
  }
  const direct = source === "message" ? conditions.replaceAll("m.", "w.") : searchCondition(query, filter.search ?? "");
  return `select r.queue_id, r.id ${from} cross join lateral (select w.queue_id, w.id from queue.${source} w ${source === "message" ? "" : joinMessage}
    where ${of} ${direct} ${before} ${ordered}) r where q.tenant_id = ${tenant} ${queues}`;
}

function messageConditions(query: Parameters, filter: MessageFilter): string {
  const conditions: string[] = [];
  const equal = (column: string, value: unknown): void => {
    if (value !== undefined) conditions.push(`and m.${column} = ${query.add(value)}`);
  };
  equal("subtenant_id", filter.subtenantId);
  equal("key", filter.key);
  equal("entity_type", filter.entityType);
  equal("source", filter.source);
  equal("origin_id", filter.originId);
  if (filter.keyPrefix !== undefined) conditions.push(`and m.key like ${query.add(`${escapeLike(filter.keyPrefix)}%`)}`);
  if (filter.from)
    conditions.push(`and m.created_at >= ${query.add(filter.from)} and m.id >= ${query.add(firstIdOf(filter.from, -1))}::bigint`);
  if (filter.to) conditions.push(`and m.created_at < ${query.add(filter.to)} and m.id < ${query.add(firstIdOf(filter.to, 2))}::bigint`);
  if (filter.state && filter.search !== undefined) {
    conditions.push(`and exists (select from queue.search_text w2 where w2.tenant_id = m.tenant_id and w2.queue_id = m.queue_id and w2.id = m.id
      and w2.text like ${query.add(`%${escapeLike(filter.search.toLowerCase())}%`)})`);
  }
  return conditions.join(" ");
}

function searchCondition(query: Parameters, search: string): string {
  return `and w.text like ${query.add(`%${escapeLike(search.toLowerCase())}%`)}`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

/** The lowest id of the day of `time`, some days off: ids follow the days, give or take the minutes around midnight. */
function firstIdOf(time: Date, days: number): string {
  return String((Math.floor(time.getTime() / 86_400_000) + days) * 10_000_000_000);
}

/** State and details of the page's messages: one look-up each in the narrow tables. */
export const summarySql = `
  select m.id as "messageId", m.queue_id as "queueId", q.name as "queueName", q.target_id as "targetId", m.subtenant_id as "subtenantId",
    m.key, m.entity_type as "entityType", m.source, m.version, m.origin_id as "originId", m.entity_version as "entityVersion",
    m.created_at as "publishedAt",
    case when w.id is not null then case when ${isInHandSql} then 'in-hand' else 'ready' end
      when f.id is not null then 'retrying' when d.id is not null then 'dead' when k.id is not null then 'parked'
      when h.id is not null then h.outcome else 'removed' end as state,
    coalesce(w.attempts, f.attempts, d.attempts, k.attempts, h.attempts, x.attempts, 0)::integer as attempts,
    f.due_at as "dueAt", coalesce(f.failed_at, d.dead_at, h.finished_at, x.removed_at) as "changedAt",
    coalesce(f.error_class, d.error_class, x.error_class) as "errorClass",
    coalesce(f.error_message, d.error_message, x.error_message) as "errorMessage",
    coalesce(f.fingerprint, d.fingerprint, x.fingerprint) as fingerprint, h.successor_id as "successorId"
  from page p
  join queue.queue q on q.tenant_id = $1 and q.id = p.queue_id
  cross join lateral (select * from queue.message m where m.tenant_id = $1 and m.queue_id = p.queue_id and m.id = p.id offset 0) m
  join queue.shard s on s.tenant_id = $1 and s.queue_id = q.id and s.shard = queue.lane_of(m.key) & (q.shards - 1)
  left join queue.ready w on w.tenant_id = $1 and w.queue_id = q.id and w.shard = s.shard and w.id = m.id
  left join queue.retrying f on f.tenant_id = $1 and f.queue_id = q.id and f.id = m.id
  left join queue.dead d on d.tenant_id = $1 and d.queue_id = q.id and d.id = m.id
  left join queue.parked k on k.tenant_id = $1 and k.queue_id = q.id and k.id = m.id
  left join lateral (select * from queue.history h where h.tenant_id = $1 and h.queue_id = q.id and h.id = m.id offset 0) h on true
  left join queue.removed x on x.tenant_id = $1 and x.queue_id = q.id and x.id = m.id`;
