import type { MessageLink } from "@crossdock/contract";
import type { MessageDetail } from "@crossdock/queue";
import type pg from "pg";

type Repair = { messageId: string; successorId: string; by: string; reason: string; isEdited: boolean };

const keepSql = `
  insert into hub.repair (tenant_id, message_id, successor_id, actor_name, reason, is_edited) values ($1, $2, $3, $4, $5, $6)`;

/** Keeps who put a copy in a message's place, and why; in the transaction that did it. */
export async function keepRepair(client: pg.ClientBase, tenantId: number, repair: Repair): Promise<void> {
  await client.query(keepSql, [tenantId, repair.messageId, repair.successorId, repair.by, repair.reason, repair.isEdited]);
}

const repairsSql = `
  select message_id as "messageId", successor_id as "successorId", actor_name as by, reason, is_edited as "isEdited",
    to_json(made_at)#>>'{}' as at
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
