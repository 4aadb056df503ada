import { columnsOf } from "./find-messages.ts";
import type { MessagePlace, Queryable } from "./model.ts";
import { isAnnouncementDue } from "./announcer.ts";

export type DeadDocument = MessagePlace & { key: string; entityType: string; document: string };

const documentsSql = `
  select d.queue_id as "queueId", d.id as "messageId", m.key, m.entity_type as "entityType", m.document
  from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  join queue.dead d on d.tenant_id = $1 and d.queue_id = place.queue_id and d.id = place.id
  cross join lateral (select * from queue.message m where m.tenant_id = $1 and m.queue_id = d.queue_id and m.id = d.id offset 0) m
  order by d.id`;

type Places = { tenantId: number; messages: readonly MessagePlace[] };

/** The documents of those that are dead letters now, oldest first. */
export async function readDead(db: Queryable, { tenantId, messages }: Places): Promise<DeadDocument[]> {
  const values = [tenantId, ...columnsOf(messages)];
  return (await db.query<DeadDocument>(documentsSql, values)).rows;
}

// Shards before rows, as everywhere, and all of them at once: one by one, two operators could wait for each other in a circle.
const lockSql = `
  select array_agg(d.id) as ids, queue.lock_shards($1, array_agg(d.queue_id), array_agg(d.shard))
  from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  join queue.dead d on d.tenant_id = $1 and d.queue_id = place.queue_id and d.id = place.id having count(*) > 0`;

/** As `readDead`, but locked: they stay dead letters until the end of the transaction. One that dies while the locks are waited for is left out. */
export async function lockDead(db: Queryable, { tenantId, messages }: Places): Promise<DeadDocument[]> {
  const { rows } = await db.query<{ ids: string[] }>(lockSql, [tenantId, ...columnsOf(messages)]);
  const locked = new Set(rows[0]?.ids);
  return readDead(db, { tenantId, messages: messages.filter(({ messageId }) => locked.has(messageId)) });
}

// As queue.requeue_dead, queue.restore and queue.replace_message have it.
const passedSql = `
  select m.id::text as id
  from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  join queue.queue q on q.tenant_id = $1 and q.id = place.queue_id and q.mode = 'latest'
  cross join lateral (select * from queue.message m where m.tenant_id = $1 and m.queue_id = q.id and m.id = place.id offset 0) m
  where queue.has_newer($1, q.id, queue.lane_of(m.key), m.version, m.id)
  union all
  select queue.passed_of($1, $2, $3)::text`;

/** Of dead letters and removed messages the ids of those that newer data has passed: neither they nor copies of theirs go back to their lanes. */
export async function findPassed(db: Queryable, { tenantId, messages }: Places): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(passedSql, [tenantId, ...columnsOf(messages)]);
  return rows.map(({ id }) => id);
}

const replaceSql = `
  select input.id as "messageId", answer.successor_id as "successorId"
  from unnest($2::bigint[], $3::text[]) with ordinality as input (id, document, n)
  cross join lateral queue.replace_message($1, input.id, null, input.document, $4) answer
  where answer.outcome = 'replaced'
  order by input.n`;

export type ReplacedMessage = { messageId: string; successorId: string };
type Replacements = { tenantId: number; documents: readonly Pick<DeadDocument, "messageId" | "document">[] };

/**
 * Puts edited copies in the places of messages that `lockDead` answered in the same transaction, as `replaceMessage` does with one. Those
 * left out have been overtaken by newer data and stay as they are.
 */
export async function replaceLocked(db: Queryable, { tenantId, documents }: Replacements): Promise<ReplacedMessage[]> {
  if (documents.length === 0) return [];
  const ids = documents.map(({ messageId }) => messageId);
  const texts = documents.map(({ document }) => document);
  return (await db.query<ReplacedMessage>(replaceSql, [tenantId, ids, texts, isAnnouncementDue(tenantId)])).rows;
}
