import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { ConnectorCode } from "./connector-catalogue.ts";
import { defineRoute } from "./define-route.ts";
import { Code, Name, RecordId, tenantParams } from "./paging.ts";

export const RetryPolicy = z.object({
  maxAttempts: z.number().int().min(1).max(100),
  baseDelayMs: z.number().int().min(100).max(3_600_000),
  maxDelayMs: z.number().int().min(100).max(86_400_000),
});

export const IntegrationPoint = z
  .object({
    id: z.number().int(),
    subtenantCode: z.string(),
    connector: ConnectorCode,
    code: z.string(),
    name: z.string(),
    environment: z.enum(["production", "development"]),
    direction: z.enum(["source", "target", "both"]),
    deliveryMode: z.enum(["push", "pull"]),
    entityTypes: z.array(EntityType),
    settings: z.record(z.string(), z.unknown()),
    credentialNames: z.array(z.string()).describe("Which credentials are set; their values are never given out"),
    retry: RetryPolicy,
    ratePerSecond: z.number().nullable(),
    concurrency: z.number().int(),
    hookId: z.string().describe("Webhooks of the source system go to /hooks/{hookId}"),
    isActive: z.boolean(),
    isPaused: z.boolean(),
    version: z.number().int(),
  })
  .meta({ id: "IntegrationPoint" });
export type IntegrationPoint = z.infer<typeof IntegrationPoint>;

const settable = {
  name: Name,
  entityTypes: z.array(EntityType).min(1).max(6),
  settings: z.record(z.string(), z.unknown()),
  credentials: z
    .record(z.string().max(100), z.string().max(10_000))
    .describe("Write-only; replaces all credentials of the integration point"),
  retry: RetryPolicy,
  ratePerSecond: z.number().min(0.01).max(10_000).nullable(),
  concurrency: z.number().int().min(1).max(64),
};

export const NewIntegrationPoint = z.object({
  subtenantCode: Code,
  connector: ConnectorCode,
  code: Code,
  name: settable.name,
  environment: IntegrationPoint.shape.environment.default("production"),
  direction: IntegrationPoint.shape.direction.default("both"),
  deliveryMode: IntegrationPoint.shape.deliveryMode.default("push"),
  entityTypes: settable.entityTypes,
  settings: settable.settings.default({}),
  credentials: settable.credentials.default({}),
  retry: settable.retry.default({ maxAttempts: 12, baseDelayMs: 2_000, maxDelayMs: 3_600_000 }),
  ratePerSecond: settable.ratePerSecond.default(null),
  concurrency: settable.concurrency.default(8),
});

export const IntegrationPointChange = z.object(settable).extend({ isActive: z.boolean() }).partial();

const integrationPointParams = tenantParams.extend({ integrationPointId: RecordId });

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
    responses: { 201: IntegrationPoint },
  }),
  updateIntegrationPoint: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId",
    permission: "configure",
    summary: "Change an integration point; If-Match names the version that was read",
    params: integrationPointParams,
    body: IntegrationPointChange,
    responses: { 200: IntegrationPoint },
  }),
  pauseIntegrationPoint: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/integration-points/:integrationPointId/pause",
    permission: "operate",
    summary: "Pause or resume delivery; waiting messages stay where they are",
    params: integrationPointParams,
    body: z.object({ isPaused: z.boolean() }),
    responses: { 200: IntegrationPoint },
  }),
};
