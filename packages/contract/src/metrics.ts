import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, RecordIdText, Time, tenantParams } from "./fields.ts";

/** What happened in one queue, or in all that were asked for, from `at` on for as many minutes as the answer's grain. */
export const Metric = z
  .object({
    queueId: z.number().int().nullable().describe("Null: the sum over the queues asked for"),
    at: z.string(),
    added: z.number().int(),
    delivered: z.number().int(),
    failed: z.number().int().describe("Attempts that failed"),
    dead: z.number().int().describe("Messages that became dead letters"),
    superseded: z.number().int(),
    addedMax: z.number().int().describe("In a minute; over several queues the greatest of one"),
    addedMin: z.number().int(),
    depthMean: z.number().describe("Waiting messages"),
    depthMax: z.number().int(),
    depthMin: z.number().int(),
    oldestSeconds: z.number().int().describe("Greatest age of the oldest waiting message"),
  })
  .meta({ id: "Metric" });
export type Metric = z.infer<typeof Metric>;

/** Bucket n counts those that took from 2^n to 2^(n+1) milliseconds. */
export const MetricLatency = z
  .object({
    at: z.string(),
    bucket: z.number().int(),
    count: z.number().int().describe("Deliveries, by the time from arrival to delivery"),
    attempts: z
      .number()
      .int()
      .describe("Attempts, those that failed too, by what each took; most of it is the time of the target's answer"),
  })
  .meta({ id: "MetricLatency" });
export type MetricLatency = z.infer<typeof MetricLatency>;

/** Minutes of a row. */
export const MetricGrain = z.union([z.literal(1), z.literal(15), z.literal(60), z.literal(1440)]);
export type MetricGrain = z.infer<typeof MetricGrain>;

const grains = { "1": 1, "15": 15, "60": 60 } as const;

export const metricRoutes = {
  listMetrics: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/metrics",
    permission: "read",
    summary: "What was added, delivered, failed and waited, by minute, quarter, hour or (UTC) day",
    description:
      "Minutes for ranges up to 6 hours, quarters up to 9 days, hours up to 92 days, beyond that days, at most 5 years; or rows of the length asked for, counted from the start of the range, so that hours are those of the caller's clock. Where there is no row nothing happened.",
    params: tenantParams,
    query: z.object({
      from: Time,
      to: Time,
      subtenant: Code.optional(),
      queueId: RecordIdText.optional(),
      grain: z
        .enum(["1", "15", "60"])
        .transform((minutes) => grains[minutes])
        .optional()
        .describe(
          "Minutes that a row is to stand for, at most 2,400 rows a queue; the range then starts at a whole minute, for 15 and 60 at a whole quarter of UTC",
        ),
      by: z.enum(["queue", "total"]).default("total").describe("A row for each queue needs a subtenant or a queue"),
    }),
    responses: {
      200: z.object({
        grain: MetricGrain.describe("Minutes that a row stands for"),
        from: z.string(),
        to: z.string(),
        items: z.array(Metric),
        latency: z.array(MetricLatency).describe("Over the queues asked for"),
      }),
    },
  }),
};
