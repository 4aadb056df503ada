import { QueueError } from "./errors.ts";
import type { QueueDelivery, QueueMode, Queryable, RetryPolicy } from "./model.ts";

export type QueueSettings = {
  tenantId: number;
  /** Chosen by the engine when absent. */
  queueId?: number;
  targetId: number;
  /** Unique in the target. */
  name: string;
  /** Fixed once the queue exists. */
  mode: QueueMode;
  delivery: QueueDelivery;
  retry?: RetryPolicy;
  isPaused?: boolean;
};

// As many shards as the target takes deliveries at a time, so that several workers can share a queue.
const saveQueueSql = `
  insert into queue.queue as q (tenant_id, id, target_id, name, mode, delivery, shards, max_attempts, base_delay_ms, max_delay_ms, is_paused)
  select $1, coalesce($2::integer, nextval(pg_get_serial_sequence('queue.queue', 'id'))::integer), t.id, $4, $5, $6,
    least(64, 2 ^ ceil(log(2, t.concurrency)))::smallint, coalesce($7::smallint, 5), coalesce($8::integer, 1000), coalesce($9::integer, 3600000), coalesce($10, false)
  from queue.target t where t.tenant_id = $1 and t.id = $3
  on conflict (tenant_id, target_id, name) do update set
    delivery = excluded.delivery,
    max_attempts = coalesce($7::smallint, q.max_attempts),
    base_delay_ms = coalesce($8::integer, q.base_delay_ms),
    max_delay_ms = coalesce($9::integer, q.max_delay_ms),
    is_paused = coalesce($10, q.is_paused)
  where q.mode = excluded.mode
  returning id, shards`;

const addShardsSql = `
  insert into queue.shard (tenant_id, queue_id, shard)
  select $1, $2, shard from generate_series(0, $3::integer - 1) as s (shard)
  on conflict do nothing`;

// Leases of outside workers end with pull delivery: their tokens become stale.
const dropLeasesSql = "delete from queue.lease where tenant_id = $1 and queue_id = $2";

/** Makes or changes a queue; throws QueueError 'unknown-target' or 'mode-fixed'. Returns its id. */
export async function saveQueue(db: Queryable, settings: QueueSettings): Promise<number> {
  const { tenantId, queueId, targetId, name, mode, delivery, retry, isPaused } = settings;
  const values = [tenantId, queueId ?? null, targetId, name, mode, delivery];
  const policy = [retry?.maxAttempts ?? null, retry?.baseDelayMs ?? null, retry?.maxDelayMs ?? null];
  const { rows } = await db.query<{ id: number; shards: number }>(saveQueueSql, [...values, ...policy, isPaused ?? null]);
  const saved = rows[0];
  if (!saved) throw await whyNotSaved(db, tenantId, targetId);
  await db.query(addShardsSql, [tenantId, saved.id, saved.shards]);
  await db.query("select queue.refresh_blocks($1, $2)", [tenantId, targetId]);
  // The shards are locked by now, in the order that settling follows, too: shards before leases.
  if (delivery === "push") await db.query(dropLeasesSql, [tenantId, saved.id]);
  return saved.id;
}

async function whyNotSaved(db: Queryable, tenantId: number, targetId: number): Promise<QueueError> {
  const found = await db.query("select from queue.target where tenant_id = $1 and id = $2", [tenantId, targetId]);
  return found.rowCount === 0
    ? new QueueError("unknown-target", `Tenant ${tenantId} has no target ${targetId}.`)
    : new QueueError("mode-fixed", "The mode of a queue is fixed when it is made.");
}
