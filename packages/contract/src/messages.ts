import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import {
  BusinessKey,
  Code,
  MessageId,
  MessageIds,
  QueryBoolean,
  RecordId,
  RecordIdText,
  Time,
  fromText,
  keyFilter,
  listOf,
  messageParams,
  tenantParams,
} from "./fields.ts";
import { CappedCount, pageOf, pageQuery, scanAnswer } from "./paging.ts";
import { reasons } from "./reasons.ts";

export const MessageState = z.enum(["ready", "in-hand", "retrying", "parked", "dead", "delivered", "superseded", "removed", "redirected"]);
export type MessageState = z.infer<typeof MessageState>;

/** What every list of messages shows. */
export const messageColumns = {
  id: z.string(),
  queueId: z.number().int(),
  queueName: z.string(),
  integrationPointId: z.number().int(),
  subtenantCode: z.string().nullable(),
  key: z.string().describe("Business key, e.g. a SKU or an order number"),
  entityType: z.string(),
  attempts: z.number().int(),
  error: z.string().nullable(),
};

/** A message as a row of a list. */
export const Message = z
  .object({
    ...messageColumns,
    source: z.string().nullable(),
    state: MessageState,
    publishedAt: z.string(),
    finishedAt: z.string().nullable(),
    nextAttemptAt: z.string().nullable(),
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof Message>;

/** A message that took another's place, or whose place was taken; who did it and why, where that was kept. */
export const MessageLink = z.object({
  id: z.string(),
  by: z.string().nullable(),
  reason: z.string().nullable(),
  at: z.string().nullable(),
  isEdited: z.boolean().describe("False: the document was left as it is, for another target"),
});
export type MessageLink = z.infer<typeof MessageLink>;

export const MessageDetails = Message.extend({
  document: z.string().describe("The canonical document, JSON text as it was published"),
  headers: z.record(z.string(), z.string()),
  version: z.string().nullable().describe("The source's version or time, which latest-wins compares"),
  externalMessageId: z.string().nullable(),
  entityVersion: z.number().int().nullable(),
  successor: MessageLink.nullable().describe("The copy that was sent in its place"),
  predecessor: MessageLink.nullable(),
}).meta({ id: "MessageDetails" });
export type MessageDetails = z.infer<typeof MessageDetails>;

/** What a person or a program did to a message. */
export const MessageAction = z.object({
  verb: z.enum(["requeue", "retry", "remove", "restore", "replace"]),
  by: z.string(),
  at: z.string(),
});
export type MessageAction = z.infer<typeof MessageAction>;

/** A message that an operation was asked for and left as it is: what became of it meanwhile, and through whom. */
export const SkippedMessage = z
  .object({
    id: z.string(),
    key: z.string().nullable(),
    state: MessageState.nullable().describe("Null: there is no such message"),
    lastAction: MessageAction.nullable().describe("The last thing that was done to it"),
  })
  .meta({ id: "SkippedMessage" });
export type SkippedMessage = z.infer<typeof SkippedMessage>;

/** What an operation changed, and what it did not. */
export const operationResult = {
  ids: z.array(z.string()).describe("The messages that were changed"),
  skipped: z.array(SkippedMessage).describe("The first 100 of those that were not, with the reason"),
};

const Headers = z.record(z.string(), z.string());

const AttemptRequest = z.object({ method: z.string(), url: z.string(), headers: Headers, body: z.string().nullable() });
const AttemptResponse = z.object({ status: z.number().int(), headers: Headers, body: z.string().nullable() });

const AttemptVersions = z
  .object({ mapping: z.number().int(), configuration: z.number().int() })
  .nullable()
  .describe(
    "Version of the tenant's mappings and of the integration point's configuration that it went by; null where an outside worker delivers",
  );

/** One delivery try. Bodies are kept up to 64 KB; credentials are masked before they are stored. */
export const Attempt = z
  .object({
    number: z.number().int(),
    startedAt: z.string(),
    durationMs: z.number(),
    outcome: z.string(),
    request: AttemptRequest.nullable(),
    response: AttemptResponse.nullable(),
    error: z.object({ class: z.string(), message: z.string(), fingerprint: z.string().nullable() }).nullable(),
    versions: AttemptVersions,
    leftOut: z
      .array(z.string())
      .describe("Fields of the document that were not sent, as the target or its connector has no place for them"),
  })
  .extend({
    debug: z
      .array(z.object({ request: AttemptRequest, response: AttemptResponse.nullable() }))
      .nullable()
      .describe("Of a subtenant in debug mode, for 24 hours: each request of the try with its answer, in full"),
  })
  .meta({ id: "Attempt" });
export type Attempt = z.infer<typeof Attempt>;

/** The chain of one message: where it came from, the entity version it carries, and its siblings to other targets. */
export const MessageTrace = z
  .object({
    externalMessage: z
      .object({
        id: z.string(),
        source: z.string().nullable(),
        state: z.string(),
        receivedAt: z.string(),
        contentType: z.string().nullable(),
      })
      .nullable(),
    entity: z.object({ entityType: z.string(), key: z.string(), version: z.number().int() }).nullable(),
    messages: z.array(Message).describe("All messages of the same external message, this one included"),
    lane: z.object({
      waiting: z.array(Message).describe("Those with the same key that wait, this one included, in the order in which they are tried"),
      ahead: z.number().int().describe("Waiting messages with the same key that go first; about 100 are looked at"),
      behind: z.number().int(),
      heldBy: z.string().nullable().describe("Id of the dead or retrying message that holds the lane"),
    }),
  })
  .meta({ id: "MessageTrace" });
export type MessageTrace = z.infer<typeof MessageTrace>;

const AttemptNote = z.object({
  number: z.number().int(),
  startedAt: z.string(),
  durationMs: z.number(),
  status: z.number().int().nullable().describe("HTTP status of the answer"),
  errorClass: z.string().nullable(),
  versions: AttemptVersions,
});

const ObjectMessage = Message.extend({
  integrationPointName: z.string().describe("What the target is called now"),
  externalMessageId: z.string().nullable(),
  entityVersion: z.number().int().nullable(),
  successorId: z.string().nullable(),
  attemptNotes: z.array(AttemptNote),
  actions: z.array(MessageAction).describe("What people and programs did to it, in that order"),
});

/** What belongs to an object: an order's shipments, a shipment's order. Test data belongs to test data alone. */
export const RelatedObject = z
  .object({
    entityType: z.enum(["order", "shipment"]),
    key: z.string(),
    carrier: z.string().nullable(),
    trackingNumbers: z.array(z.string()),
  })
  .meta({ id: "RelatedObject" });
export type RelatedObject = z.infer<typeof RelatedObject>;

/** The whole way of one business object: everything with its key in its subtenant, of each kind the newest. */
export const ObjectTrace = z
  .object({
    entityType: z.string().nullable().describe("Null, like the key: what came in was made into no object"),
    key: z.string().nullable(),
    subtenantCode: z.string().nullable(),
    isDevelopment: z.boolean().describe("It is test data"),
    externalMessages: z.array(
      z.object({
        id: z.string(),
        source: z.string().nullable(),
        state: z.string(),
        receivedAt: z.string(),
        replayOf: z.string().nullable().describe("The one that it corrects or repeats"),
        configurationVersion: z
          .number()
          .int()
          .nullable()
          .describe("Version of the sending integration point's configuration when it came in; null: not kept"),
      }),
    ),
    versions: z.array(
      z.object({
        version: z.number().int(),
        createdAt: z.string(),
        externalMessageId: z.string(),
        isCurrent: z.boolean(),
        document: z.string(),
      }),
    ),
    messages: z.array(ObjectMessage),
    externalItems: z.array(
      z.object({
        integrationPointId: z.number().int(),
        integrationPointName: z.string(),
        externalId: z.string().nullable(),
        deliveredAt: z.string().nullable(),
        messageId: z.string().nullable().describe("By which message the target was told last"),
      }),
    ),
    related: z.array(RelatedObject).describe("Of an order its shipments, 50 at most; of a shipment its order"),
    hasMore: z.boolean().describe("There are older ones than those answered"),
  })
  .meta({ id: "ObjectTrace" });
export type ObjectTrace = z.infer<typeof ObjectTrace>;

const HttpStatus = z.number().int().min(100).max(599).describe("Answered to one of the attempts");
const AttemptsMin = z.number().int().min(0).max(1000);

/** The filters of every list of messages; the console keeps the same ones in its URL. */
export const listFilter = {
  subtenant: Code.optional(),
  queueId: listOf(RecordIdText),
  integrationPointId: RecordIdText.optional(),
  id: listOf(MessageId, 500).describe("Messages by their ids"),
  ...keyFilter,
  entityType: z.string().max(40).optional(),
  source: z.string().max(200).optional(),
  // The index knows three characters in a row and up; anything shorter would read every message.
  search: z
    .string()
    .trim()
    .min(3)
    .max(200)
    .optional()
    .describe(
      "Words of the document's values, a key, a message's, external message's or external item's id; found a few seconds after publishing",
    ),
  errorClass: z.string().max(100).optional().describe("Of the last failure or of one of the attempts"),
  httpStatus: fromText(HttpStatus).optional(),
  attemptsMin: fromText(AttemptsMin).optional(),
  payload: z.string().trim().min(1).max(1000).optional().describe('A value of the document, such as $.lines[*].sku = "85123A"'),
  from: Time.optional(),
  to: Time.optional(),
  fingerprint: z.string().min(1).max(300).optional().describe("Cause of a dead letter, as the groups name it"),
};

/** Where a list holds messages of several states. */
const messageFilter = { ...listFilter, state: listOf(MessageState) };

/** A scan also takes words that are too short for the index. */
export const scanSearch = { search: z.string().trim().min(1).max(200).optional() };

/** The filters of a scan in a body, where numbers are numbers. */
export const messageFilterInBody = {
  ...messageFilter,
  ...scanSearch,
  queueId: listOf(RecordId),
  integrationPointId: RecordId.optional(),
  httpStatus: HttpStatus.optional(),
  attemptsMin: AttemptsMin.optional(),
};

export const messageRoutes = {
  listMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages",
    permission: "read",
    summary: "Messages, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...messageFilter }),
    responses: { 200: pageOf(Message) },
  }),
  countMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/message-count",
    permission: "read",
    summary: "How many messages a filter matches, exact up to 10,000",
    params: tenantParams,
    query: z.object(messageFilter),
    responses: {
      200: CappedCount.extend({
        keysNotFound: z
          .array(z.string())
          .optional()
          .describe("Those of the filter's keys of which no message matches; not told with a search"),
      }),
    },
  }),
  scanMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/message-scan",
    permission: "read",
    summary: "Messages that a slow filter matches, newest first, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object({ ...pageQuery, ...messageFilter, ...scanSearch }),
    responses: { 200: z.string() },
  }),
  getMessage: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId",
    permission: "read",
    summary: "One message with its document",
    params: messageParams,
    responses: { 200: MessageDetails },
  }),
  listAttempts: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/attempts",
    permission: "read",
    summary: "The delivery tries of a message with what was sent and answered",
    params: messageParams,
    responses: { 200: z.object({ items: z.array(Attempt) }) },
  }),
  getMessageTrace: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/trace",
    permission: "read",
    summary: "External message, entity version, sibling messages and lane of a message",
    params: messageParams,
    responses: { 200: MessageTrace },
  }),
  getObjectTrace: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/messages/:messageId/object-trace",
    permission: "read",
    summary: "The whole way of a message's business object: external messages, versions, messages to targets, attempts, external ids",
    params: messageParams,
    responses: { 200: ObjectTrace },
  }),
  traceObject: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/object-trace",
    permission: "read",
    summary: "The whole way of an object by its name, or of what an external message was made into; also where no message was published",
    params: tenantParams,
    query: z
      .object({
        externalMessageId: MessageId.optional(),
        subtenant: Code.optional(),
        entityType: z.string().min(1).max(40).optional(),
        key: BusinessKey.optional(),
        isDevelopment: QueryBoolean.default(false),
        integrationPointId: RecordIdText.optional().describe(
          "Says by its environment whether the object is test data, in the place of isDevelopment",
        ),
      })
      .refine(
        ({ externalMessageId, subtenant, entityType, key }) =>
          externalMessageId !== undefined || [subtenant, entityType, key].every(Boolean),
        { message: reasons["trace-subject"] },
      ),
    responses: { 200: ObjectTrace },
  }),
  removeMessages: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/messages/remove",
    permission: "operate",
    summary: "Remove waiting messages; they can be restored until the retention period ends",
    params: tenantParams,
    body: z.strictObject({ ids: MessageIds }),
    responses: { 200: z.object(operationResult) },
  }),
  restoreMessages: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/messages/restore",
    permission: "operate",
    summary: "Put removed messages back where they were",
    params: tenantParams,
    body: z.strictObject({ ids: MessageIds }),
    responses: { 200: z.object(operationResult) },
  }),
};
