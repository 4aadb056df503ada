import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { ConnectorCode } from "./connector-catalogue.ts";
import { defineRoute } from "./define-route.ts";
import { Impact, previewSizeMax } from "./impact.ts";
import { Code, Name, RecordId, RecordIdText, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { reasons } from "./reasons.ts";

export const RetryPolicy = z
  .strictObject({
    maxAttempts: z.number().int().min(1).max(100),
    baseDelayMs: z.number().int().min(100).max(3_600_000),
    maxDelayMs: z.number().int().min(100).max(86_400_000).describe("Not below `baseDelayMs`"),
  })
  .refine(({ baseDelayMs, maxDelayMs }) => maxDelayMs >= baseDelayMs, { path: ["maxDelayMs"], message: reasons["below-base-delay"] });

const SourceTypes = z.array(EntityType).describe("What its system brings in");
const TargetTypes = z.array(EntityType).describe("What its system is given");

/** Who stopped an integration point's deliveries. */
export const Pause = z.object({ by: z.string(), at: z.string(), reason: z.string().nullable() });
export type Pause = z.infer<typeof Pause>;

export const IntegrationPoint = z
  .object({
    id: z.number().int(),
    subtenantCode: z.string(),
    connector: ConnectorCode,
    code: z.string(),
    name: z.string(),
    environment: z.enum(["production", "development"]),
    deliveryMode: z.enum(["push", "pull"]),
    sourceTypes: SourceTypes,
    targetTypes: TargetTypes,
    settings: z.record(z.string(), z.unknown()),
    credentialNames: z.array(z.string()).describe("Which credentials are set; their values are never given out"),
    lacking: z
      .array(z.string())
      .describe("Names of the settings or credentials without which every delivery fails; empty where nothing is pushed to it"),
    retry: RetryPolicy,
    ratePerSecond: z.number().nullable(),
    concurrency: z.number().int(),
    hookId: z
      .string()
      .nullable()
      .describe(
        "Webhooks of the source system go to /hooks/{hookId}. Null for who may not configure, as who knows it can hand messages in",
      ),
    isActive: z.boolean(),
    isPaused: z.boolean(),
    pause: Pause.nullable().describe("Null while it is not paused"),
    version: z.number().int(),
  })
  .meta({ id: "IntegrationPoint" });
export type IntegrationPoint = z.infer<typeof IntegrationPoint>;

const settable = {
  name: Name,
  sourceTypes: SourceTypes.max(6),
  targetTypes: TargetTypes.max(6),
  settings: z.record(z.string(), z.unknown()),
  credentials: z
    .record(z.string().max(100), z.string().max(10_000))
    .describe("Write-only; replaces all credentials of the integration point"),
  retry: RetryPolicy,
  ratePerSecond: z.number().min(0.01).max(10_000).nullable(),
  concurrency: z.number().int().min(1).max(64),
};

export const NewIntegrationPoint = z.strictObject({
  subtenantCode: Code,
  connector: ConnectorCode,
  code: Code,
  name: settable.name,
  environment: IntegrationPoint.shape.environment.default("production"),
  deliveryMode: IntegrationPoint.shape.deliveryMode.default("push"),
  sourceTypes: settable.sourceTypes.default([]),
  targetTypes: settable.targetTypes.default([]),
  settings: settable.settings.default({}),
  credentials: settable.credentials.default({}),
  retry: settable.retry.default({ maxAttempts: 12, baseDelayMs: 2_000, maxDelayMs: 3_600_000 }),
  ratePerSecond: settable.ratePerSecond.default(null),
  concurrency: settable.concurrency.default(8),
});

const changeable = z
  .strictObject(settable)
  .extend({
    deliveryMode: IntegrationPoint.shape.deliveryMode,
    secrets: z
      .record(z.string().max(100), z.string().max(10_000).nullable())
      .describe("Write-only; sets single credentials and leaves the others, null takes one away"),
    isActive: z.boolean(),
  })
  .partial();

const Reason = z.string().trim().max(500);

export const IntegrationPointChange = changeable.extend({
  reason: Reason.optional(),
  isAnotherSystem: z
    .boolean()
    .optional()
    .describe(
      "Said with another address, once something is known of the system: true forgets its ids and where its polls stand, false keeps them",
    ),
});

/** What a version keeps: all that can be set, of credentials the names only. */
export const IntegrationPointContent = z.object({
  name: z.string(),
  deliveryMode: IntegrationPoint.shape.deliveryMode,
  sourceTypes: SourceTypes,
  targetTypes: TargetTypes,
  settings: z.record(z.string(), z.unknown()),
  credentialNames: z.array(z.string()),
  retry: RetryPolicy,
  ratePerSecond: z.number().nullable(),
  concurrency: z.number().int(),
  isActive: z.boolean(),
  isPaused: z.boolean(),
});
export type IntegrationPointContent = z.infer<typeof IntegrationPointContent>;

export const IntegrationPointVersion = z
  .object({
    version: z.number().int(),
    madeAt: z.string(),
    madeBy: z.string(),
    reason: z.string().nullable(),
    restored: z.number().int().nullable().describe("The version that was put back by it"),
    content: IntegrationPointContent,
  })
  .meta({ id: "IntegrationPointVersion" });
export type IntegrationPointVersion = z.infer<typeof IntegrationPointVersion>;

/** How a system answered a question that changes nothing there. */
export const ConnectionTest = z
  .object({
    result: z.enum([
      "connected",
      "answered",
      "credentials-refused",
      "error-answer",
      "unreachable",
      "name-not-found",
      "tls-failed",
      "timeout",
      "address-refused",
      "incomplete",
      "untestable",
      "no-address",
    ]),
    url: z.string().nullable().describe("What was asked"),
    status: z.number().int().nullable(),
    durationMs: z.number().int(),
    detail: z.string().nullable(),
    fields: z
      .array(z.string())
      .describe("Names of the settings or credentials that are missing or don't fit, where that is why nothing was asked"),
    answer: z.string().nullable().describe("The start of the answer's body, secrets masked"),
  })
  .meta({ id: "ConnectionTest" });
export type ConnectionTest = z.infer<typeof ConnectionTest>;

const integrationPointParams = tenantParams.extend({ integrationPointId: RecordIdText });

export const integrationPointRoutes = {
  listIntegrationPoints: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/integration-points",
    permission: "read",
    summary: "Integration points, credentials masked",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: { 200: z.object({ items: z.array(IntegrationPoint) }) },
  }),
  createIntegrationPoint: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/integration-points",
    permission: "configure",
    summary: "Create an integration point and the queues of its entity types",
    params: tenantParams,
    body: NewIntegrationPoint,
    hasETag: true,
    responses: { 201: IntegrationPoint },
  }),
  updateIntegrationPoint: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId",
    permission: "configure",
    summary: "Change an integration point; If-Match names the version that was read",
    params: integrationPointParams,
    body: IntegrationPointChange,
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: IntegrationPoint },
  }),
  pauseIntegrationPoint: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/pause",
    permission: "operate",
    summary: "Pause or resume delivery; waiting messages stay where they are",
    params: integrationPointParams,
    body: z.strictObject({ isPaused: z.boolean(), reason: Reason.optional() }),
    hasETag: true,
    responses: { 200: IntegrationPoint },
  }),
  tryIntegrationPoint: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/try",
    permission: "operate",
    summary: "Try a target that is left alone at once: one message goes out as a trial, and the others follow when it arrives",
    params: integrationPointParams,
    responses: { 200: z.object({ isTried: z.boolean().describe("False: its circuit is not open") }) },
  }),
  testConnection: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/integration-points/test",
    permission: "configure",
    summary: "Ask a system whether address and credentials are right; nothing is changed there",
    description:
      "With `integrationPointId`, its stored credentials are sent where `credentials` names no others. Each test writes an audit event with the address.",
    params: tenantParams,
    body: z.strictObject({
      connector: ConnectorCode,
      settings: settable.settings,
      credentials: settable.credentials.default({}),
      integrationPointId: RecordId.optional(),
    }),
    responses: { 200: ConnectionTest },
  }),
  previewIntegrationPoint: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/preview",
    permission: "configure",
    changes: false,
    summary: "What another configuration would have made of the last messages; nothing is sent or saved",
    params: integrationPointParams,
    body: z.strictObject({
      change: z.strictObject({ settings: settable.settings, secrets: changeable.shape.secrets.unwrap() }).partial(),
      size: z.number().int().min(1).max(previewSizeMax).default(100),
    }),
    responses: { 200: Impact },
  }),
  listIntegrationPointVersions: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/versions",
    permission: "read",
    summary: "Versions of an integration point's configuration, the present one first",
    params: integrationPointParams,
    query: z.object(pageQuery),
    responses: { 200: pageOf(IntegrationPointVersion) },
  }),
  restoreIntegrationPointVersion: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/versions/:version/restore",
    permission: "configure",
    summary:
      "Make the configuration what it was in a version; credentials stay, and so does whether it is active or paused. This is a new version. If-Match names the present one that was read",
    params: integrationPointParams.extend({ version: RecordIdText }),
    body: z.strictObject({ reason: z.string().trim().min(1).max(500).optional() }),
    takesIfMatch: true,
    hasETag: true,
    responses: { 200: IntegrationPoint },
  }),
};
