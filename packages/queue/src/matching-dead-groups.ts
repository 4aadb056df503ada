import { deadGroups, hoursShown, type DeadGroup } from "./failures.ts";
import { deadConditions, escapeLike, Parameters, type MessageFilter } from "./message-filter.ts";
import type { MessagePlace, Queryable } from "./model.ts";
import { readNamed, rowsOf } from "./search-messages.ts";
import { wordsOf } from "./search-words.ts";

type Filter = Omit<MessageFilter, "state">;
type GroupsRequest = { tenantId: number; filter: Filter; lookedAtMax?: typeof lookedAtMost };

/** `isExact` is false where only the newest dead letters of each cause and queue were looked at: the true counts may be higher. */
export type MatchingDeadGroups = { groups: DeadGroup[]; isExact: boolean };

/** How many dead letters one query may look at: by columns of their own rows, or by texts and documents, which are looked up one by one. */
const lookedAtMost = { beside: 100_000, lookedUp: 15_000 };

/**
 * Dead letters that a filter matches by cause, the most frequent first; 500 causes at most. By queues alone the kept counts answer.
 * Of payloads and attempts `scanMessages` with `groupsOfFound` tells sooner. Wants the tenant set in the session.
 */
export async function matchingDeadGroups(
  db: Queryable,
  { tenantId, filter, lookedAtMax = lookedAtMost }: GroupsRequest,
): Promise<MatchingDeadGroups> {
  const { queueIds, ...others } = filter;
  if (Object.values(others).every((value) => value === undefined)) {
    return { groups: await deadGroups(db, { tenantId, ...(queueIds && { queueIds }) }), isExact: true };
  }
  const { search, searchKeys: _, ...placed } = filter;
  const query = new Parameters();
  const tenant = query.add(tenantId);
  const condition = deadConditions(query, tenant, { ...placed, state: "dead" });
  const isLookedUp = search !== undefined || condition.join !== "";
  const lookedAt = await placesToLookAt(db, tenantId, queueIds, isLookedUp ? lookedAtMax.lookedUp : lookedAtMax.beside);
  const text = search === undefined ? { join: "", where: "" } : textConditions(query, tenant, search, await namedBy(db, tenantId, filter));
  const ofQueues = queueIds ? `and w.queue_id = any(${query.add([...queueIds])})` : "";
  const from = lookedAt === null ? "queue.dead w" : newestOf(query, tenant, lookedAt);
  const dead = `select w.queue_id, w.dead_at, ${causeOf("w")} as fingerprint from ${from} ${text.join} ${condition.join}
    where w.tenant_id = ${tenant} ${ofQueues} ${condition.where} ${text.where}`;
  return { groups: await readGroups(db, query, { tenant, dead }), isExact: lookedAt === null };
}

/** Dead letters by cause, of those that were found. */
export async function groupsOfFound(db: Queryable, tenantId: number, found: readonly MessagePlace[]): Promise<DeadGroup[]> {
  if (found.length === 0) return [];
  const query = new Parameters();
  const tenant = query.add(tenantId);
  const dead = `select w.queue_id, w.dead_at, ${causeOf("w")} as fingerprint
    from ${rowsOf(query, found)} f (queue_id, id)
    cross join lateral (select * from queue.dead d where d.tenant_id = ${tenant} and d.queue_id = f.queue_id and d.id = f.id offset 0) w`;
  return readGroups(db, query, { tenant, dead });
}

/** As the index of causes has it. */
const causeOf = (row: string): string => `case when ${row}.fingerprint is null then '' else ${row}.fingerprint end`;

type Places = { queueIds: number[]; causes: string[]; each: number };

const keptSql = `
  select queue_id as "queueId", fingerprint, sum(count)::integer as count from (
    select queue_id, fingerprint, count from queue.dead_tally where tenant_id = $1
    union all select queue_id, fingerprint, count from queue.dead_change where tenant_id = $1
  ) kept
  where $2::integer[] is null or queue_id = any($2) group by 1, 2 having sum(count) > 0 order by count`;

/** How many of each cause in each queue may be looked at, so that `max` are all together; null: all of them. */
async function placesToLookAt(
  db: Queryable,
  tenantId: number,
  queueIds: readonly number[] | undefined,
  max: number,
): Promise<Places | null> {
  const values = [tenantId, queueIds ? [...queueIds] : null];
  const { rows } = await db.query<{ queueId: number; fingerprint: string; count: number }>(keptSql, values);
  let left = max;
  // The rarest first: what they don't use is shared among the others.
  for (const [place, { count }] of rows.entries()) {
    const each = Math.max(1, Math.floor(left / (rows.length - place)));
    if (count > each) return { queueIds: rows.map((row) => row.queueId), causes: rows.map((row) => row.fingerprint), each };
    left -= count;
  }
  return null;
}

