import { z } from "zod";
import { ConnectorCode } from "./connector-catalogue.ts";
import { visible } from "./canonical/index.ts";
import { defineRoute, type AnswerOf } from "./define-route.ts";
import { CsvImport, CsvImported } from "./csv-import.ts";
import { Impact, previewSizeMax } from "./impact.ts";
import { Code, RecordId, RecordIdText, fromText, tenantParams } from "./fields.ts";
import { CappedCount, pageOf, pageQuery } from "./paging.ts";
import { skippedRows } from "./skipped-rows.ts";
import { reasons } from "./reasons.ts";

const Value = z.string().max(500);

/** What a mapping says: in a field, what one system calls this another one calls that. */
const content = {
  subtenantCode: Code.nullable().describe("Null: valid for all subtenants of the tenant"),
  fieldName: Value.regex(/^[^\s.]([^.]*[^\s.])?(\.[^\s.]([^.]*[^\s.])?)*$/, reasons["field-name"]).describe(
    "A path in the document through lists (`lines.taxCode`), or a name that is found anywhere (`taxCode`); options go by their names (`Color`)",
  ),
  source: z.union([z.literal("*"), ConnectorCode]).describe("The connector whose word the source value is; `*`: any"),
  sourceValue: Value.describe("The value; with `*` for any characters, a wildcard; `*` alone: every value that no other row names"),
  target: ConnectorCode,
  targetValue: Value.regex(visible, reasons["characters-unseen"]).describe("What the target is sent; `*`: the value as it is"),
};

export const MappingContent = z.object(content);
export type MappingContent = z.infer<typeof MappingContent>;

export const Mapping = z
  .object({
    id: z.number().int(),
    ...content,
    // As stored: rows that were written under earlier rules are shown all the same.
    subtenantCode: z.string().nullable(),
    fieldName: z.string(),
    source: z.string(),
    sourceValue: z.string(),
    target: z.string(),
    targetValue: z.string(),
    version: z.number().int(),
    changedAt: z.string(),
  })
  .meta({ id: "Mapping" });
export type Mapping = z.infer<typeof Mapping>;

const NewMapping = z.strictObject({ ...content, subtenantCode: content.subtenantCode.default(null) });
const MappingEdit = z.strictObject(content).partial();

const MappingIds = z.array(RecordId).min(1).max(1000);

/** A version of all mappings of a tenant: what one person changed in one go. */
export const MappingVersion = z
  .object({
    version: z.number().int(),
    madeAt: z.string(),
    madeBy: z.string(),
    reason: z.string().nullable(),
    restored: z.number().int().nullable().describe("The version that was put back by it"),
    added: z.number().int(),
    changed: z.number().int(),
    removed: z.number().int(),
  })
  .meta({ id: "MappingVersion" });
export type MappingVersion = z.infer<typeof MappingVersion>;

const StoredContent = z.object({
  subtenantCode: z.string().nullable(),
  fieldName: z.string(),
  source: z.string(),
  sourceValue: z.string(),
  target: z.string(),
  targetValue: z.string(),
});

export const MappingChange = z
  .object({ mappingId: z.number().int(), before: StoredContent.nullable(), after: StoredContent.nullable() })
  .meta({ id: "MappingChange" });
export type MappingChange = z.infer<typeof MappingChange>;

/** Changes of one answer at most; a version made by an import may have more. */
export const mappingChangesMax = 500;

/** Mappings that are not saved yet. */
const MappingDraft = z.strictObject({
  upsert: z
    .array(NewMapping.extend({ id: RecordId.optional().describe("The mapping it takes the place of") }))
    .max(100)
    .default([]),
  removeIds: z.array(RecordId).max(1000).default([]),
});

/** A value that dead letters wait for a mapping of. */
export const MissingMapping = z
  .object({
    fieldName: z.string(),
    value: z.string(),
    isMasked: z.boolean().describe("The value is a mask, as the field is masked for the caller: no mapping can be made of it"),
    source: content.source,
    target: content.target,
    messages: z.number().int().describe("Dead letters that lack it"),
    subtenants: z.array(z.object({ code: z.string(), messages: z.number().int() })),
    suggestion: z
      .object({ targetValue: z.string(), like: z.string().describe("The source value of the mapping that says so") })
      .nullable()
      .describe("What it probably reads at the target, as a value that is spelt almost like it does; nothing takes it by itself"),
  })
  .meta({ id: "MissingMapping" });
export type MissingMapping = z.infer<typeof MissingMapping>;

/** Dead letters that are looked through for missing mappings, the newest. */
export const missingExaminedMax = 10_000;
/** Values that are listed of those found, the most wanted. */
export const missingListedMax = 1_000;

const tenantPath = "/api/v1/tenants/:tenantCode";
const filter = {
  fieldName: Value.optional(),
  source: Value.optional(),
  target: Value.optional(),
  subtenant: Code.optional().describe("Mappings of this subtenant and those of all"),
  search: Value.optional().describe("A part of any column"),
};
const versionParams = tenantParams.extend({ version: RecordIdText });

