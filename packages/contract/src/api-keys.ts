import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Name, RecordId, Time, tenantParams } from "./paging.ts";
import { Role } from "./permissions.ts";

/** A key acts in its one tenant with its role. Only a hash is kept, so the key itself is shown once. */
export const ApiKey = z
  .object({
    id: z.number().int(),
    name: z.string(),
    prefix: z.string().describe("The key's first characters, to recognise it by"),
    role: Role,
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    revokedAt: z.string().nullable(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;

export const apiKeyRoutes = {
  // Asks for `operate` because that is who may see the configuration: users and admins, not viewers.
  listApiKeys: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/api-keys",
    permission: "operate",
    summary: "API keys of the tenant, without the keys themselves",
    params: tenantParams,
    responses: { 200: z.object({ items: z.array(ApiKey) }) },
  }),
  createApiKey: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/api-keys",
    permission: "configure",
    summary: "Create an API key; the answer is the only place where it is shown",
    params: tenantParams,
    body: z.object({ name: Name, role: Role.default("gateway"), expiresAt: Time.nullable().default(null) }),
    responses: { 201: ApiKey.extend({ key: z.string() }).meta({ id: "NewApiKey" }) },
  }),
  revokeApiKey: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/api-keys/:apiKeyId",
    permission: "configure",
    summary: "Revoke an API key, within seconds in every process",
    params: tenantParams.extend({ apiKeyId: RecordId }),
    responses: { 204: z.undefined() },
  }),
};
