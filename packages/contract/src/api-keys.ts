import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Name, RecordIdText, Time, tenantParams } from "./fields.ts";
import { Role } from "./permissions.ts";
import { reasons } from "./reasons.ts";

/** What a key may be restricted to. */
export const ApiKeyScope = z.enum(["read", "operate", "configure", "gateway"]);
export type ApiKeyScope = z.infer<typeof ApiKeyScope>;

/** A key acts in its one tenant with its role. Only a hash is kept, so the key itself is shown once. */
export const ApiKey = z
  .object({
    id: z.number().int(),
    name: z.string(),
    prefix: z.string().describe("The key's first characters, to recognise it by"),
    role: Role,
    scopes: z.array(ApiKeyScope).nullable().describe("Null: all that the role may"),
    createdAt: z.string(),
    lastUsedAt: z.string().nullable().describe("To the minute"),
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
    body: z
      .strictObject({
        name: Name,
        role: Role.optional().describe("What the key may do, by role; `gateway` unless scopes are given"),
        scopes: z.array(ApiKeyScope).min(1).max(4).optional().describe("What the key may do, one by one; instead of a role"),
        expiresAt: Time.nullable().default(null),
      })
      .refine(({ role, scopes }) => role === undefined || scopes === undefined, { error: reasons["role-or-scopes"], path: ["scopes"] }),
    responses: { 201: ApiKey.extend({ key: z.string() }).meta({ id: "NewApiKey" }) },
  }),
  revokeApiKey: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/api-keys/:apiKeyId",
    permission: "configure",
    summary: "Revoke an API key, within seconds in every process",
    params: tenantParams.extend({ apiKeyId: RecordIdText }),
    responses: { 204: z.undefined() },
  }),
};