export const mappingRoutes = {
  listMappings: defineRoute({
    method: "GET",
    path: `${tenantPath}/mappings`,
    permission: "read",
    summary: "Mappings, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...filter }),
    responses: { 200: pageOf(Mapping) },
  }),
  countMappings: defineRoute({
    method: "GET",
    path: `${tenantPath}/mapping-count`,
    permission: "read",
    summary: "How many mappings a filter matches, exact up to 10,000",
    params: tenantParams,
    query: z.object(filter),
    responses: { 200: CappedCount },
  }),
  createMapping: defineRoute({
    method: "POST",
    path: `${tenantPath}/mappings`,
    permission: "operate",
    summary: "Create a mapping; it applies to every delivery from now on",
    params: tenantParams,
    body: NewMapping,
    hasETag: true,
    responses: { 201: Mapping },
  }),
  updateMapping: defineRoute({
    method: "PATCH",
    path: `${tenantPath}/mappings/:mappingId`,
    permission: "operate",
    summary: "Change a mapping; If-Match names the version that was read",
    params: tenantParams.extend({ mappingId: RecordIdText }),
    body: MappingEdit,
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: Mapping },
  }),
  removeMappings: defineRoute({
    method: "POST",
    path: `${tenantPath}/mappings/remove`,
    permission: "operate",
    summary: "Remove mappings; those of the ids that are not there are left out of the answer",
    params: tenantParams,
    body: z.strictObject({ ids: MappingIds }),
    responses: { 200: z.object({ ids: z.array(z.number().int()), skipped: skippedRows }) },
  }),
  restoreMappings: defineRoute({
    method: "POST",
    path: `${tenantPath}/mappings/restore`,
    permission: "operate",
    summary: "Put removed mappings back as they were, except for those whose value has another mapping by now",
    params: tenantParams,
    body: z.strictObject({ ids: MappingIds }),
    responses: { 200: z.object({ ids: z.array(z.number().int()), skipped: skippedRows }) },
  }),
  importMappings: defineRoute({
    method: "POST",
    path: `${tenantPath}/mappings/import`,
    permission: "operate",
    summary: "Import mappings from CSV, all of it or, when a line is wrong, nothing",
    description:
      "Columns fieldName, source, sourceValue, target and targetValue, and subtenant where a row is for one only, in any order; others are ignored. A row for a value that has a mapping changes it. At most 50,000 lines.",
    params: tenantParams,
    body: CsvImport,
    responses: {
      200: CsvImported.extend({ version: z.number().int().nullable().describe("Of the mappings since; null where nothing was changed") }),
    },
  }),
  previewMappings: defineRoute({
    method: "POST",
    path: `${tenantPath}/mappings/preview`,
    permission: "operate",
    changes: false,
    summary: "What changed mappings would have done to the last messages; nothing is sent or saved",
    params: tenantParams,
    body: z.strictObject({ draft: MappingDraft, size: z.number().int().min(1).max(previewSizeMax).default(100) }),
    responses: { 200: Impact },
  }),
  listMappingVersions: defineRoute({
    method: "GET",
    path: `${tenantPath}/mapping-versions`,
    permission: "read",
    summary: "Versions of the tenant's mappings, the present one first",
    params: tenantParams,
    query: z.object(pageQuery),
    responses: { 200: pageOf(MappingVersion) },
  }),
  getMappingVersion: defineRoute({
    method: "GET",
    path: `${tenantPath}/mapping-versions/:version`,
    permission: "read",
    summary: "What a version of the mappings changed, and what putting it back would change now",
    params: versionParams,
    responses: {
      200: MappingVersion.extend({
        changes: z.array(MappingChange).describe("By the version itself; 500 at most"),
        toRestore: z.array(MappingChange).describe("From the present mappings to those of the version; 500 at most"),
        toRestoreCount: z.number().int(),
        currentVersion: z.number().int().describe("The newest version, which `toRestore` starts from"),
      }),
    },
  }),
  restoreMappingVersion: defineRoute({
    method: "POST",
    path: `${tenantPath}/mapping-versions/:version/restore`,
    permission: "operate",
    summary:
      "Make the mappings what they were in a version, 0 for before the first; this is a new version. If-Match names the `currentVersion` that was read",
    params: tenantParams.extend({ version: fromText(z.number().int().min(0).max(2_147_483_647)) }),
    body: z.strictObject({ reason: z.string().trim().min(1).max(500).optional() }),
    takesIfMatch: true,
    responses: { 200: z.object({ version: z.number().int(), changes: z.number().int() }) },
  }),
  listMissingMappings: defineRoute({
    method: "GET",
    path: `${tenantPath}/missing-mappings`,
    permission: "read",
    summary: "Values that dead letters lack a mapping of, by the mappings of this moment, the most wanted first",
    params: tenantParams,
    responses: {
      200: z.object({
        items: z.array(MissingMapping).describe("The 1,000 most wanted at most"),
        total: z.number().int().describe("Values found"),
        examined: z.number().int().describe("Dead letters looked through; the newest 10,000 at most"),
        isComplete: z.boolean(),
        readyIds: z.array(z.string()).describe("Dead letters that lack nothing any more and can be requeued; 10,000 at most"),
      }),
    },
  }),
  checkMissingMappings: defineRoute({
    method: "POST",
    path: `${tenantPath}/missing-mappings/check`,
    permission: "operate",
    changes: false,
    summary: "Which dead letters new mappings would set free, and how they would be sent; nothing is sent or saved",
    params: tenantParams,
    body: z.strictObject({ mappings: z.array(NewMapping).min(1).max(100) }),
    responses: {
      200: z.object({
        freedIds: z.array(z.string()).describe("Dead letters that would lack nothing any more"),
        stillBlocked: z.number().int().describe("Those that would get a value and lack others"),
        samples: Impact.shape.samples,
      }),
    },
  }),
};
export type MappingVersionDetails = AnswerOf<(typeof mappingRoutes)["getMappingVersion"]>;
export type MissingMappings = AnswerOf<(typeof mappingRoutes)["listMissingMappings"]>;
export type MissingMappingCheck = AnswerOf<(typeof mappingRoutes)["checkMissingMappings"]>;
