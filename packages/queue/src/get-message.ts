import { parseHeaders } from "./delivery.ts";
import { columnsOf } from "./find-messages.ts";
import { summarySql, type MessageSummary } from "./list-messages.ts";
import { Parameters } from "./message-filter.ts";
import type { AttemptRequest, AttemptResponse, AttemptVersions, MessagePlace, Queryable } from "./model.ts";

export type MessageDetail = MessageSummary & {
  document: string;
  headers: Record<string, string>;
  /** The message that this one replaced. */
  predecessorId: string | null;
};

// The primary key has the queue before the id, so the tenant's queues are asked one by one.
const pageOfIdSql = `
  with page as (
    select q.id as queue_id, m.id from queue.queue q
    cross join lateral (select m.id from queue.message m where m.tenant_id = $1 and m.queue_id = q.id and m.id = $2 offset 0) m
    where q.tenant_id = $1
  )`;
const contentSql = `
  select document, headers, (select h.id from queue.history h where h.tenant_id = $1 and h.successor_id = $3) as "predecessorId"
  from queue.message where tenant_id = $1 and queue_id = $2 and id = $3`;

/** One message with its document; null when the tenant has none of this id. */
export async function getMessage(
  db: Queryable,
  { tenantId, messageId }: { tenantId: number; messageId: string },
): Promise<MessageDetail | null> {
  const found = await db.query<MessageSummary>(`${pageOfIdSql} ${summarySql}`, [tenantId, messageId]);
  const summary = found.rows[0];
  if (!summary) return null;
  const content = await db.query<{ document: string; headers: string | null; predecessorId: string | null }>(contentSql, [
    tenantId,
    summary.queueId,
    messageId,
  ]);
  const row = content.rows[0];
  return row ? { ...summary, ...row, headers: parseHeaders(row.headers) } : null;
}

const pageOfIdsSql = "with page as (select queue_id, id from queue.locate($1, $2::bigint[]))";

/** What became of messages; those that the tenant doesn't have are left out. */
export async function getMessages(
  db: Queryable,
  { tenantId, messageIds }: { tenantId: number; messageIds: readonly string[] },
): Promise<MessageSummary[]> {
  return (await db.query<MessageSummary>(`${pageOfIdsSql} ${summarySql}`, [tenantId, messageIds])).rows;
}

const documentsSql = `
  select m.id as "messageId", m.document
  from unnest($2::integer[], $3::bigint[]) wanted (queue_id, id)
  cross join lateral (
    select id, document from queue.message m where m.tenant_id = $1 and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m`;

/** The documents of many messages, by their ids; those that the tenant doesn't have are left out. */
export async function readDocuments(
  db: Queryable,
  { tenantId, messages }: { tenantId: number; messages: readonly MessagePlace[] },
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ messageId: string; document: string }>(documentsSql, [tenantId, ...columnsOf(messages)]);
  return new Map(rows.map(({ messageId, document }) => [messageId, document]));
}

export type AttemptRecord = {
  number: number;
  startedAt: Date;
  durationMs: number;
  errorClass: string | null;
  errorMessage: string | null;
  request: AttemptRequest | null;
  response: AttemptResponse | null;
  versions: AttemptVersions | null;
  leftOut: string[];
};

const attemptsSql = `
  select a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.error_class as "errorClass", a.error_message as "errorMessage",
    a.exchange::json -> 'request' as request, a.exchange::json -> 'response' as response, a.exchange::json -> 'versions' as versions,
    coalesce(a.exchange::json -> 'leftOut', '[]') as "leftOut",
    case when a.exchange::json #>> '{request,isDocument}' = 'true' then (
      select m.document from queue.message m where m.tenant_id = a.tenant_id and m.queue_id = a.queue_id and m.id = a.id
    ) end as document
  from queue.queue q join queue.attempt a on a.tenant_id = q.tenant_id and a.queue_id = q.id and a.id = $2
  where q.tenant_id = $1 order by a.number`;

/** The attempts to deliver a message, oldest first. */
export async function listAttempts(
  db: Queryable,
  { tenantId, messageId }: { tenantId: number; messageId: string },
): Promise<AttemptRecord[]> {
  const { rows } = await db.query<AttemptRecord & { document: string | null }>(attemptsSql, [tenantId, messageId]);
  return rows.map(({ document, request, ...attempt }) => ({ ...attempt, request: request && withBody(request, document) }));
}

function withBody({ isDocument, ...request }: AttemptRequest, document: string | null): AttemptRequest {
  return isDocument ? { ...request, body: document } : request;
}

export type AttemptNote = Pick<AttemptRecord, "number" | "startedAt" | "durationMs" | "errorClass" | "versions"> & {
  messageId: string;
  status: number | null;
};

const attemptNotesSql = `
  select a.id as "messageId", a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.error_class as "errorClass",
    (a.exchange::json -> 'response' ->> 'status')::integer as status, a.exchange::json -> 'versions' as versions
  from queue.locate($1, $2::bigint[]) l
  cross join lateral (select * from queue.attempt a where a.tenant_id = $1 and a.queue_id = l.queue_id and a.id = l.id offset 0) a
  order by a.id, a.number`;

/** The attempts of several messages without requests and answers, oldest first. */
export async function listAttemptNotes(
  db: Queryable,
  { tenantId, messageIds }: { tenantId: number; messageIds: readonly string[] },
): Promise<AttemptNote[]> {
  return (await db.query<AttemptNote>(attemptNotesSql, [tenantId, messageIds])).rows;
}

/** Up to `limit` messages of the same lane around a message, oldest first. Empty when the tenant has no such message. */
export async function laneOf(
  db: Queryable,
  { tenantId, messageId, limit }: { tenantId: number; messageId: string; limit: number },
): Promise<MessageSummary[]> {
  const query = new Parameters();
  const tenant = query.add(tenantId);
  const id = query.add(messageId);
  const half = query.add(Math.ceil(limit / 2));
  const side = (range: string): string => `
    select o.* from this m
    cross join lateral (
      select o.queue_id, o.id from queue.messages_of(${tenant}, m.queue_id, m.key) o where ${range} limit ${half}
    ) o`;
  const text = `
    with this as (
      select m.* from queue.queue q
      cross join lateral (
        select m.queue_id, m.id, m.key from queue.message m where m.tenant_id = ${tenant} and m.queue_id = q.id and m.id = ${id} offset 0
      ) m
      where q.tenant_id = ${tenant}
    ), page as (
      ${side("o.id <= m.id order by o.id desc")} union all ${side("o.id > m.id order by o.id")}
    ) ${summarySql} order by p.id`;
  return (await db.query<MessageSummary>(text, query.values)).rows;
}
