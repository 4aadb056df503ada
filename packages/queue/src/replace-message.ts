import { QueueError, unknownQueueOr } from "./errors.ts";
import { getMessage } from "./get-message.ts";
import type { MessageState, Queryable } from "./model.ts";
import { isAnnouncementDue } from "./announcer.ts";

/**
 * `refused`: the message is in hand or settled, as `state` says. `overtaken`: the lane that the copy would go to has newer data than the
 * message's or, in another queue, the same event's. Nothing is changed with either, nor when the tenant has no such message (`unknown`).
 */
export type Replacement =
  | { outcome: "replaced"; successorId: string }
  | { outcome: "refused"; state: MessageState }
  | { outcome: "overtaken" | "unknown" };

type ReplaceRequest = {
  tenantId: number;
  messageId: string;
  /** The queue of the successor; without it the message's own. */
  queueId?: number;
  /** JSON text; without it the message's own. */
  document?: string;
};

const replaceSql = `
  select outcome, successor_id as "successorId" from queue.replace_message($1, $2::bigint, $3::integer, $4, $5)`;

/**
 * Publishes an edited copy of a message that waits (ready, retrying, parked, dead) or was removed, and settles the message as redirected
 * to it, both or neither: of the two exactly one is ever delivered. In the same fifo queue the copy takes the message's place in its lane.
 * Throws QueueError 'unknown-queue', 'nul-character'.
 */
export async function replaceMessage(db: Queryable, request: ReplaceRequest): Promise<Replacement> {
  const { tenantId, messageId, queueId = null, document = null } = request;
  if (document?.includes("\0")) throw new QueueError("nul-character", "A document holds no NUL characters.");
  try {
    const values = [tenantId, messageId, queueId, document, isAnnouncementDue(tenantId)];
    const { rows } = await db.query<{ outcome: "replaced" | "refused" | "overtaken"; successorId: string | null }>(replaceSql, values);
    const [answer] = rows;
    if (answer?.successorId) return { outcome: "replaced", successorId: answer.successorId };
    if (answer?.outcome === "overtaken") return { outcome: "overtaken" };
    const message = await getMessage(db, { tenantId, messageId });
    return message ? { outcome: "refused", state: message.state } : { outcome: "unknown" };
  } catch (error) {
    throw unknownQueueOr(error);
  }
}
