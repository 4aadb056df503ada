import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { RecordId, tenantParams } from "./paging.ts";
import { Run } from "./schedules.ts";
import { reasons } from "./reasons.ts";

const ColumnPath = z.string().regex(/^[A-Za-z]+(?:\.[A-Za-z0-9]+){0,3}$/, reasons["column-path"]);

const importParams = tenantParams.extend({ runId: RecordId });

/** Characters of one part; a body of the API holds a million bytes. */
const importPartMax = 250_000;

export const importRoutes = {
  createImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/imports",
    permission: "operate",
    summary: "Begin an import: say what the file is and how its columns are read; its parts follow",
    description:
      "Documents come in as if the integration point's system had sent them. `mapping` names the source's column for each canonical path (`price.amount`), or a text for all as `=SEK`. Without one the columns are the canonical fields. Consecutive rows of one order number, with `lines.` paths, make one order.",
    params: tenantParams,
    body: z.object({
      integrationPointId: RecordId,
      entityType: EntityType,
      name: z.string().trim().min(1).max(300),
      format: z.enum(["csv", "ndjson", "xml"]),
      element: z.string().max(100).default("item").describe("In XML: the element of one record"),
      mapping: z.record(ColumnPath, z.string().min(1).max(300)).default({}),
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
    params: importParams.extend({ number: z.coerce.number().int().min(1).max(10_000) }),
    body: z.object({ text: z.string().min(1).max(importPartMax) }),
    responses: { 204: z.undefined() },
  }),
  startImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/imports/:runId/start",
    permission: "operate",
    summary: "All parts are there: the import runs from now on",
    params: importParams,
    body: z.object({
      parts: z.number().int().min(1).max(10_000),
      rows: z.number().int().min(0).optional().describe("For the progress, if known"),
    }),
    responses: { 200: Run },
  }),
};
