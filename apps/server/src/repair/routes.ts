import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type Fault } from "@crossdock/contract";
import { replaceMessage, type MessageDetail } from "@crossdock/queue";
import { actorName } from "../access/actor.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { checkDocument } from "../messages/edited-document.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because, faultBecause } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { isJson } from "../masking/json-scalars.ts";
import { readMasking, type Masking } from "../masking/masking.ts";
import { keepRepairs } from "../messages/repairs.ts";
import { findMessage, toMessage } from "../messages/rows.ts";
import { tellPullers } from "../pullers.ts";
import { addRoute } from "../api/route.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { findQueue } from "./target-queue.ts";

export function registerRepair(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.checkReplacement, ({ tenant: { tenantId }, params, body }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const checked = await check(
        client,
        tenantId,
        await findMessage(client, tenantId, params.messageId),
        body,
        await readMasking(client, tenantId, keys.masking),
      );
      return { errors: "errors" in checked ? checked.errors : [] };
    }),
  );

  addRoute(app, routes.replaceMessage, (context) => {
    const { principal, params, body } = context;
    const { tenantId } = context.tenant;
    return createOnce(pools.app, tenantId, context, async (client, trail) => {
      const message = await findMessage(client, tenantId, params.messageId);
      const checked = await check(client, tenantId, message, body, await readMasking(client, tenantId, keys.masking));
      if ("errors" in checked) throw new ApiError("validation-failed", { errors: checked.errors });
      const successorId = await replace(client, tenantId, message, checked);
      const { messageId } = message;
      const isEdited = checked.document !== undefined;
      const by = await actorName(client, tenantId, principal);
      await keepRepairs(client, tenantId, [{ messageId, successorId, by, reason: body.reason, isEdited }]);
      trail.after = { successorId, queueId: checked.queueId ?? message.queueId, isEdited };
      await tellPullers(client, tenantId, checked.queueId ?? message.queueId);
      return toMessage(await findMessage(client, tenantId, successorId), await readSubtenantCodes(client, tenantId));
    });
  });
}

type Wish = { document?: string | undefined; queueId?: number | undefined };
type Checked = { document?: string; queueId?: number } | { errors: Fault[] };

/** What was left masked in the edited document is put back. */
function checkEdited({ entityType, key, document: original }: MessageDetail, edited: string, masking: Masking): Checked {
  // What the parser says of a text that is no JSON quotes it: that text is the caller's own, without the values behind its masks.
  const { text, refused } = isJson(edited) ? masking.restore(edited, original) : { text: edited, refused: [] };
  if (refused.length === 0) return checkDocument(entityType, key, text);
  return { errors: refused.map((pointer) => faultBecause(pointer.slice(1).replaceAll("/", "."), "mask-misplaced")) };
}

async function check(
  client: pg.ClientBase,
  tenantId: number,
  message: MessageDetail,
  { document, queueId }: Wish,
  masking: Masking,
): Promise<Checked> {
  const checked: Checked = document === undefined ? {} : checkEdited(message, document, masking);
  const isElsewhere = queueId !== undefined && queueId !== message.queueId;
  const target = isElsewhere ? await findQueue(client, tenantId, message, queueId) : null;
  if (isElsewhere && target === null) {
    const error = faultBecause("queueId", "queue-unfit");
    return { errors: "errors" in checked ? [...checked.errors, error] : [error] };
  }
  return target === null ? checked : { ...checked, queueId: target };
}

/** Throws conflict with what became of the message where it can't be replaced any more. */
async function replace(
  client: pg.ClientBase,
  tenantId: number,
  { messageId }: MessageDetail,
  wish: { document?: string; queueId?: number },
): Promise<string> {
  const answer = await replaceMessage(client, { tenantId, messageId, ...wish });
  if (answer.outcome === "replaced") return answer.successorId;
  if (answer.outcome === "unknown") throw notFound();
  const state = answer.outcome === "refused" ? answer.state : "superseded";
  const why = answer.outcome === "refused" ? because("message-state", { state }) : because("message-superseded");
  throw new ApiError("conflict", { ...why, current: { state } });
}
