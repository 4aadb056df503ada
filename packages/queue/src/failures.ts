import { listMessages, summarySql, type MessagePage, type MessageSummary } from "./list-messages.ts";
import type { MessageFilter } from "./message-filter.ts";
import type { Queryable } from "./model.ts";

type FailureRequest = { tenantId: number; filter?: Omit<MessageFilter, "state">; cursor?: string | null; limit: number };

/** Dead letters, newest message first. */
export function listDead(db: Queryable, request: FailureRequest): Promise<MessagePage> {
  return listMessages(db, { ...request, filter: { ...request.filter, state: "dead" } });
}

const retryingSql = `
  with page as (
    select queue_id, id, due_at from queue.retrying
    where tenant_id = $1 and ($2::integer[] is null or queue_id = any($2)) and (due_at, id) > (coalesce($3::timestamptz, '-infinity'), $4::bigint)
    order by due_at, id limit $5
  )
  ${summarySql.replace("select ", `select p.due_at::text as "dueText", `)} order by p.due_at, p.id`;

/** Retrying messages, the next due first. */
export async function listRetrying(
  db: Queryable,
  request: { tenantId: number; queueIds?: readonly number[]; cursor?: string | null; limit: number },
): Promise<MessagePage> {
  // The cursor keeps the due time as text: a Date would lose the microseconds and repeat rows.
  const [due = null, id = "0"] = request.cursor ? request.cursor.split("|") : [];
  const queueIds = request.queueIds ? [...request.queueIds] : null;
  const { rows } = await db.query<MessageSummary & { dueText: string }>(retryingSql, [request.tenantId, queueIds, due, id, request.limit]);
  const last = rows.length === request.limit ? rows.at(-1) : undefined;
  return { items: rows, nextCursor: last ? `${last.dueText}|${last.messageId}` : null };
}

export type DeadGroup = {
  fingerprint: string | null;
  errorClass: string | null;
  /** Of the newest one. */
  errorMessage: string | null;
  queueId: number;
  queueName: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
};

const deadGroupsSql = `
  select d.fingerprint, max(d.error_class) as "errorClass", (array_agg(d.error_message order by d.id desc))[1] as "errorMessage",
    d.queue_id as "queueId", q.name as "queueName", count(*)::integer as count, min(d.dead_at) as "firstAt", max(d.dead_at) as "lastAt"
  from queue.dead d join queue.queue q on q.tenant_id = d.tenant_id and q.id = d.queue_id
  where d.tenant_id = $1 and ($2::integer[] is null or d.queue_id = any($2))
  group by d.queue_id, q.name, d.fingerprint order by count(*) desc, d.queue_id limit 500`;

/** Dead letters by queue and cause, the most frequent first. */
export async function deadGroups(
  db: Queryable,
  { tenantId, queueIds }: { tenantId: number; queueIds?: readonly number[] },
): Promise<DeadGroup[]> {
  return (await db.query<DeadGroup>(deadGroupsSql, [tenantId, queueIds ? [...queueIds] : null])).rows;
}
