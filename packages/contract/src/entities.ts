import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { MessageState, RelatedObject } from "./messages.ts";
import { BusinessKey, Code, QueryBoolean, RecordId, RecordIdText, Time, keyFilter, tenantParams } from "./fields.ts";
import { CappedCount, pageOf, pageQuery, scanAnswer } from "./paging.ts";

/** One business object of a subtenant: its newest canonical state. Test data are objects of their own. */
export const Entity = z
  .object({
    id: z.string().describe("Names the object in this list"),
    subtenantCode: z.string(),
    entityType: EntityType,
    key: z.string(),
    isDevelopment: z.boolean(),
    version: z.number().int(),
    source: z.string(),
    changedAt: z.string(),
    deletedAt: z.string().nullable().describe("When its source deleted it; null while it is there"),
  })
  .meta({ id: "Entity" });
export type Entity = z.infer<typeof Entity>;

/** A target that wants the object, and what it knows of it. */
export const EntityTarget = z
  .object({
    integrationPointId: z.number().int(),
    name: z.string(),
    connector: z.string(),
    sync: z
      .enum(["in-sync", "outdated", "never"])
      .describe("outdated: it was told another version, or would be told it in other words since its configuration or a mapping changed"),
    externalId: z.string().nullable(),
    deliveredVersion: z.number().int().nullable(),
    deliveredAt: z.string().nullable(),
    lastMessage: z.object({ id: z.string(), state: MessageState }).nullable().describe("The newest message of the object to this target"),
  })
  .meta({ id: "EntityTarget" });
export type EntityTarget = z.infer<typeof EntityTarget>;

export const EntityVersion = z.object({
  version: z.number().int(),
  source: z.string(),
  externalMessageId: z.string().nullable().describe("Null when its retention has ended"),
  createdAt: z.string(),
});
export type EntityVersion = z.infer<typeof EntityVersion>;

export const EntityDetails = Entity.extend({
  document: z.string().describe("The canonical document, JSON text"),
  versions: z.array(EntityVersion).describe("Newest first; 100 at most"),
  targets: z.array(EntityTarget),
  related: z.array(RelatedObject).describe("Of an order its shipments, 50 at most; of a shipment its order"),
}).meta({ id: "EntityDetails" });
export type EntityDetails = z.infer<typeof EntityDetails>;

const entityName = { subtenant: Code, entityType: EntityType, key: BusinessKey };
const namedBy = { ...entityName, isDevelopment: QueryBoolean.default(false) };

const listQuery = {
  ...pageQuery,
  entityType: EntityType,
  subtenant: Code.optional(),
  ...keyFilter,
  source: z.string().max(200).optional().describe("Connector of the newest version"),
  payload: z.string().trim().min(1).max(1000).optional().describe('A value of the document, such as $.name = "Lamp"'),
  from: Time.optional().describe("Changed last at or after this"),
  to: Time.optional(),
};

export const entityRoutes = {
  listEntityTypes: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/entity-types",
    permission: "read",
    summary: "Entity types with the number of their objects and when one was last heard of",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: {
      200: z.object({ items: z.array(z.object({ entityType: EntityType, count: CappedCount, heardOfAt: z.string().nullable() })) }),
    },
  }),
  listEntities: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/entities",
    permission: "read",
    summary: "Objects of one entity type by subtenant and business key",
    params: tenantParams,
    query: z.object(listQuery),
    responses: { 200: pageOf(Entity) },
  }),
  scanEntities: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/entity-scan",
    permission: "read",
    summary: "Objects of one entity type that a slow filter matches, in the order of the list, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object(listQuery),
    responses: { 200: z.string() },
  }),
  getEntity: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/entity",
    permission: "read",
    summary: "One object: its document, its versions and its targets",
    params: tenantParams,
    query: z.object(namedBy),
    responses: { 200: EntityDetails },
  }),
  getEntityVersion: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/entity-version",
    permission: "read",
    summary: "The document of one version of an object",
    params: tenantParams,
    query: z.object({ ...namedBy, version: RecordIdText }),
    responses: { 200: z.object({ document: z.string() }) },
  }),
  resyncEntity: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/entity-resyncs",
    permission: "operate",
    summary: "Publish the current version of an object again, to one target or to all that want it",
    params: tenantParams,
    body: z.strictObject({
      ...entityName,
      isDevelopment: z.boolean().default(false),
      integrationPointId: RecordId.optional(),
      isFromToolbox: z.boolean().default(false).describe("Whether the toolbox's history shall have it"),
    }),
    responses: { 201: z.object({ version: z.number().int(), messageIds: z.array(z.string()) }) },
  }),
};
