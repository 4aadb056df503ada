import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, Name, QueryBoolean, tenantParams } from "./fields.ts";

/** Sums over all queues of the tenant, as its card shows them, and how much needs a person. */
export const TenantHealth = z.object({
  waiting: z.number().int().describe("Ready, in hand, retrying and parked"),
  dead: z.number().int(),
  oldestWaitingAt: z.string().nullable(),
  openCircuits: z.number().int(),
  alerts: z.number().int().describe("Firing"),
});
export type TenantHealth = z.infer<typeof TenantHealth>;

const Colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/)
  .nullable()
  .describe("What marks the tenant on the console's screens, such as `#0a8fdc`");

export const Tenant = z
  .object({
    id: z.number().int(),
    code: z.string(),
    name: z.string(),
    isActive: z.boolean(),
    colour: Colour,
    version: z.number().int(),
  })
  .meta({ id: "Tenant" });
export type Tenant = z.infer<typeof Tenant>;

const TenantWithHealth = Tenant.extend({ health: TenantHealth }).meta({ id: "TenantWithHealth" });

const ListedTenant = Tenant.extend({ health: TenantHealth.optional().describe("With `health=true` only") }).meta({ id: "ListedTenant" });

export const tenantRoutes = {
  listTenants: defineRoute({
    method: "GET",
    path: "/api/v1/tenants",
    permission: "signed-in",
    summary: "The tenants granted to the caller",
    query: z.object({ health: QueryBoolean.default(false).describe("With the health of each, which takes a look at its queues") }),
    responses: { 200: z.object({ items: z.array(ListedTenant) }) },
  }),
  createTenant: defineRoute({
    method: "POST",
    path: "/api/v1/tenants",
    permission: "administer",
    summary: "Create a tenant",
    body: z.strictObject({ code: Code, name: Name }),
    responses: { 201: Tenant },
  }),
  getTenant: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode",
    permission: "read",
    summary: "One tenant with its health",
    params: tenantParams,
    hasETag: true,
    responses: { 200: TenantWithHealth },
  }),
  updateTenant: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode",
    permission: "administer",
    summary: "Rename a tenant, mark it with a colour, activate or deactivate it",
    params: tenantParams,
    body: z.strictObject({ name: Name, isActive: z.boolean(), colour: Colour }).partial(),
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: Tenant },
  }),
};
