import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, MessageId, RecordId, Time, listOf, pageOf, pageQuery, tenantParams } from "./paging.ts";

export const ExternalMessageState = z.enum(["accepted", "unchanged", "rejected", "ignored"]);

/** One raw inbound message as received, before translation. */
export const ExternalMessage = z
  .object({
    id: z.string(),
    integrationPointId: z.number().int().nullable(),
    subtenantCode: z.string().nullable(),
    source: z.string().nullable(),
    entityType: z.string().nullable(),
    key: z.string().nullable(),
    state: ExternalMessageState,
    signature: z.string(),
    contentType: z.string().nullable(),
    sizeBytes: z.number().int(),
    receivedAt: z.string(),
  })
  .meta({ id: "ExternalMessage" });
export type ExternalMessage = z.infer<typeof ExternalMessage>;

export const ExternalMessageDetails = ExternalMessage.extend({
  headers: z.record(z.string(), z.string()),
  body: z.string().describe("As text when it is valid UTF-8, otherwise base64; see bodyEncoding"),
  bodyEncoding: z.enum(["utf-8", "base64"]),
  reasons: z.array(z.object({ path: z.string(), message: z.string() })),
  messageIds: z.array(z.string()).describe("The messages published from it"),
}).meta({ id: "ExternalMessageDetails" });
export type ExternalMessageDetails = z.infer<typeof ExternalMessageDetails>;

export const externalMessageRoutes = {
  listExternalMessages: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-messages",
    permission: "read",
    summary: "External messages, newest first",
    params: tenantParams,
    query: z.object({
      ...pageQuery,
      subtenant: Code.optional(),
      integrationPointId: RecordId.optional(),
      state: listOf(ExternalMessageState),
      key: z.string().max(500).optional(),
      from: Time.optional(),
      to: Time.optional(),
    }),
    responses: { 200: pageOf(ExternalMessage) },
  }),
  getExternalMessage: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-messages/:externalMessageId",
    permission: "read",
    summary: "One external message with its raw body",
    params: tenantParams.extend({ externalMessageId: MessageId }),
    responses: { 200: ExternalMessageDetails },
  }),
};
