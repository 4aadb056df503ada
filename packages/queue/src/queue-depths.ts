import type { Queryable, QueueDelivery, QueueMode } from "./model.ts";

export type QueueDepth = {
  queueId: number;
  name: string;
  targetId: number;
  mode: QueueMode;
  delivery: QueueDelivery;
  isPaused: boolean;
  ready: number;
  inHand: number;
  retrying: number;
  dead: number;
  parked: number;
  oldestWaitingAt: Date | null;
};

// What waits is counted up to $2 and one more; of what is more than that, as it was counted last. Ready is looked at shard by shard for the
// oldest one and what is in hand, as its key has the shard before the id. Of dead letters the sum of what is kept and what changed since.
// Most queues of most tenants hold nothing that waits: those that do are found by a step of an index each, and nothing is looked up of the others.
const depthsSql = `
  with recursive ${["ready", "retrying", "parked"].map(queuesWithSql).join(", ")}, busy as (
    select queue_id from ready_in union select queue_id from retrying_in union select queue_id from parked_in
  ), leased as (
    select queue_id, count(*) as count from queue.lease where tenant_id = $1 group by queue_id
  ), dead as (
    select queue_id, sum(count)::integer as count from (
      select queue_id, count from queue.dead_tally where tenant_id = $1 union all select queue_id, count from queue.dead_change where tenant_id = $1
    ) kept group by queue_id
  )
  select q.id as "queueId", q.name, q.target_id as "targetId", q.mode, q.delivery, q.is_paused as "isPaused",
    greatest(${presentSql("ready")} - hand.count, 0)::integer as ready, hand.count::integer as "inHand",
    ${presentSql("retrying")} as retrying, coalesce(dead.count, 0) as dead, ${presentSql("parked")} as parked,
    (select m.created_at from queue.message m where m.tenant_id = q.tenant_id and m.queue_id = q.id
      and m.id = least(head.oldest, retrying.oldest, parked.oldest) offset 0) as "oldestWaitingAt"
  from queue.queue q
  left join dead on dead.queue_id = q.id
  left join queue.depth kept on kept.tenant_id = q.tenant_id and kept.queue_id = q.id
  left join busy on busy.queue_id = q.id
  left join leased on leased.queue_id = q.id
  cross join lateral (
    select count(*)::integer as count from (
      select from queue.ready w where busy.queue_id is not null and w.tenant_id = q.tenant_id and w.queue_id = q.id limit $2 + 1) w
  ) ready
  cross join lateral (
    select min(w.oldest) as oldest, coalesce(sum(w.in_hand), 0) as in_hand
    from queue.shard s
    cross join lateral (
      select (select id from queue.ready w where w.tenant_id = q.tenant_id and w.queue_id = q.id and w.shard = s.shard order by id limit 1) as oldest,
        case when s.owner is not null and s.lease_until > clock_timestamp() then (
          select count(*) from queue.ready w where w.tenant_id = q.tenant_id and w.queue_id = q.id and w.shard = s.shard and w.id <= s.read_to
        ) end as in_hand
    ) w
    where busy.queue_id is not null and s.tenant_id = q.tenant_id and s.queue_id = q.id
  ) head
  cross join lateral (select head.in_hand + coalesce(leased.count, 0) as count) hand
  cross join lateral (${waitingSql("retrying")}) retrying
  cross join lateral (${waitingSql("parked")}) parked
  where q.tenant_id = $1 and ($4::integer[] is null or q.target_id = any ($4)) and (not $3 or busy.queue_id is not null or leased.queue_id is not null or dead.count > 0) order by q.name, q.id`;

function waitingSql(table: "retrying" | "parked"): string {
  return `select count(*)::integer as count, min(id) as oldest from (
    select id from queue.${table} w where busy.queue_id is not null and w.tenant_id = q.tenant_id and w.queue_id = q.id order by id limit $2 + 1) w`;
}

/** The queues that have a row in a table, each found from the one before it. */
function queuesWithSql(table: string): string {
  const first = (more: string): string =>
    `(select queue_id from queue.${table} w where w.tenant_id = $1 ${more} order by w.tenant_id, w.queue_id limit 1)`;
  return `${table}_in as (
    ${first("")} union all select ${first(`and w.queue_id > ${table}_in.queue_id`)} from ${table}_in where ${table}_in.queue_id is not null
  )`;
}

function presentSql(state: "ready" | "retrying" | "parked"): string {
  return `case when ${state}.count <= $2 then ${state}.count else greatest(kept.${state}, ${state}.count) end`;
}

/** Up to this many messages of a state are counted when somebody asks for a depth; `countWaiting` keeps the counts of longer queues. */
export const countedAtOnce = 500;

/**
 * Depths of a tenant's queues, at a cost that doesn't grow with what waits. Dead letters are exact, and so is each other state of a queue up to
 * `countedAtOnce` messages; a higher count is what `countWaiting` last found, a second ago or, in very long queues, some seconds ago.
 * `isIdleOmitted` leaves out queues in which nothing waits, is in hand or dead,
 * `targetIds` those of other targets.
 */
export async function queueDepths(
  db: Queryable,
  { tenantId, isIdleOmitted = false, targetIds = null }: { tenantId: number; isIdleOmitted?: boolean; targetIds?: number[] | null },
): Promise<QueueDepth[]> {
  return (await db.query<QueueDepth>(depthsSql, [tenantId, countedAtOnce, isIdleOmitted, targetIds])).rows;
}

const readySql = `
  select count(*)::integer as count from (select from queue.ready where tenant_id = $1 and queue_id = $2 limit $3) waiting`;

/** How many of a queue's messages are ready or in hand; the count stops at `cap`. */
export async function countReady(
  db: Queryable,
  { tenantId, queueId, cap }: { tenantId: number; queueId: number; cap: number },
): Promise<number> {
  return (await db.query<{ count: number }>(readySql, [tenantId, queueId, cap])).rows[0]?.count ?? 0;
}
