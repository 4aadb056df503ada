import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Pause } from "./integration-points.ts";
import { Code, tenantParams } from "./fields.ts";

const QueueDepth = z.object({
  ready: z.number().int().describe("Exact up to 500, as are retrying and parked; more of them as counted within the last seconds"),
  inHand: z.number().int(),
  retrying: z.number().int(),
  dead: z.number().int(),
  parked: z.number().int().describe("Waiting behind a dead or retrying message with the same key"),
});

/** What opened a target's circuit. */
export const CircuitFault = z
  .object({
    since: z.string(),
    messageId: z.string().describe("Whose attempt failed so when it opened first"),
    errorClass: z.string().describe("How the target has failed last"),
    status: z.number().int().nullable().describe("What it has answered last; null: nothing"),
  })
  .meta({ id: "CircuitFault" });
export type CircuitFault = z.infer<typeof CircuitFault>;

/** All messages for one target integration point and entity type. */
export const Queue = z
  .object({
    id: z.number().int(),
    name: z.string().describe("`connector.entityType`"),
    integrationPoint: z.object({ id: z.number().int(), code: z.string(), name: z.string() }),
    subtenantCode: z.string(),
    entityType: z.string(),
    delivery: z.enum(["push", "pull"]),
    isPaused: z.boolean(),
    pause: Pause.nullable().describe("Of the integration point; null where it is not paused itself, but its subtenant"),
    circuit: z.enum(["closed", "open", "half-open"]),
    circuitOpenUntil: z.string().nullable(),
    circuitFault: CircuitFault.nullable().describe("Null while the circuit is closed"),
    depth: QueueDepth,
    oldestWaitingAt: z.string().nullable(),
  })
  .meta({ id: "Queue" });
export type Queue = z.infer<typeof Queue>;

export const queueRoutes = {
  listQueues: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/queues",
    permission: "read",
    summary: "Queues with their depth, the oldest waiting message and the target's circuit",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: { 200: z.object({ items: z.array(Queue) }) },
  }),
};
