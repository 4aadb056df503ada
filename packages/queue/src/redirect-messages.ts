import { unknownQueueOr } from "./errors.ts";
import { columnsOf } from "./find-messages.ts";
import type { MessagePlace, Queryable } from "./model.ts";
import { isAnnouncementDue } from "./announcer.ts";
import type { ReplacedMessage } from "./replace-dead.ts";

/** `overtaken`: newer data of the same object has come to the message's own queue (a `latest` one) or to the other one, or the same event's there. */
export type Redirected = { redirected: ReplacedMessage[]; overtaken: string[] };

type RedirectRequest = { tenantId: number; queueId: number; messages: readonly MessagePlace[] };

const redirectSql = `
  select message_id as "messageId", outcome, successor_id as "successorId" from queue.redirect_to($1, $2, $3::integer[], $4::bigint[], $5)`;

/**
 * Publishes copies of messages that wait (ready, retrying, parked, dead) to another queue, in the order of their lanes, and settles each as
 * redirected to its copy, both or neither: of the two exactly one is ever delivered. What is in hand, settled or removed, and what has been
 * overtaken stays as it is. Call it in a transaction. Throws QueueError 'unknown-queue'.
 */
export async function redirectMessages(db: Queryable, { tenantId, queueId, messages }: RedirectRequest): Promise<Redirected> {
  if (messages.length === 0) return { redirected: [], overtaken: [] };
  try {
    const values = [tenantId, queueId, ...columnsOf(messages), isAnnouncementDue(tenantId)];
    const { rows } = await db.query<{ messageId: string; successorId: string | null }>(redirectSql, values);
    return {
      redirected: rows.flatMap(({ messageId, successorId }) => (successorId === null ? [] : [{ messageId, successorId }])),
      overtaken: rows.flatMap(({ messageId, successorId }) => (successorId === null ? [messageId] : [])),
    };
  } catch (error) {
    throw unknownQueueOr(error);
  }
}

const overtakenSql = "select queue.overtaken_for($1, $2, $3::integer[], $4::bigint[]) as id";

/** The ids of those messages that newer data has overtaken, and which a redirection to the queue would leave where they are. */
export async function findOvertaken(db: Queryable, { tenantId, queueId, messages }: RedirectRequest): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(overtakenSql, [tenantId, queueId, ...columnsOf(messages)]);
  return rows.map(({ id }) => id);
}
