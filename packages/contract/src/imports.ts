import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { UnmaskedReason, exportTypes } from "./exports.ts";
import { Line, RecordId, fromText, runParams, tenantParams } from "./fields.ts";
import { Fault } from "./errors.ts";
import { Run, RunFailure } from "./schedules.ts";
import { reasons } from "./reasons.ts";

const ColumnPath = z.string().regex(/^[A-Za-z]+(?:\.[A-Za-z0-9]+){0,3}$/, reasons["column-path"]);

/** Characters of one part; a body of the API holds a million bytes. */
const importPartMax = 250_000;

/** What is read of a file before it is imported, in characters. */
const previewMax = 100_000;

const howRead = {
  entityType: EntityType,
  format: z.enum(["csv", "ndjson", "xml"]),
  element: z.string().max(100).default("item").describe("In XML: the element of one record"),
  mapping: z.record(ColumnPath, z.string().min(1).max(300)).default({}),
};

export const ImportSample = z.strictObject({
  ...howRead,
  text: z.string().max(previewMax).describe("How the file begins"),
  isWhole: z.boolean().describe("Whether it is all of the file"),
});
export type ImportSample = z.infer<typeof ImportSample>;

/** What would become of a file's first records. */
export const ImportPreview = z
  .object({
    records: z.array(
      z.object({
        line: z.number().int(),
        document: z.string().nullable().describe("As JSON; null where it does not fit"),
        faults: z.array(Fault),
      }),
    ),
    columns: z.array(z.string()).describe("What the first records have, whether it is read or not"),
    failure: RunFailure.nullable().describe("Why no further record can be read"),
  })
  .meta({ id: "ImportPreview" });
export type ImportPreview = z.infer<typeof ImportPreview>;

export const importRoutes = {
  previewImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/imports/preview",
    permission: "operate",
    changes: false,
    summary: "What the first five records of a file would become, read as an import would; keeps nothing",
    params: tenantParams,
    body: ImportSample,
    responses: { 200: ImportPreview },
  }),
  createImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/imports",
    permission: "operate",
    summary: "Begin an import: say what the file is and how its columns are read; its parts follow",
    description:
      "Documents come in as if the integration point's system had sent them. `mapping` names the source's column for each canonical path (`price.amount`), or a text for all as `=SEK`. Without one the columns are the canonical fields. Consecutive rows of one order number, with `lines.` paths, make one order; where its rows are not next to each other, nothing of the file is imported.",
    params: tenantParams,
    body: z.strictObject({
      integrationPointId: RecordId,
      name: Line.min(1).max(300),
      ...howRead,
    }),
    responses: { 201: Run },
  }),
  putImportPart: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/imports/:runId/parts/:number",
    permission: "operate",
    // The import's begin and start are told of; a file has thousands of parts.
    changes: false,
    summary: "Hand in a part of the file's text; sent again, it takes the place of the same part",
    params: runParams.extend({ number: fromText(z.number().int().min(1).max(10_000)) }),
    body: z.strictObject({ text: z.string().min(1).max(importPartMax) }),
    responses: { 204: z.undefined() },
  }),
  startImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/imports/:runId/start",
    permission: "operate",
    summary: "All parts are there: the import runs from now on",
    params: runParams,
    body: z.strictObject({
      parts: z.number().int().min(1).max(10_000),
      rows: z.number().int().min(0).optional().describe("For the progress, if known"),
    }),
    responses: { 200: Run },
  }),
  downloadRejectedRows: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/imports/:runId/rejected-rows",
    permission: "reveal",
    summary: "The rows of an import that did not fit, as they stand in its file, to be corrected and handed in again",
    description:
      "CSV in the file's own form, with the line and the reasons before each row in the columns `#line` and `#reason`, which an import passes over; NDJSON as it came. To be had for a day after the import's end; of XML there is none.",
    contentTypes: exportTypes,
    params: runParams,
    query: z.object({ reason: UnmaskedReason.unwrap().describe("Why these values are wanted as they are: kept with the audit event") }),
    responses: { 200: z.string() },
  }),
};
