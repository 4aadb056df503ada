import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { tenantParams } from "./fields.ts";

/**
 * What the event stream carries. `queues-changed`: something moved in the tenant's queues, at most once a second; the listener asks again
 * for what it shows. `access-changed`: the listener's own rights are other ones now; a stream to which there is no right left ends instead.
 * `resync`: events were missed, ask again for everything.
 */
export const LiveEvent = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("queues-changed"), at: z.string() }),
    z.object({ type: z.literal("configuration-changed"), at: z.string() }),
    z.object({ type: z.literal("notes-changed"), at: z.string() }),
    z.object({ type: z.literal("jobs-changed"), at: z.string() }),
    z.object({ type: z.literal("external-changed"), at: z.string() }),
    z.object({ type: z.literal("alerts-changed"), at: z.string() }),
    z.object({ type: z.literal("access-changed"), at: z.string() }),
    z.object({ type: z.literal("resync"), at: z.string() }),
  ])
  .meta({ id: "LiveEvent" });
export type LiveEvent = z.infer<typeof LiveEvent>;

export const eventRoutes = {
  streamEvents: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/events",
    permission: "read",
    summary: "Server-sent events of the tenant; resumes after Last-Event-ID",
    description: "`text/event-stream`; each event's data is a LiveEvent. A comment line keeps the connection alive every 15 seconds.",
    contentTypes: ["text/event-stream"],
    takesLastEventId: true,
    params: tenantParams,
    responses: { 200: z.string() },
  }),
};
