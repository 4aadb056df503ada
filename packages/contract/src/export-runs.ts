import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { UnmaskedReason, exportForm, exportTypes } from "./exports.ts";
import { runParams } from "./fields.ts";

const form =
  "NDJSON has one canonical document a line; CSV has a column for each path, three hundred at most. The content stays for as long as the tenant's runs do.";

export const exportRunRoutes = {
  downloadExport: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/export",
    permission: "read",
    summary: "The content of an export that is done, with masked values masked",
    description: form,
    contentTypes: exportTypes,
    params: runParams,
    query: z.object({ ...exportForm, reason: UnmaskedReason }),
    responses: { 200: z.string() },
  }),
};
