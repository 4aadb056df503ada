import { z } from "zod";

/** What a removal or its undoing left as it was: mostly somebody else was faster. */
export const SkippedRow = z
  .object({
    id: z.string(),
    name: z.string().describe("What people know it by"),
    isThere: z.boolean().describe("It is where it was and not removed"),
    removedBy: z.string().nullable(),
    removedAt: z.string().nullable(),
  })
  .meta({ id: "SkippedRow" });
export type SkippedRow = z.infer<typeof SkippedRow>;
export const skippedRows = z.array(SkippedRow).describe("The first 100 of those that were left as they were, with the reason");
