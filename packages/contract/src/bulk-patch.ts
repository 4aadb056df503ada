import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Fault } from "./errors.ts";
import { MessageId, fromText, jobParams } from "./fields.ts";
import { pageOf } from "./paging.ts";

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
/** What refers to itself is more than makers of clients understand: to the OpenAPI document it is any value. */
const JsonValue = z.custom<JsonValue>().meta({ description: "Any JSON value" });

/** What is changed in each document of a bulk patch. */
export const DocumentPatch = z
  .union([
    z
      .strictObject({ kind: z.literal("merge"), merge: z.record(z.string(), JsonValue) })
      .describe(
        "A JSON merge patch (RFC 7396): members replace those of the same name, null removes one. A number that a double can't hold is taken as text, with all its digits",
      ),
    z
      .strictObject({
        kind: z.literal("mapping"),
        path: z.string().trim().min(1).max(500).describe("Where the value stands, such as $.lines[*].sku"),
        from: z.string().max(2000).describe("The value as text; a number, true, false and null as JSON writes them"),
        to: z
          .string()
          .max(2000)
          .describe("What stands in its place; as a number where a number stood and the text is one that a double holds exactly"),
      })
      .describe("One value becomes another wherever the path finds it"),
  ])
  .meta({ id: "DocumentPatch" });
export type DocumentPatch = z.infer<typeof DocumentPatch>;

/** Copies that are sent and awaited before more are: the canary's stages. After the last of these comes all that is left. */
export const stageSizes = [1, 5, 50] as const;
/** Of a stage's copies, in per cent, unless the job says otherwise. */
export const failureLimitDefault = 10;

export const PatchVerdict = z.enum(["changed", "unchanged", "invalid", "superseded"]);
export type PatchVerdict = z.infer<typeof PatchVerdict>;

/** What a patch would make of one dead letter. */
export const PatchedMessage = z
  .object({
    messageId: z.string(),
    key: z.string(),
    verdict: PatchVerdict.describe(
      "`unchanged`: the patch finds nothing to change, so the message is left alone, as are an `invalid` one and one that newer data has `superseded`",
    ),
    before: z.string().describe("JSON text"),
    after: z.string().nullable().describe("JSON text; null where the present document is no JSON"),
    errors: z.array(Fault).describe("Of an invalid one, against the canonical schema"),
  })
  .meta({ id: "PatchedMessage" });
export type PatchedMessage = z.infer<typeof PatchedMessage>;

/** Over how many messages a dry run counts; above that, counts are of the first so many. */
export const dryRunMax = 10_000;

export const PatchCounts = z
  .object({
    changed: z.number().int(),
    unchanged: z.number().int(),
    invalid: z.number().int(),
    superseded: z.number().int().describe("Newer data of the same object has come since"),
    gone: z.number().int().describe("No dead letters any more"),
    isExact: z.boolean().describe(`False: of the first ${dryRunMax} messages only`),
  })
  .meta({ id: "PatchCounts" });
export type PatchCounts = z.infer<typeof PatchCounts>;

export const bulkPatchRoutes = {
  dryRunJob: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/dry-run",
    permission: "operate",
    summary: "What a counted bulk patch would make of its messages, one by one; changes nothing",
    params: jobParams,
    query: z.object({
      cursor: MessageId.optional(),
      limit: fromText(z.number().int().min(1).max(50)).prefault(20),
      verdict: PatchVerdict.optional(),
    }),
    responses: { 200: pageOf(PatchedMessage) },
  }),
  countDryRun: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/dry-run-count",
    permission: "operate",
    summary: "How many messages a counted bulk patch would change, leave alone, or make invalid",
    params: jobParams,
    responses: { 200: PatchCounts },
  }),
};
