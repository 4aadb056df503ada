import { z } from "zod";
import { LineFault } from "./errors.ts";

/** A table of rows that are named by their keys; a dry run tells what would come of it. */
export const CsvImport = z.strictObject({ csv: z.string().min(1), isDryRun: z.boolean().default(false) });

export const CsvImported = z.object({
  created: z.number().int(),
  updated: z.number().int(),
  unchanged: z.number().int(),
  errors: z.array(LineFault).describe("By line, from 1; 100 at most"),
  errorCount: z.number().int(),
});
export type CsvImported = z.infer<typeof CsvImported>;
