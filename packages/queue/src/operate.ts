import type { Queryable } from "./model.ts";

type Verb = { tenantId: number; messageIds: readonly string[] };

async function changedIds(db: Queryable, sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(sql, values);
  return rows.map((row) => row.id);
}

const lockSql = (table: "retrying" | "dead") => `
  select array_agg(id) as ids, queue.lock_shards($1, array_agg(queue_id), array_agg(shard)) from queue.${table}
  where tenant_id = $1 and id = any($2::bigint[]) having count(*) > 0`;

/**
 * Those that wait there, their shards locked before their rows, as everywhere, so that operators and workers never wait for each other in a circle. What
 * fails while another's shard is waited for is left to whoever holds its own.
 */
async function lockIn(db: Queryable, table: "retrying" | "dead", { tenantId, messageIds }: Verb): Promise<string[]> {
  return (await db.query<{ ids: string[] }>(lockSql(table), [tenantId, messageIds])).rows[0]?.ids ?? [];
}

const lockMessagesSql = `
  select queue.lock_shards($1, array_agg(queue_id), array_agg(shard)) from queue.locate($1, $2::bigint[]) having count(*) > 0`;

/** Until the transaction ends nobody else changes these messages: what is found out about them holds. */
export async function lockMessages(db: Queryable, { tenantId, messageIds }: Verb): Promise<void> {
  await db.query(lockMessagesSql, [tenantId, messageIds]);
}

const retryNowSql = "update queue.retrying set due_at = clock_timestamp() where tenant_id = $1 and id = any($2::bigint[]) returning id";

/** Retrying messages become due at once. Call it in a transaction. */
export async function retryNow(db: Queryable, { tenantId, messageIds }: Verb): Promise<string[]> {
  const ids = await changedIds(db, retryNowSql, [tenantId, await lockIn(db, "retrying", { tenantId, messageIds })]);
  if (ids.length > 0) await db.query("select queue.promote_retries($1, $2, $3)", [tenantId, 10_000, ids]);
  return ids;
}

/** Removes waiting messages (ready, retrying, parked, dead); messages in hand stay. The removed can be restored until the retention ends. */
export function remove(db: Queryable, { tenantId, messageIds, by }: Verb & { by?: string }): Promise<string[]> {
  return changedIds(db, "select queue.remove($1, $2::bigint[], $3) as id", [tenantId, messageIds, by ?? null]);
}

/** Puts removed messages back to where they were; settles those that newer data has passed as superseded. */
export function restore(db: Queryable, { tenantId, messageIds }: Verb): Promise<string[]> {
  return changedIds(db, "select queue.restore($1, $2::bigint[]) as id", [tenantId, messageIds]);
}

/** Dead letters become ready, with a fresh budget of attempts; those that newer data has passed are settled as superseded. */
export function requeueDead(db: Queryable, { tenantId, messageIds }: Verb): Promise<string[]> {
  return changedIds(db, "select queue.requeue_dead($1, $2::bigint[]) as id", [tenantId, messageIds]);
}

const stillDeadSql = "select id from queue.dead where tenant_id = $1 and id = any($2::bigint[]) order by id";

/** Removes dead letters, and no message that has ceased to be one. Call it in a transaction. */
export async function removeDead(db: Queryable, { tenantId, messageIds, by }: Verb & { by?: string }): Promise<string[]> {
  const ids = await changedIds(db, stillDeadSql, [tenantId, await lockIn(db, "dead", { tenantId, messageIds })]);
  return ids.length === 0 ? [] : remove(db, { tenantId, messageIds: ids, ...(by === undefined ? {} : { by }) });
}

const deadOfGroupSql = `
  select id from queue.dead
  where tenant_id = $1 and fingerprint is not distinct from $2
  order by id limit $3`;

type DeadGroupRequest = { tenantId: number; fingerprint: string | null; limit: number };

/** Ids of the oldest `limit` dead letters of one cause. */
export function deadOfGroup(db: Queryable, { tenantId, fingerprint, limit }: DeadGroupRequest): Promise<string[]> {
  return changedIds(db, deadOfGroupSql, [tenantId, fingerprint, limit]);
}

// In-hand messages stay, so the next round starts behind the last id seen.
const waitingOfQueueSql = `
  select id from (
    (select r.id from queue.shard s cross join lateral (
      select id from queue.ready r where r.tenant_id = $1 and r.queue_id = $2 and r.shard = s.shard and r.id > $3 order by id limit $4
    ) r where s.tenant_id = $1 and s.queue_id = $2)
    union all (select id from queue.retrying where tenant_id = $1 and queue_id = $2 and id > $3 order by id limit $4)
    union all (select id from queue.parked where tenant_id = $1 and queue_id = $2 and id > $3 order by id limit $4)
    union all (select id from queue.dead where tenant_id = $1 and queue_id = $2 and id > $3 order by id limit $4)
  ) waiting order by id limit $4`;

/** Removes everything that waits in a queue, in rounds of 1,000. Returns how many; what is in hand stays. */
export async function purgeQueue(db: Queryable, request: { tenantId: number; queueId: number; by?: string }): Promise<number> {
  const { tenantId, queueId, by } = request;
  let removed = 0;
  let last = "0";
  for (;;) {
    const messageIds = await changedIds(db, waitingOfQueueSql, [tenantId, queueId, last, 1000]);
    if (messageIds.length === 0) return removed;
    last = messageIds.at(-1) ?? last;
    removed += (await remove(db, { tenantId, messageIds, ...(by === undefined ? {} : { by }) })).length;
  }
}
