import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Fault } from "./errors.ts";
import { Message } from "./messages.ts";
import { Code, MessageId, MessageIds, QueryBoolean, RecordId, RecordIdText, Time, keyFilter, listOf, tenantParams } from "./fields.ts";
import { CappedCount, pageOf, pageQuery, scanAnswer } from "./paging.ts";
import { skippedRows } from "./skipped-rows.ts";

/** What a webhook's signature says of its sender. `none-configured`: anybody may send; `not-applicable`: it came by another way. */
export const SignatureState = z.enum(["valid", "invalid", "missing", "stale", "none-configured", "not-applicable"]);
export type SignatureState = z.infer<typeof SignatureState>;

export const ExternalMessageState = z.enum(["accepted", "unchanged", "rejected", "ignored"]);
export type ExternalMessageState = z.infer<typeof ExternalMessageState>;

/** One raw inbound message as received, before translation. */
export const ExternalMessage = z
  .object({
    id: z.string(),
    integrationPointId: z.number().int().nullable(),
    integrationPointName: z.string().nullable(),
    subtenantCode: z.string().nullable(),
    source: z.string().nullable(),
    channel: z.enum(["hook", "gateway", "poll", "import"]),
    entityType: z.string().nullable(),
    key: z.string().nullable(),
    state: ExternalMessageState,
    signature: SignatureState,
    contentType: z.string().nullable(),
    sizeBytes: z.number().int(),
    receivedAt: z.string(),
    replayOf: z.string().nullable().describe("The external message that this one corrects or repeats"),
    removedAt: z.string().nullable(),
    removedBy: z.string().nullable(),
    reason: Fault.nullable().describe("The first thing that was wrong with a rejected one, or why it was ignored"),
  })
  .meta({ id: "ExternalMessage" });
export type ExternalMessage = z.infer<typeof ExternalMessage>;

const Reasons = z.array(Fault);

export const ExternalMessageDetails = ExternalMessage.extend({
  headers: z.record(z.string(), z.string()),
  body: z.string().describe("As text when it is valid UTF-8, otherwise base64 of a mask; see bodyEncoding"),
  bodyEncoding: z.enum(["utf-8", "base64"]),
  reasons: Reasons,
  messages: z.array(Message).describe("The messages published from it, newest first; 500 at most"),
  replays: z
    .array(z.object({ id: z.string(), state: ExternalMessageState, receivedAt: z.string() }))
    .describe("Its corrections and repetitions"),
}).meta({ id: "ExternalMessageDetails" });
export type ExternalMessageDetails = z.infer<typeof ExternalMessageDetails>;

/** What would become of a body. `queues` is the number of queues that a document would go to. */
export const ExternalMessageCheck = z
  .object({
    state: z.enum(["accepted", "rejected", "ignored"]),
    reasons: Reasons,
    documents: z.array(z.object({ entityType: z.string(), key: z.string(), queues: z.number().int() })),
  })
  .meta({ id: "ExternalMessageCheck" });
export type ExternalMessageCheck = z.infer<typeof ExternalMessageCheck>;

const externalMessageFilter = {
  subtenant: Code.optional(),
  integrationPointId: RecordIdText.optional(),
  entityType: z.string().max(40).optional(),
  state: listOf(ExternalMessageState),
  removed: QueryBoolean.optional().describe("Only the removed ones; without it, only the others"),
  ...keyFilter,
  source: z.string().max(200).optional().describe("Connector"),
  payload: z.string().trim().min(1).max(1000).optional().describe('A value of a JSON body as it came, such as $.lines[*].sku = "85123A"'),
  search: z
    .string()
    .trim()
    .min(3)
    .max(200)
    .optional()
    .describe(
      "Text of the documents published from it, of a rejected body (beside `key`, `keyPrefix`, `payload` and `fault` among the newest 10,000 that hold it), or its id",
    ),
  fault: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .optional()
    .describe("What was wrong, as the groups of the rejected name it; among the newest 10,000 rejected"),
  from: Time.optional(),
  to: Time.optional(),
};
/** The same in a body, where numbers are numbers. */
export const externalMessageFilterInBody = { ...externalMessageFilter, integrationPointId: RecordId.optional() };

