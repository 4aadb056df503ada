import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { QueryBoolean, keyFilter, runParams } from "./fields.ts";
import { pageQuery } from "./paging.ts";
import { Run } from "./schedules.ts";

/** A field with what the source says and what the target shows. Values that are masked elsewhere are masked here. */
export const FieldDifference = z.object({ path: z.string(), source: z.string().nullable(), target: z.string().nullable() });
export type FieldDifference = z.infer<typeof FieldDifference>;

export const Difference = z
  .object({
    id: z.string(),
    key: z.string(),
    kind: z
      .enum(["missing", "extra", "differing"])
      .describe("`missing`: not at the target (of a look for deletions: not at its source); `extra`: at the target only"),
    fields: z.array(FieldDifference),
    fixedBy: z.number().int().nullable().describe("The run that sent the object anew, or handed it on as deleted"),
  })
  .meta({ id: "Difference" });
export type Difference = z.infer<typeof Difference>;

export const reconciliationRoutes = {
  listDifferences: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/differences",
    permission: "read",
    summary: "What a reconciliation or a look for deletions found, with the numbers of each kind",
    params: runParams,
    query: z.object({
      ...pageQuery,
      kind: Difference.shape.kind.optional(),
      ...keyFilter,
      isSent: QueryBoolean.optional().describe("Whether the object was sent anew"),
    }),
    responses: {
      200: z.object({
        items: z.array(Difference),
        nextCursor: z.string().nullable(),
        counts: z.object({ missing: z.number().int(), extra: z.number().int(), differing: z.number().int(), sent: z.number().int() }),
      }),
    },
  }),
  fixDifferences: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/fixes",
    permission: "operate",
    summary:
      "Send the objects of these differences, or of all that were not sent yet, to the target anew: a run that publishes them through its queue",
    description:
      "What is at the target only has nothing to be sent and is left alone. Of a look for deletions: hand these items, or all that were not yet, on as deleted at their source, except those that were changed since.",
    params: runParams,
    body: z.strictObject({
      ids: z
        .array(z.string().regex(/^\d{1,18}$/))
        .min(1)
        .max(10_000)
        .optional(),
    }),
    responses: { 201: Run },
  }),
};
