import { z } from "zod";
import { AlertDetails } from "./alerts.ts";
import { defineRoute } from "./define-route.ts";

/** One tenant at a glance; counts of the last hour unless said otherwise. */
export const TenantOverview = z
  .object({
    code: z.string(),
    name: z.string(),
    added: z.number().int(),
    delivered: z.number().int(),
    failed: z.number().int().describe("Attempts that failed"),
    died: z.number().int(),
    waiting: z.number().int().describe("Now; ready, in hand, retrying and parked"),
    dead: z.number().int().describe("Now"),
    oldestWaitingAt: z.string().nullable(),
    openCircuits: z.number().int().describe("Now"),
    alerts: z.number().int().describe("Now; firing"),
    failingJobs: z
      .number()
      .int()
      .describe(
        "Schedules whose last run failed, imports that failed, bulk operations that stopped or had failed items within the last day",
      ),
  })
  .meta({ id: "TenantOverview" });
export type TenantOverview = z.infer<typeof TenantOverview>;

/** A target that doesn't answer, and all that it touches: points of whatever tenant that deliver to the same address. */
export const Incident = z
  .object({
    target: z.string().describe("Scheme, host and port"),
    retryAt: z.string().nullable().describe("When it is tried again, at the earliest"),
    waiting: z.number().int().describe("Messages held back"),
    points: z.array(
      z.object({ tenantCode: z.string(), tenantName: z.string(), code: z.string(), name: z.string(), waiting: z.number().int() }),
    ),
  })
  .meta({ id: "Incident" });
export type Incident = z.infer<typeof Incident>;

/** Dead letters that died of the same. */
export const DeathCause = z
  .object({
    fingerprint: z.string(),
    errorClass: z.string().nullable(),
    errorMessage: z.string().nullable().describe("Of one of them"),
    count: z.number().int(),
    tenants: z.array(z.object({ code: z.string(), name: z.string(), count: z.number().int() })),
  })
  .meta({ id: "DeathCause" });
export type DeathCause = z.infer<typeof DeathCause>;

/** What usually comes and doesn't: an open alert about silence, an unshipped order or old stock. */
export const Missing = z
  .object({
    tenantCode: z.string(),
    tenantName: z.string(),
    alertId: z.number().int(),
    kind: z.enum(["silence", "order-unshipped", "stock-stale"]),
    subtenantName: z.string(),
    value: z.number(),
    details: AlertDetails,
  })
  .meta({ id: "Missing" });
export type Missing = z.infer<typeof Missing>;

/** What happened in one minute, from `at` on, in all tenants together. */
export const Throughput = z
  .object({
    at: z.string(),
    added: z.number().int(),
    delivered: z.number().int(),
    failed: z.number().int().describe("Attempts that failed"),
  })
  .meta({ id: "Throughput" });
export type Throughput = z.infer<typeof Throughput>;

/** A queue in which messages died, or have waited for a minute or longer. */
export const WorstQueue = z
  .object({
    tenantCode: z.string(),
    tenantName: z.string(),
    subtenantCode: z.string(),
    subtenantName: z.string(),
    queueId: z.number().int(),
    queueName: z.string(),
    integrationPointName: z.string(),
    dead: z.number().int(),
    waiting: z.number().int().describe("Ready, in hand, retrying and parked"),
    oldestWaitingAt: z.string().nullable(),
  })
  .meta({ id: "WorstQueue" });
export type WorstQueue = z.infer<typeof WorstQueue>;

export const Overview = z
  .object({
    at: z.string(),
    throughput: z.array(Throughput).describe("The 60 minutes up to the one that is still running"),
    incidents: z.array(Incident),
    causes: z.array(DeathCause),
    missing: z.array(Missing),
    queues: z
      .array(WorstQueue)
      .describe("At most ten, weighed by the orders of magnitude of what died (twice), what waits and for how long"),
    tenants: z.array(TenantOverview),
  })
  .meta({ id: "Overview" });
export type Overview = z.infer<typeof Overview>;

export const overviewRoutes = {
  getOverview: defineRoute({
    method: "GET",
    path: "/api/v1/overview",
    permission: "administer",
    summary:
      "All tenants at a glance, their throughput, outages of targets, worst queues and causes of dead letters across them; the worst first",
    responses: { 200: Overview },
  }),
};
