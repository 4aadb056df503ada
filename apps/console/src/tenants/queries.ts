import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";

/** Live events tell of the active tenant only; the others are asked for at this pace. */
const refetchInterval = 10_000;

/** The health of each tenant, by its code. To look at hundreds takes seconds, so only the screen that shows them asks. */
export const healthsQuery = queryOptions({
  queryKey: ["tenant-healths"],
  queryFn: ({ signal }) => api<Routes["listTenants"]>("GET", "/tenants", { query: { health: "true" }, signal }),
  select: ({ items }) => new Map(items.map(({ code, health }) => [code, health])),
  refetchInterval,
});

export function healthQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "health"],
    queryFn: ({ signal }) => api<Routes["getTenant"]>("GET", "/tenants/:tenantCode", { params: { tenantCode }, signal }),
    select: ({ health }) => health,
    refetchInterval,
  });
}
