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

// Each count stops at the cap; ready is counted shard by shard because its key has the shard before the id.
const depthsSql = `
  select q.id as "queueId", q.name, q.target_id as "targetId", q.mode, q.delivery, q.is_paused as "isPaused",
    greatest(r.ready - hand.count, 0)::integer as ready, hand.count::integer as "inHand",
    f.count::integer as retrying, d.count::integer as dead, k.count::integer as parked,
    (select m.created_at from queue.message m where m.tenant_id = q.tenant_id and m.queue_id = q.id
      and m.id = least(r.oldest, f.oldest, k.oldest) offset 0) as "oldestWaitingAt"
  from queue.queue q
  cross join lateral (
    select coalesce(sum(c.count), 0) as ready, min(c.oldest) as oldest, coalesce(sum(c.in_hand), 0) as in_hand
    from queue.shard s
    cross join lateral (
      select count(*) as count, min(w.id) as oldest,
        count(*) filter (where s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to) as in_hand
      from (select id from queue.ready w where w.tenant_id = q.tenant_id and w.queue_id = q.id and w.shard = s.shard order by id limit $2) w
    ) c
    where s.tenant_id = q.tenant_id and s.queue_id = q.id
  ) r
  cross join lateral (
    select r.in_hand + (select count(*) from queue.lease l where l.tenant_id = q.tenant_id and l.queue_id = q.id) as count
  ) hand
  cross join lateral (select count(*) as count, min(id) as oldest from (
    select id from queue.retrying w where w.tenant_id = q.tenant_id and w.queue_id = q.id order by id limit $2) w) f
  cross join lateral (select count(*) as count from (
    select id from queue.dead w where w.tenant_id = q.tenant_id and w.queue_id = q.id limit $2) w) d
  cross join lateral (select count(*) as count, min(id) as oldest from (
    select id from queue.parked w where w.tenant_id = q.tenant_id and w.queue_id = q.id order by id limit $2) w) k
  where q.tenant_id = $1 order by q.name, q.id`;

/** Depths of a tenant's queues; each count (ready: of each shard) stops at `cap`. */
export async function queueDepths(db: Queryable, { tenantId, cap = 10_001 }: { tenantId: number; cap?: number }): Promise<QueueDepth[]> {
  return (await db.query<QueueDepth>(depthsSql, [tenantId, cap])).rows;
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
