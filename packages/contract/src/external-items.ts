import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute, type AnswerOf } from "./define-route.ts";
import { CsvImport, CsvImported } from "./csv-import.ts";
import { BusinessKey, Code, QueryBoolean, RecordId, RecordIdText, Time, keyFilter, tenantParams } from "./fields.ts";
import { CappedCount, pageOf, pageQuery, scanAnswer } from "./paging.ts";
import { skippedRows } from "./skipped-rows.ts";

/** What a target calls one of our business objects, and what it was told last. */
export const ExternalItem = z
  .object({
    id: z.string().describe("Names the item in this list; of a removed one, the number under which it is restored"),
    integrationPointId: z.number().int(),
    integrationPointCode: z.string(),
    integrationPointName: z.string(),
    connector: z.string(),
    subtenantCode: z.string(),
    entityType: EntityType,
    key: z.string(),
    externalId: z.string().nullable().describe("Null where the target takes our key and gives none of its own"),
    hash: z.string().nullable().describe("SHA-256 of what was delivered last, in hexadecimal digits; null when nothing was yet"),
    messageId: z.string().nullable(),
    deliveredAt: z.string().nullable(),
    deletedAt: z.string().nullable().describe("When the source of the business object deleted it; null while it is there"),
    removedAt: z.string().nullable(),
    removedBy: z.string().nullable(),
  })
  .meta({ id: "ExternalItem" });
export type ExternalItem = z.infer<typeof ExternalItem>;

export const ExternalItemKey = z.strictObject({ integrationPointId: RecordId, entityType: EntityType, key: BusinessKey });
export type ExternalItemKey = z.infer<typeof ExternalItemKey>;

const externalItemFilter = {
  subtenant: Code.optional(),
  integrationPointId: RecordIdText.optional(),
  entityType: EntityType.optional(),
  ...keyFilter,
  externalId: z.string().min(1).max(500).optional().describe("Start of the external id"),
  payload: z.string().trim().min(1).max(1000).optional().describe('A value of the business object, such as $.name = "Lamp"'),
  from: Time.optional().describe("Delivered last at or after this"),
  to: Time.optional(),
};
/** The same in a body, where numbers are numbers. */
export const externalItemFilterInBody = { ...externalItemFilter, integrationPointId: RecordId.optional() };

/** Removed items, by their numbers. */
const RemovedIds = z
  .array(z.string().regex(/^[0-9]{1,18}$/))
  .min(1)
  .max(1000);

const listQuery = {
  ...pageQuery,
  ...externalItemFilter,
  removed: QueryBoolean.optional().describe("Only the removed ones, the last removed first; without it, only the others"),
};

export const externalItemRoutes = {
  listExternalItems: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-items",
    permission: "read",
    summary: "External items, by integration point, entity type and business key",
    params: tenantParams,
    query: z.object(listQuery),
    responses: { 200: pageOf(ExternalItem) },
  }),
  scanExternalItems: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-item-scan",
    permission: "read",
    summary: "External items that a slow filter matches, in the order of the list, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object(listQuery),
    responses: { 200: z.string() },
  }),
  countExternalItems: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/external-item-count",
    permission: "read",
    summary: "How many external items a filter matches, exact up to 10,000",
    params: tenantParams,
    query: z.object(externalItemFilter),
    responses: { 200: CappedCount },
  }),
  removeExternalItems: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-items/remove",
    permission: "operate",
    summary: "Remove external items, by names or by filter, so that the next delivery creates anew; at most 1,000 a call",
    params: tenantParams,
    body: z.union([
      z.strictObject({ items: z.array(ExternalItemKey).min(1).max(1000) }),
      z.strictObject({ filter: z.strictObject(externalItemFilterInBody) }),
    ]),
    responses: { 200: z.object({ removedIds: z.array(z.string()), skipped: skippedRows, hasMore: z.boolean() }) },
  }),
  restoreExternalItems: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-items/restore",
    permission: "operate",
    summary: "Put removed external items back, except for those that a delivery has made anew",
    params: tenantParams,
    body: z.strictObject({ removedIds: RemovedIds }),
    responses: {
      200: z.object({
        restored: z.number().int(),
        madeAnew: z.number().int(),
        unknown: z.number().int().describe("Not among the removed any more: mostly somebody else put them back"),
      }),
    },
  }),
  importExternalItems: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-items/import",
    permission: "operate",
    summary: "Import external items from CSV, all of it or, when a line is wrong, nothing",
    description:
      "Columns integrationPoint (its code), entityType, key and externalId, in any order; others are ignored. At most 50,000 lines.",
    params: tenantParams,
    body: CsvImport,
    responses: {
      200: CsvImported.extend({
        importId: z.number().int().nullable().describe("Under which the import is undone; null where it changed nothing"),
      }),
    },
  }),
  undoExternalItemImport: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-items/import/:importId/undo",
    permission: "operate",
    summary: "Take back an import of external items, except for what was changed or delivered since",
    params: tenantParams.extend({ importId: RecordIdText }),
    responses: {
      200: z.object({
        restored: z.number().int().describe("External ids that are what they were before"),
        removed: z.number().int().describe("Items that the import had made"),
        changed: z
          .number()
          .int()
          .describe("Left alone: they have got another external id since, were removed, or made ones were delivered"),
      }),
    },
  }),
};
export type ImportResult = AnswerOf<(typeof externalItemRoutes)["importExternalItems"]>;
