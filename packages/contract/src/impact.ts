import { z } from "zod";

/** Messages that a preview looks at, at most. */
export const previewSizeMax = 1_000;
/** Of the messages that would differ, so many are shown. */
export const previewSamplesMax = 50;

/** The first request of a delivery as it would go out, secrets masked; where it has no body yet, with the mapped document as one. Of a target that is pulled from the worker's request, with the document that it is handed. */
const Outbound = z.object({ method: z.string(), url: z.string(), body: z.string().nullable() });

/** What a change would have done to one message. */
export const ImpactSample = z
  .object({
    messageId: z.string(),
    key: z.string(),
    entityType: z.string(),
    queueName: z.string(),
    subtenantCode: z.string().nullable(),
    effect: z.enum(["changed", "broken", "repaired", "still-broken"]),
    before: Outbound.nullable(),
    after: Outbound.nullable(),
    errorBefore: z.string().nullable(),
    errorAfter: z.string().nullable(),
  })
  .meta({ id: "ImpactSample" });
export type ImpactSample = z.infer<typeof ImpactSample>;

/** The last messages, put through the present and the proposed mappings or configuration. */
export const Impact = z
  .object({
    examined: z.number().int(),
    same: z.number().int(),
    changed: z.number().int(),
    broken: z.number().int().describe("Could be sent as it is, and could not any more"),
    repaired: z.number().int().describe("The other way round"),
    unsure: z
      .number()
      .int()
      .describe("Of `same`: deliveries that may take several requests, by other settings. What follows the first request was not compared"),
    samples: z.array(ImpactSample).describe("50 of those that differ at most, the newest"),
  })
  .meta({ id: "Impact" });
export type Impact = z.infer<typeof Impact>;
