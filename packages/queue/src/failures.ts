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
  /** The newest dead letter's, as is its message. */
  errorClass: string | null;
  errorMessage: string | null;
  /** The newest failure first. */
  queues: { queueId: number; targetId: number; count: number }[];
  count: number;
  /** ISO 8601 with microseconds: what is compared with them later must not lose any. */
  firstAt: string;
  lastAt: string;
  /** Failures of each of the last 24 hours of the clock, the present one last. */
  hours: number[];
};

// Counts are the kept sums plus the changes since; times and texts come from the index by cause, one look-up for each queue and end.
const deadGroupsSql = `
  with change as (
    select fingerprint, queue_id, sum(count) as count, json_agg(json_build_array(hour, count)) as changes
    from queue.dead_change where tenant_id = $1 group by fingerprint, queue_id
  ), pair as (
    select fingerprint, queue_id, (coalesce(tally.count, 0) + coalesce(change.count, 0))::integer as count, hours::text, to_hour, changes
    from (select * from queue.dead_tally where tenant_id = $1) tally full join change using (fingerprint, queue_id)
    where coalesce(tally.count, 0) + coalesce(change.count, 0) > 0 and ($2::integer[] is null or queue_id = any($2))
  ), most as (
    select fingerprint, sum(count) as count from pair group by fingerprint order by sum(count) desc limit 500
  ), dated as (
    select p.*, q.target_id, first.dead_at as first_at, last.dead_at as last_at,
      row_number() over (partition by p.fingerprint order by last.dead_at desc, last.id desc) = 1 as is_newest, last.id as newest
    from most m join pair p on p.fingerprint = m.fingerprint
    join queue.queue q on q.tenant_id = $1 and q.id = p.queue_id
    cross join lateral (${endSql("asc")}) first
    cross join lateral (${endSql("desc")}) last
  )
  select p.fingerprint, p.queue_id as "queueId", p.target_id as "targetId", p.count, queue.iso(min(p.first_at) over (partition by p.fingerprint)) as "firstAt",
    queue.iso(p.last_at) as "lastAt", p.hours, p.to_hour as "toHour", p.changes, queue.hour_of(now()) as "nowHour",
    d.error_class as "errorClass", d.error_message as "errorMessage"
  from dated p
  left join lateral (
    select error_class, error_message from queue.dead d
    where p.is_newest and d.tenant_id = $1 and d.queue_id = p.queue_id and d.id = p.newest limit 1
  ) d on true
  order by p.is_newest desc, p.last_at desc, p.newest desc`;

function endSql(direction: "asc" | "desc"): string {
  return `select d.dead_at, d.id from queue.dead d
    where d.tenant_id = $1 and d.queue_id = p.queue_id and case when d.fingerprint is null then '' else d.fingerprint end = p.fingerprint
    order by d.dead_at ${direction} limit 1`;
}

type Pair = {
  fingerprint: string;
  queueId: number;
  targetId: number;
  count: number;
  /** The cause's, over all queues. */
  firstAt: string;
  lastAt: string;
  /** As PostgreSQL writes an array. */
  hours: string | null;
  toHour: number | null;
  changes: [hour: number, count: number][] | null;
  nowHour: number;
  errorClass: string | null;
  errorMessage: string | null;
};

/** Dead letters by cause, the most frequent first; 500 causes at most. */
export async function deadGroups(
  db: Queryable,
  { tenantId, queueIds }: { tenantId: number; queueIds?: readonly number[] },
): Promise<DeadGroup[]> {
  const { rows } = await db.query<Pair>(deadGroupsSql, [tenantId, queueIds ? [...queueIds] : null]);
  // The newest pair of each cause comes first, the newest cause before the others: the order that sorting by count keeps among equals.
  const groups = [...Map.groupBy(rows, ({ fingerprint }) => fingerprint).values()].flatMap((pairs) => toGroup(pairs) ?? []);
  return groups.toSorted((left, right) => right.count - left.count);
}

function toGroup(pairs: readonly Pair[]): DeadGroup | null {
  const [newest] = pairs;
  if (!newest) return null;
  const { fingerprint, errorClass, errorMessage, firstAt, lastAt } = newest;
  return {
    fingerprint: fingerprint === "" ? null : fingerprint,
    errorClass,
    errorMessage,
    queues: pairs.map(({ queueId, targetId, count }) => ({ queueId, targetId, count })),
    count: pairs.reduce((sum, { count }) => sum + count, 0),
    firstAt,
    lastAt,
    hours: hoursOf(pairs),
  };
}

export const hoursShown = 24;

function hoursOf(pairs: readonly Pair[]): number[] {
  const hours = Array.from({ length: hoursShown }, () => 0);
  const add = (slot: number, count: number): void => {
    if (slot >= 0 && slot < hoursShown) hours[slot] = (hours[slot] ?? 0) + count;
  };
  for (const { hours: kept, toHour, changes, nowHour } of pairs) {
    const slotOf = (hour: number): number => hour - nowHour + hoursShown - 1;
    if (kept !== null && toHour !== null) {
      const counts = kept.slice(1, -1).split(",");
      counts.forEach((count, place) => add(slotOf(toHour - hoursShown + 1 + place), Number(count)));
    }
    for (const [hour, count] of changes ?? []) add(slotOf(hour), count);
  }
  return hours;
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
