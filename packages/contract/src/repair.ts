import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Fault } from "./errors.ts";
import { Message } from "./messages.ts";
import { RecordId, messageParams } from "./fields.ts";
import { reasons } from "./reasons.ts";

/** What an operator puts in a message's place: another document, another target, or both. */
const replacement = {
  document: z.string().max(5_000_000).optional().describe("JSON text of the canonical document; left out: as it is"),
  queueId: RecordId.optional().describe("A queue of the same subtenant and entity type; left out: the message's own"),
};

const ReplacementCheck = z
  .object({
    errors: z.array(Fault).describe("Paths as `lines.0.quantity`, empty for the whole document. No fault: it may be sent"),
  })
  .meta({ id: "ReplacementCheck" });

export const repairRoutes = {
  checkReplacement: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/replacement-check",
    permission: "operate",
    changes: false,
    summary: "Say what is wrong with an edited document or another target of a message; changes nothing",
    params: messageParams,
    body: z.strictObject(replacement),
    responses: { 200: ReplacementCheck },
  }),
  replaceMessage: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/replacement",
    permission: "operate",
    summary: "Send an edited copy of a waiting message in its place, or redirect it to another target; never both are sent",
    params: messageParams,
    body: z
      .strictObject({ ...replacement, reason: z.string().trim().min(1).max(500) })
      .refine((body) => body.document !== undefined || body.queueId !== undefined, reasons["replacement-needed"]),
    responses: { 201: Message },
  }),
};
