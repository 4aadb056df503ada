import { z } from "zod";
import { alertRoutes } from "./alerts.ts";
import { auditEventRoutes } from "./audit-events.ts";
import { comingSoonRoutes } from "./coming-soon.ts";
import { deadLetterRoutes } from "./dead-letters.ts";
import { defineRoute, type RouteDefinition } from "./define-route.ts";
import { entityRoutes } from "./entities.ts";
import { externalItemRoutes } from "./external-items.ts";
import { externalMessageRoutes } from "./external-messages.ts";
import { mailRoutes } from "./mails.ts";
import { mappingRoutes } from "./mappings.ts";
import { messageRoutes, scanSearch } from "./messages.ts";
import { QueryBoolean } from "./fields.ts";
import { reconciliationRoutes } from "./reconciliation.ts";
import { retryQueueRoutes } from "./retry-queue.ts";
import { scheduleRoutes } from "./schedules.ts";
import { subtenantRoutes } from "./subtenants.ts";
import { userRoutes } from "./users.ts";

export const ExportFormat = z.enum(["csv", "ndjson"]);
export type ExportFormat = z.infer<typeof ExportFormat>;
/** What an export answers, in the order of its formats. */
export const exportTypes = ["text/csv", "application/x-ndjson"] as const;

/** What every export can be asked for, beside the filter of its list. */
export const exportForm = {
  format: ExportFormat.default("csv"),
  byteOrderMark: QueryBoolean.default(false).describe("Before CSV, for spreadsheets that take it for another code page without"),
};

export const UnmaskedReason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .describe("Leaves the documents' values as they are; takes the right to reveal, and is kept with the audit event");

const documents = {
  documents: QueryBoolean.default(false).describe("With each row's document, personal and secret values masked"),
  reason: UnmaskedReason,
};

type List<Params extends z.ZodType, Shape extends z.ZodRawShape, Answer extends z.ZodType> = RouteDefinition<
  Params,
  z.ZodObject<Shape>,
  z.ZodUndefined,
  Answer
>;

const description =
  "The rows as the list answers them: in CSV its fields as columns, a text that a spreadsheet would run as a formula with an apostrophe before it; in NDJSON a row a line. Read page by page while it is sent, without a limit: an answer that ends before its time breaks off visibly.";

/** The route that answers the whole of a list with its filter. */
function exportOf<Params extends z.ZodType, Shape extends z.ZodRawShape, More extends z.ZodRawShape>(
  list: List<Params, Shape, z.ZodType>,
  noun: string,
  more: More,
) {
  const { cursor: _, limit: _limit, ...filter }: z.ZodRawShape = list.query?.shape ?? {};
  // Without the places of pages, which the generic shape's type cannot say.
  const query = z.object({ ...filter, ...exportForm, ...more }) as unknown as z.ZodObject<
    Omit<Shape, "cursor" | "limit"> & typeof exportForm & More
  >;
  return defineRoute({
    method: "GET",
    path: `${list.path}/export`,
    permission: list.permission,
    summary: `All ${noun} that a filter matches, as CSV or NDJSON`,
    description,
    contentTypes: exportTypes,
    ...(list.params && { params: list.params }),
    query,
    responses: { 200: z.string() },
  });
}

export const exportRoutes = {
  exportMessages: exportOf(messageRoutes.listMessages, "messages", { ...documents, ...scanSearch }),
  exportDeadLetters: exportOf(deadLetterRoutes.listDeadLetters, "dead letters", { ...documents, ...scanSearch }),
  exportRetryQueue: exportOf(retryQueueRoutes.listRetryQueue, "messages of the retry queue", { ...documents, ...scanSearch }),
  exportExternalMessages: exportOf(externalMessageRoutes.listExternalMessages, "external messages", documents),
  exportExternalItems: exportOf(externalItemRoutes.listExternalItems, "external items", {}),
  exportEntities: exportOf(entityRoutes.listEntities, "objects of a type", documents),
  exportMappings: exportOf(mappingRoutes.listMappings, "mappings", {}),
  exportRuns: exportOf(scheduleRoutes.listRuns, "runs", {}),
  exportDifferences: exportOf(reconciliationRoutes.listDifferences, "differences of a reconciliation", {}),
  exportSubtenants: exportOf(subtenantRoutes.listSubtenants, "subtenants", {}),
  exportAlerts: exportOf(alertRoutes.listAlerts, "alerts", {}),
  exportInstallationAlerts: exportOf(alertRoutes.listInstallationAlerts, "alerts", {}),
  exportAuditEvents: exportOf(auditEventRoutes.listAuditEvents, "audit events", {}),
  exportUsers: exportOf(userRoutes.listUsers, "people", {}),
  exportMails: exportOf(mailRoutes.listMails, "mails", {}),
  exportComingSoonAddresses: exportOf(comingSoonRoutes.listComingSoonAddresses, "addresses", {}),
};