/** Rejected external messages of one sender that were wrong in the same way. */
export const ExternalMessageGroup = z
  .object({
    integrationPointId: z.number().int(),
    integrationPointName: z.string(),
    subtenantCode: z.string(),
    source: z.string(),
    fault: z.string().describe("Of what was wrong, without numbers and quoted values; a filter of the list"),
    reason: Fault.nullable().describe("Of the newest"),
    count: z.number().int(),
    firstAt: z.string(),
    lastAt: z.string(),
  })
  .meta({ id: "ExternalMessageGroup" });
export type ExternalMessageGroup = z.infer<typeof ExternalMessageGroup>;

const messageParams = tenantParams.extend({ externalMessageId: MessageId });
const Replay = z.strictObject({
  body: z.string().optional().describe("The corrected body; without it the message goes through as it came"),
});

export const externalMessageRoutes = {
  listExternalMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-messages",
    permission: "read",
    summary: "External messages, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...externalMessageFilter }),
    responses: { 200: pageOf(ExternalMessage) },
  }),
  scanExternalMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-message-scan",
    permission: "read",
    summary: "External messages that a slow filter matches, newest first, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object({ ...pageQuery, ...externalMessageFilter }),
    responses: { 200: z.string() },
  }),
  countExternalMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-message-count",
    permission: "read",
    summary: "How many external messages a filter matches, exact up to 10,000",
    params: tenantParams,
    query: z.object(externalMessageFilter),
    responses: { 200: CappedCount },
  }),
  listExternalMessageGroups: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-message-groups",
    permission: "read",
    summary: "The newest 10,000 rejected external messages by who sent them and what was wrong, the most first; 200 groups at most",
    params: tenantParams,
    query: z
      .object(externalMessageFilter)
      .pick({ subtenant: true, integrationPointId: true, entityType: true, source: true, from: true, to: true }),
    responses: {
      200: z.object({
        items: z.array(ExternalMessageGroup),
        isFloor: z.boolean().describe("There are more rejected ones than were looked at"),
      }),
    },
  }),
  getExternalMessage: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-messages/:externalMessageId",
    permission: "read",
    summary: "One external message with its raw body",
    params: messageParams,
    responses: { 200: ExternalMessageDetails },
  }),
  checkExternalMessage: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-messages/:externalMessageId/check",
    permission: "operate",
    changes: false,
    summary: "Say what would become of an external message, or of a corrected body of it; writes nothing",
    params: messageParams,
    body: Replay,
    responses: { 200: ExternalMessageCheck },
  }),
  replayExternalMessage: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-messages/:externalMessageId/replay",
    permission: "operate",
    summary: "Send an external message through intake again, corrected or as it came; what would be rejected is refused",
    params: messageParams,
    body: Replay,
    responses: { 201: z.object({ id: z.string(), state: ExternalMessageState, reasons: Reasons, messageIds: z.array(z.string()) }) },
  }),
  removeExternalMessages: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-messages/remove",
    permission: "operate",
    summary: "Remove external messages, by ids or by filter; they can be restored until the retention period ends; at most 1,000 a call",
    params: tenantParams,
    body: z.union([z.strictObject({ ids: MessageIds }), z.strictObject({ filter: z.strictObject(externalMessageFilterInBody) })]),
    responses: { 200: z.object({ ids: z.array(z.string()), skipped: skippedRows, hasMore: z.boolean() }) },
  }),
  restoreExternalMessages: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-messages/restore",
    permission: "operate",
    summary: "Put removed external messages back",
    params: tenantParams,
    body: z.strictObject({ ids: MessageIds }),
    responses: { 200: z.object({ ids: z.array(z.string()), skipped: skippedRows }) },
  }),
};
