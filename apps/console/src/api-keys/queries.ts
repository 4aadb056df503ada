import type { ApiKeyScope, BodyOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../all-of.ts";
import { api } from "../api/api.ts";

export const apiKeyScopes = allOf<ApiKeyScope>()(["gateway", "read", "operate", "configure"]);

export function apiKeysQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "api-keys"],
    queryFn: ({ signal }) => api<Routes["listApiKeys"]>("GET", "/tenants/:tenantCode/api-keys", { params: { tenantCode }, signal }),
    select: ({ items }) => items,
  });
}

export type NewApiKey = NonNullable<BodyOf<Routes["createApiKey"]>>;

export function createApiKey(tenantCode: string, body: NewApiKey) {
  return api<Routes["createApiKey"]>("POST", "/tenants/:tenantCode/api-keys", { params: { tenantCode }, body });
}

export function revokeApiKey(tenantCode: string, apiKeyId: number) {
  return api<Routes["revokeApiKey"]>("DELETE", "/tenants/:tenantCode/api-keys/:apiKeyId", { params: { tenantCode, apiKeyId } });
}
