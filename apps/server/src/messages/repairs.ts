import type { MessageLink } from "@crossdock/contract";
import type { MessageDetail } from "@crossdock/queue";
import type pg from "pg";

type Repair = { messageId: string; successorId: string; by: string; reason: string; isEdited: boolean };

const keepSql = `
  insert into hub.repair (tenant_id, message_id, successor_id, actor_name, reason, is_edited)
  select $1, * from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::boolean[])`;
const noteSql = `
  insert into hub.message_action (tenant_id, message_id, verb, actor_name)
  select $1, repair.id, 'replace', repair.actor from unnest($2::bigint[], $3::text[]) as repair (id, actor)`;

/** Keeps who put copies in messages' places, and why; in the transaction that did it. */
export async function keepRepairs(client: pg.ClientBase, tenantId: number, repairs: readonly Repair[]): Promise<void> {
  if (repairs.length === 0) return;
  const ids = repairs.map(({ messageId }) => messageId);
  const actors = repairs.map(({ by }) => by);
  const successors = repairs.map(({ successorId }) => successorId);
  const reasons = repairs.map(({ reason }) => reason);
  await client.query(keepSql, [tenantId, ids, successors, actors, reasons, repairs.map(({ isEdited }) => isEdited)]);
  await client.query(noteSql, [tenantId, ids, actors]);
}

const repairsSql = `
  select message_id as "messageId", successor_id as "successorId", actor_name as by, reason, is_edited as "isEdited",
    queue.iso(made_at) as at
  from hub.repair where tenant_id = $1 and (message_id = $2 or successor_id = $2)`;

/** What took a message's place and whose place it took, with the reasons that were given. */
export async function readLinks(
  client: pg.ClientBase,
  tenantId: number,
  { messageId, successorId, predecessorId }: MessageDetail,
): Promise<{ successor: MessageLink | null; predecessor: MessageLink | null }> {
  if (successorId === null && predecessorId === null) return { successor: null, predecessor: null };
  const { rows } = await client.query<Repair & { at: string }>(repairsSql, [tenantId, messageId]);
  const toLink = (id: string | null, repair: (Repair & { at: string }) | undefined): MessageLink | null =>
    id === null
      ? null
      : { id, by: repair?.by ?? null, reason: repair?.reason ?? null, at: repair?.at ?? null, isEdited: repair?.isEdited ?? false };
  return {
    successor: toLink(
      successorId,
      rows.find((row) => row.messageId === messageId),
    ),
    predecessor: toLink(
      predecessorId,
      rows.find((row) => row.successorId === messageId),
    ),
  };
}
