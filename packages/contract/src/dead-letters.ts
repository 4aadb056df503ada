import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { listFilter, messageColumns, operationResult, scanSearch } from "./messages.ts";
import { MessageIds, QueryBoolean, RecordId, Time, messageParams, tenantParams } from "./fields.ts";
import { pageOf, pageQuery, scanAnswer } from "./paging.ts";
import { reasons } from "./reasons.ts";

export const DeadLetter = z
  .object({
    ...messageColumns,
    publishedAt: z.string(),
    deadAt: z.string(),
    errorClass: z.string().nullable(),
    fingerprint: z.string().nullable(),
  })
  .meta({ id: "DeadLetter" });
export type DeadLetter = z.infer<typeof DeadLetter>;

export const TriageStatus = z.enum(["new", "investigating", "waiting-for-partner", "ignored", "resolved"]);
export type TriageStatus = z.infer<typeof TriageStatus>;

/** Who looks into an error and how far it has come. Resolved or ignored, it is new again when it comes back. */
export const Triage = z
  .object({
    status: TriageStatus,
    ignoredUntil: z.string().nullable(),
    owner: z.object({ id: z.number().int(), name: z.string() }).nullable(),
    comment: z.string(),
    version: z.number().int().describe("0: nobody has touched it yet"),
    changedBy: z.string().nullable(),
    changedAt: z.string().nullable(),
  })
  .meta({ id: "Triage" });
export type Triage = z.infer<typeof Triage>;

/** Who changed settings of an integration point, or the integration mappings, and when. */
const SettingsChange = z
  .object({
    integrationPointId: z.number().int().nullable().describe("Null: the integration mappings were changed"),
    version: z.number().int().describe("What the change made"),
    madeAt: z.string(),
    madeBy: z.string(),
  })
  .meta({ id: "SettingsChange" });
export type SettingsChange = z.infer<typeof SettingsChange>;

/** Dead letters that died of the same error. */
export const DeadLetterGroup = z
  .object({
    fingerprint: z.string(),
    errorClass: z.string().nullable(),
    error: z.string().nullable().describe("The newest one's text"),
    queueIds: z.array(z.number().int()),
    integrationPointIds: z.array(z.number().int()),
    subtenantCodes: z.array(z.string()),
    count: z.number().int(),
    firstAt: z.string(),
    lastAt: z.string(),
    hours: z.array(z.number().int()).describe("Failures of each of the last 24 hours of the clock, the present one last"),
    changeBefore: SettingsChange.nullable().describe(
      "What was changed last in the day before `firstAt` and may be the reason: settings or credentials of its integration points, or mappings to their systems; of the fields it names where a mapping is missing",
    ),
    triage: Triage,
  })
  .meta({ id: "DeadLetterGroup" });
export type DeadLetterGroup = z.infer<typeof DeadLetterGroup>;

const Fingerprint = z.string().min(1).max(300);

const Neighbour = z.object({ id: z.string(), queueName: z.string() });

/** One dead letter, what is known of its error, and the way to the others that died of it. */
export const DeadLetterDetails = DeadLetter.extend({
  triage: Triage,
  previous: Neighbour.nullable(),
  next: Neighbour.nullable(),
}).meta({ id: "DeadLetterDetails" });
export type DeadLetterDetails = z.infer<typeof DeadLetterDetails>;

const TriageChange = z
  .strictObject({
    fingerprint: Fingerprint,
    version: z.number().int().min(0).describe("The version that the change is based on"),
    status: TriageStatus,
    ignoredUntil: Time.nullable().default(null).describe("In the future; with status `ignored` only"),
    seenUpTo: Time.optional().describe(
      "`lastAt` of the group as the caller saw it: a later failure makes a resolved error new again. Default: now",
    ),
    ownerId: RecordId.nullable(),
    comment: z.string().trim().max(2000).default(""),
  })
  .refine(({ status, ignoredUntil }) => (status === "ignored") === (ignoredUntil !== null), {
    path: ["ignoredUntil"],
    message: reasons["ignored-until"],
  });

/** Either ids, or one error's whole group. */
export const DeadLetterSelection = z.union([z.strictObject({ ids: MessageIds }), z.strictObject({ fingerprint: Fingerprint })]);

export const deadLetterRoutes = {
  listDeadLetters: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letters",
    permission: "read",
    summary: "Dead letters, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...listFilter }),
    responses: { 200: pageOf(DeadLetter) },
  }),
  scanDeadLetters: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letter-scan",
    permission: "read",
    summary: "Dead letters that a slow filter matches, the newest first, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object({ ...pageQuery, ...listFilter, ...scanSearch }),
    responses: { 200: z.string() },
  }),
  listDeadLetterGroups: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letter-groups",
    permission: "read",
    summary: "Dead letters that a filter matches, grouped by error",
    params: tenantParams,
    query: z.object(listFilter),
    responses: {
      200: z.object({
        items: z.array(DeadLetterGroup),
        isExact: z
          .boolean()
          .describe("False: of very many dead letters the newest of each error and queue were looked at, and the counts are floors"),
      }),
    },
  }),
  scanDeadLetterGroups: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letter-group-scan",
    permission: "read",
    summary: "Dead letters that a slow filter matches, grouped by error as they are found",
    ...scanAnswer,
    description: `${scanAnswer.description} Each line has the groups of what its step found, without a limit: counts of one fingerprint are added up, and of the rest the group with the later \`lastAt\` holds.`,
    params: tenantParams,
    query: z.object({ cursor: pageQuery.cursor, ...listFilter, ...scanSearch }),
    responses: { 200: z.string() },
  }),
  triageDeadLetterGroup: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/dead-letter-groups/triage",
    permission: "operate",
    summary: "Say who looks into an error and how far it has come; refused when somebody else did meanwhile",
    description: "Based on an older version, it is answered 409 `changed-meanwhile` with the present state as `current`.",
    params: tenantParams,
    body: TriageChange,
    responses: { 200: Triage },
  }),
  getDeadLetter: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letters/:messageId",
    permission: "read",
    summary: "One dead letter with its neighbours of the same error",
    params: messageParams,
    responses: { 200: DeadLetterDetails },
  }),
  listOperators: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/operators",
    permission: "read",
    summary: "People who may work on the tenant's messages",
    params: tenantParams,
    query: z.object({ readers: QueryBoolean.optional().describe("`true`: with those who may only look") }),
    responses: { 200: z.object({ items: z.array(z.object({ id: z.number().int(), name: z.string() })) }) },
  }),
  requeueDeadLetters: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/dead-letters/requeue",
    permission: "operate",
    summary: "Deliver dead letters again, with a fresh count of attempts; at most 1,000 a call",
    params: tenantParams,
    body: DeadLetterSelection,
    responses: { 200: z.object({ ...operationResult, hasMore: z.boolean() }) },
  }),
  removeDeadLetters: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/dead-letters/remove",
    permission: "operate",
    summary: "Remove dead letters; they can be restored until the retention period ends; at most 1,000 a call",
    params: tenantParams,
    body: DeadLetterSelection,
    responses: { 200: z.object({ ...operationResult, hasMore: z.boolean() }) },
  }),
};