function newestOf(query: Parameters, tenant: string, { queueIds, causes, each }: Places): string {
  return `unnest(${query.add(queueIds)}::integer[], ${query.add(causes)}::text[]) place (queue_id, cause)
    cross join lateral (
      select * from queue.dead d where d.tenant_id = ${tenant} and d.queue_id = place.queue_id and ${causeOf("d")} = place.cause
      order by d.dead_at desc limit ${query.add(each)}
    ) w`;
}

/** What the search is the id of, or of whose external message; and messages of the keys that it stands for. */
async function namedBy(db: Queryable, tenantId: number, filter: Filter): Promise<string[]> {
  const named = await readNamed(db, { tenantId, filter, before: null, limit: lookedAtMost.lookedUp });
  return named.map(({ messageId }) => messageId);
}

/** By the text of each dead letter: of few messages that is sooner done than by the index, which has the words of all. */
function textConditions(query: Parameters, tenant: string, search: string, namedIds: string[]): { join: string; where: string } {
  const patterns = query.add(wordsOf(search).map((word) => `%${escapeLike(word)}%`));
  return {
    join: `left join lateral (
      select true as has_words from queue.search_text t
      where t.tenant_id = ${tenant} and t.queue_id = w.queue_id and t.id = w.id and t.text like all (${patterns}::text[]) offset 0
    ) t on true`,
    where: `and (t.has_words or w.id = any(${query.add(namedIds)}::bigint[]))`,
  };
}

// When the hours that are shown begin: failures from before make one bin, and none is asked for its hour, which takes half a microsecond.
const hoursSql = `(
  select array_agg(hour order by hour)
  from generate_series(date_bin('1 hour', now(), 'epoch') - interval '${hoursShown - 1} hours', now(), interval '1 hour') hour)`;

type GroupRow = Omit<DeadGroup, "fingerprint" | "hours"> & {
  fingerprint: string;
  /** Hours with failures, 1 being the first of those shown, and how many, for each queue; as PostgreSQL writes arrays. */
  slots: string | null;
  counts: string | null;
};

async function readGroups(db: Queryable, query: Parameters, { tenant, dead }: { tenant: string; dead: string }): Promise<DeadGroup[]> {
  const text = `
    with counted as materialized (
      select fingerprint, queue_id, width_bucket(dead_at, ${hoursSql}) as slot, count(*)::integer as count,
        min(dead_at) as first_at, max(dead_at) as last_at
      from (${dead}) dead group by 1, 2, 3
    ), pair as (
      select fingerprint, queue_id, sum(count)::integer as count, min(first_at) as first_at, max(last_at) as last_at from counted group by 1, 2
    ), recent as (
      select fingerprint, array_agg(slot)::text as slots, array_agg(count)::text as counts from counted where slot > 0 group by fingerprint
    ), cause as (
      select p.fingerprint, sum(p.count)::integer as count, min(p.first_at) as first_at, max(p.last_at) as last_at,
        (array_agg(p.queue_id order by p.last_at desc))[1] as newest_in,
        json_agg(json_build_object('queueId', p.queue_id, 'targetId', q.target_id, 'count', p.count) order by p.last_at desc) as queues
      from pair p join queue.queue q on q.tenant_id = ${tenant} and q.id = p.queue_id
      group by p.fingerprint order by 2 desc, 4 desc limit 500
    )
    select c.fingerprint, c.count, c.queues, queue.iso(c.first_at) as "firstAt", queue.iso(c.last_at) as "lastAt",
      r.slots, r.counts, d.error_class as "errorClass", d.error_message as "errorMessage"
    from cause c left join recent r on r.fingerprint = c.fingerprint
    left join lateral (
      select d.error_class, d.error_message from queue.dead d
      where d.tenant_id = ${tenant} and d.queue_id = c.newest_in and ${causeOf("d")} = c.fingerprint and d.dead_at = c.last_at order by d.id desc limit 1
    ) d on true
    order by c.count desc, c.last_at desc`;
  const { rows } = await db.query<GroupRow>(text, query.values);
  return rows.map(({ slots, counts, fingerprint, ...row }) => ({
    ...row,
    fingerprint: fingerprint === "" ? null : fingerprint,
    hours: hoursOf(numbersOf(slots), numbersOf(counts)),
  }));
}

const numbersOf = (array: string | null): number[] => (array === null ? [] : array.slice(1, -1).split(",").map(Number));

function hoursOf(slots: readonly number[], counts: readonly number[]): number[] {
  const hours = Array.from({ length: hoursShown }, () => 0);
  for (const [place, slot] of slots.entries()) hours[slot - 1] = (hours[slot - 1] ?? 0) + (counts[place] ?? 0);
  return hours;
}
