import { isInHandSql, matchingSql, Parameters, type MessageFilter } from "./message-filter.ts";
import type { MessagePlace, MessageState, Queryable } from "./model.ts";
import { foundSql, searchMessages } from "./search-messages.ts";
import { wordsOfFilter } from "./search-words.ts";

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
  /** When it entered its present state, for messages that failed, were removed or are finished. */
  changedAt: Date | null;
  errorClass: string | null;
  errorMessage: string | null;
  fingerprint: string | null;
  successorId: string | null;
};

export type MessagePage = { items: MessageSummary[]; nextCursor: string | null };

type ListRequest = { tenantId: number; filter?: MessageFilter; cursor?: string | null; limit: number };

/**
 * Newest first. Quick at any size: each queue (for ready: each shard) gives its newest matches from an index, and these are merged. A filter
 * that no message of a large queue passes reads all of the queue: name the queues (`queueIds`) where they are known.
 * A search needs the tenant set in the session (`crossdock.tenant_id`), as the app role has it anyway.
 */
export async function listMessages(db: Queryable, { tenantId, filter = {}, cursor = null, limit }: ListRequest): Promise<MessagePage> {
  if (wordsOfFilter(filter).length > 0) {
    const items = await summariesOf(db, tenantId, await searchMessages(db, { tenantId, filter, cursor, limit }));
    return pageOf(items, limit);
  }
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, filter, { from: null, before: cursor === null ? null : BigInt(cursor) }, limit);
  const text = `with page as (select queue_id, id from (${matches}) found order by id desc limit ${query.add(limit)}) ${summarySql} order by p.id desc`;
  return pageOf((await db.query<MessageSummary>(text, query.values)).rows, limit);
}

function pageOf(items: MessageSummary[], limit: number): MessagePage {
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, nextCursor: last?.messageId ?? null };
}

/** State and details of messages that were found, newest first. */
export async function summariesOf(db: Queryable, tenantId: number, found: readonly MessagePlace[]): Promise<MessageSummary[]> {
  if (found.length === 0) return [];
  const query = new Parameters();
  const text = `with page as (${foundSql(query, tenantId, found)}) ${summarySql} order by p.id desc`;
  return (await db.query<MessageSummary>(text, query.values)).rows;
}

/** Number of matches, at most `cap` (10,001 tells "more than 10,000"). */
export async function countMessages(
  db: Queryable,
  { tenantId, filter = {}, cap = 10_001 }: Omit<ListRequest, "limit" | "cursor"> & { cap?: number },
): Promise<number> {
  if (wordsOfFilter(filter).length > 0) return (await searchMessages(db, { tenantId, filter, cursor: null, limit: cap })).length;
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, filter, { from: null, before: null }, cap);
  // The limit stands around all queues too: what is above the cap is not even read.
  const text = `select count(*)::integer as count from (select from (${matches}) found limit ${query.add(cap)}) counted`;
  const { rows } = await db.query<{ count: number }>(text, query.values);
  return rows[0]?.count ?? 0;
}

/** One row of a narrow table by its whole key: fenced, since a table that was filled a moment ago has no statistics that speak for its key. */
const rowOf = (table: string, alias: string, key: string): string =>
  `left join lateral (select * from queue.${table} r where r.tenant_id = $1 and r.queue_id = q.id ${key} and r.id = m.id offset 0) ${alias} on true`;

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
  ${rowOf("ready", "w", "and r.shard = s.shard")}
  ${rowOf("retrying", "f", "")}
  ${rowOf("dead", "d", "")}
  ${rowOf("parked", "k", "")}
  ${rowOf("history", "h", "")}
  ${rowOf("removed", "x", "")}`;
