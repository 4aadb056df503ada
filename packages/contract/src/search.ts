import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { ExternalMessageState } from "./external-messages.ts";
import { Message } from "./messages.ts";
import { tenantParams } from "./fields.ts";

/** What a tenant has under a name or number that somebody typed. */
export const FoundThings = z
  .object({
    messages: z
      .array(Message)
      .describe(
        "The message of this id; messages with exactly this business key, and those of what a target knows under this id, newest first",
      ),
    keys: z
      .array(z.string())
      .describe("Business keys of what a target knows under this id, and those that begin like this, as typed or in capitals"),
    externalMessage: z
      .object({
        id: z.string(),
        source: z.string(),
        entityType: z.string().nullable(),
        key: z.string().nullable(),
        state: ExternalMessageState,
        receivedAt: z.string(),
        messageId: z.string().nullable().describe("The newest message published from it"),
      })
      .nullable()
      .describe("The one of this id; or, where no message was published with this business key, the newest that came in with it"),
    subtenants: z.array(z.object({ code: z.string(), name: z.string() })),
    integrationPoints: z.array(
      z.object({ id: z.number().int(), code: z.string(), name: z.string(), connector: z.string(), subtenantCode: z.string() }),
    ),
  })
  .meta({ id: "FoundThings" });
export type FoundThings = z.infer<typeof FoundThings>;

export const searchRoutes = {
  searchTenant: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/search",
    permission: "read",
    summary: "Look up ids, business keys and names; a few of each kind",
    params: tenantParams,
    query: z.object({ q: z.string().trim().min(1).max(200) }),
    responses: { 200: FoundThings },
  }),
};
