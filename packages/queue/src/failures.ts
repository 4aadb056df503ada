import { listMessages, summarySql, type MessagePage, type MessageSummary } from "./list-messages.ts";
import { Parameters, retryingSql, type MessageFilter } from "./message-filter.ts";
import type { Queryable } from "./model.ts";
import { wordsOfFilter } from "./search-words.ts";

type FailureRequest = { tenantId: number; filter?: Omit<MessageFilter, "state">; cursor?: string | null; limit: number };

/** Dead letters, newest message first. */
export function listDead(db: Queryable, request: FailureRequest): Promise<MessagePage> {
  return listMessages(db, { ...request, filter: { ...request.filter, state: "dead" } });
}

/**
 * Retrying messages, the next due first. With a search the newest message first: the text index finds them in that order, and its pages
 * have cursors of their own.
 */
export async function listRetrying(db: Queryable, request: FailureRequest): Promise<MessagePage> {
  const { tenantId, filter = {}, limit } = request;
  const isSearch = wordsOfFilter(filter).length > 0;
  // A page of the other order, from before the search changed, begins anew.
  const cursor = request.cursor?.includes("|") === isSearch ? null : (request.cursor ?? null);
  if (isSearch) return listMessages(db, { tenantId, filter: { ...filter, state: "retrying" }, cursor, limit });
  // The cursor keeps the due time as text: a Date would lose the microseconds and repeat rows.
  const [due = null, id = "0"] = cursor === null ? [] : cursor.split("|");
  const query = new Parameters();
  const matches = retryingSql(query, tenantId, filter, { due, id }, limit);
  const text = `
    with page as (${matches})
    ${summarySql.replace("select ", `select p.due_at::text as "dueText", `)} order by p.due_at, p.id`;
  const { rows } = await db.query<MessageSummary & { dueText: string }>(text, query.values);
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { items: rows, nextCursor: last ? `${last.dueText}|${last.messageId}` : null };
}

export type DeadGroup = {
  fingerprint: string | null;
  /** Of the newest one, as its text. */
  errorClass: string | null;
  errorMessage: string | null;
  /** Newest failures first. */
  queues: { queueId: number; targetId: number; count: number }[];
  count: number;
  /** ISO 8601 with microseconds: what is compared with them later must not lose any. */
  firstAt: string;
  lastAt: string;
  /** Failures of each of the last 24 hours, the present one last. */
  hours: number[];
};

// One pass over the tenant's dead letters; the text, the widest column, is looked up once per group.
const deadGroupsSql = `
  with tally as (
    select fingerprint, queue_id, least(24, floor(date_part('epoch', now() - dead_at) / 3600))::integer as age, count(*)::integer as count,
      min(dead_at) as first_at, max(dead_at) as last_at, max(id) as newest
    from queue.dead where tenant_id = $1 and ($2::integer[] is null or queue_id = any($2))
    group by fingerprint, queue_id, age
  ), per_queue as (
    select t.fingerprint, t.queue_id, q.target_id, sum(t.count)::integer as count, min(t.first_at) as first_at, max(t.last_at) as last_at,
      max(t.newest) as newest
    from tally t join queue.queue q on q.tenant_id = $1 and q.id = t.queue_id
    group by t.fingerprint, t.queue_id, q.target_id
  ), grouped as (
    select fingerprint, sum(count)::integer as count, min(first_at) as first_at, max(last_at) as last_at,
      (array_agg(queue_id order by newest desc))[1] as newest_queue, max(newest) as newest,
      json_agg(json_build_object('queueId', queue_id, 'targetId', target_id, 'count', count) order by newest desc) as queues
    from per_queue group by fingerprint order by sum(count) desc, max(newest) desc limit 500
  ), recent as materialized (
    select fingerprint, array_agg(greatest(age, 0) order by age) as ages, array_agg(count order by age) as counts
    from tally where age < 24 group by fingerprint
  )
  select g.fingerprint, d.error_class as "errorClass", d.error_message as "errorMessage", g.queues, g.count,
    to_json(g.first_at)#>>'{}' as "firstAt", to_json(g.last_at)#>>'{}' as "lastAt", r.ages, r.counts
  from grouped g
  left join recent r on r.fingerprint is not distinct from g.fingerprint
  cross join lateral (
    select error_class, error_message from queue.dead d where d.tenant_id = $1 and d.queue_id = g.newest_queue and d.id = g.newest
  ) d
  order by g.count desc, g.newest desc`;

type DeadGroupRow = Omit<DeadGroup, "hours"> & { ages: number[] | null; counts: number[] | null };

/** Dead letters by cause, the most frequent first; 500 causes at most. */
export async function deadGroups(
  db: Queryable,
  { tenantId, queueIds }: { tenantId: number; queueIds?: readonly number[] },
): Promise<DeadGroup[]> {
  const { rows } = await db.query<DeadGroupRow>(deadGroupsSql, [tenantId, queueIds ? [...queueIds] : null]);
  return rows.map(({ ages, counts, ...group }) => {
    const hours = Array.from({ length: 24 }, () => 0);
    // Several queues have entries of one hour.
    ages?.forEach((age, index) => (hours[23 - age] = (hours[23 - age] ?? 0) + (counts?.[index] ?? 0)));
    return { ...group, hours };
  });
}

// Both are single steps along the index of fingerprints.
const neighbourSql = (comparison: "<" | ">", direction: "asc" | "desc") => `
  (select q.name as "queueName", d.id as "messageId" from queue.dead d
   join queue.queue q on q.tenant_id = d.tenant_id and q.id = d.queue_id
   where d.tenant_id = $1 and d.fingerprint = $2 and d.id ${comparison} $3 order by d.id ${direction} limit 1)`;

export type DeadNeighbour = { queueName: string; messageId: string };

/** The dead letters of the same cause that stand before and after one in the list, which has the newest first. */
export async function deadNeighbours(
  db: Queryable,
  { tenantId, fingerprint, messageId }: { tenantId: number; fingerprint: string; messageId: string },
): Promise<{ previous: DeadNeighbour | null; next: DeadNeighbour | null }> {
  const values = [tenantId, fingerprint, messageId];
  const previous = await db.query<DeadNeighbour>(neighbourSql(">", "asc"), values);
  const next = await db.query<DeadNeighbour>(neighbourSql("<", "desc"), values);
  return { previous: previous.rows[0] ?? null, next: next.rows[0] ?? null };
}
