import type { Queryable } from "./model.ts";

// Shard by shard, as the key has the shard before the id. What a worker has in hand does not count.
const nextSql = `
  select w.id::text as id from queue.shard s
  cross join lateral (
    select w.id from queue.ready w
    where w.tenant_id = s.tenant_id and w.queue_id = s.queue_id and w.shard = s.shard
      and not (s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to)
      and not exists (select from queue.lease l where l.tenant_id = w.tenant_id and l.queue_id = w.queue_id and l.lane = w.lane)
    order by w.id limit 1
  ) w
  where s.tenant_id = $1 and s.queue_id = $2 order by w.id limit 1`;

/** The id of the message that comes next in a queue; null when none waits. Changes nothing. */
export async function nextReady(db: Queryable, { tenantId, queueId }: { tenantId: number; queueId: number }): Promise<string | null> {
  return (await db.query<{ id: string }>(nextSql, [tenantId, queueId])).rows[0]?.id ?? null;
}

// Key by key along the index of keys, newest first.
const deliveredSql = `
  select wanted.key, found.id::text as "messageId", found.document, found.headers
  from unnest($3::text[]) wanted (key)
  cross join lateral (
    select m.id, m.document, m.headers from queue.messages_of($1, $2, wanted.key) m
    cross join lateral (
      select from queue.history h where h.tenant_id = $1 and h.queue_id = $2 and h.id = m.id and h.outcome = 'delivered' offset 0
    ) delivered
    order by m.id desc limit 1
  ) found`;

export type DeliveredMessage = { key: string; messageId: string; document: string; headers: string | null };

/** For each key, the newest delivered message of a queue, as long as the history keeps it. */
export async function newestDelivered(
  db: Queryable,
  { tenantId, queueId, keys }: { tenantId: number; queueId: number; keys: readonly string[] },
): Promise<DeliveredMessage[]> {
  return (await db.query<DeliveredMessage>(deliveredSql, [tenantId, queueId, keys])).rows;
}

// What of the key would be overwritten: where only the newest counts whatever came later, else a later state of the object that was sent or, for a
// copy, which goes behind what waits, will be.
const newerSql = `
  select newer.id::text as id
  from queue.message m
  join queue.queue q on q.tenant_id = m.tenant_id and q.id = m.queue_id
  cross join lateral (
    select o.id from queue.messages_of($1, $2, m.key) o
    left join lateral (
      select h.outcome from queue.history h where h.tenant_id = $1 and h.queue_id = $2 and h.id = o.id offset 0
    ) finished on true
    where case q.mode when 'latest' then o.id > m.id
        else coalesce(o.entity_version, 0) > coalesce(m.entity_version, 0) and coalesce(finished.outcome = 'delivered', $4) end
      and not exists (select from queue.removed r where r.tenant_id = $1 and r.queue_id = $2 and r.id = o.id offset 0)
    order by o.id desc limit 1
  ) newer
  where m.tenant_id = $1 and m.queue_id = $2 and m.id = $3`;

type Outdated = { tenantId: number; queueId: number; messageId: string; isCopy: boolean };

/** The newest message whose data a message sent again, or as a copy, would overwrite with older ones; null where there is none. */
export async function findNewer(db: Queryable, { tenantId, queueId, messageId, isCopy }: Outdated): Promise<string | null> {
  return (await db.query<{ id: string }>(newerSql, [tenantId, queueId, messageId, isCopy])).rows[0]?.id ?? null;
}
