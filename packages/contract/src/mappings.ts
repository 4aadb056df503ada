import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, RecordId, pageOf, pageQuery, tenantParams } from "./paging.ts";

const Value = z.string().max(500);

/** How a value of one system reads in another, e.g. field `vatCode`: fortnox `25` ↔ shopify `SE-standard`. */
export const Mapping = z
  .object({
    id: z.number().int(),
    subtenantCode: z.string().nullable().describe("Null: valid for all subtenants of the tenant"),
    fieldName: z.string(),
    source: z.string(),
    sourceValue: z.string(),
    target: z.string(),
    targetValue: z.string(),
  })
  .meta({ id: "Mapping" });
export type Mapping = z.infer<typeof Mapping>;

export const mappingRoutes = {
  listMappings: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/mappings",
    permission: "read",
    summary: "Mappings by field name, source and source value",
    params: tenantParams,
    query: z.object({ ...pageQuery, fieldName: Value.optional(), search: Value.optional() }),
    responses: { 200: pageOf(Mapping) },
  }),
  createMapping: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/mappings",
    permission: "operate",
    summary: "Create a mapping; it applies to every delivery from now on",
    params: tenantParams,
    body: z.object({
      subtenantCode: Code.nullable().default(null),
      fieldName: Value.min(1),
      source: Value.min(1),
      sourceValue: Value,
      target: Value.min(1),
      targetValue: Value,
    }),
    responses: { 201: Mapping },
  }),
  removeMapping: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/mappings/:mappingId",
    permission: "operate",
    summary: "Remove a mapping",
    params: tenantParams.extend({ mappingId: RecordId }),
    responses: { 204: z.undefined() },
  }),
};
