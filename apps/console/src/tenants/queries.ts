import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { healthMs } from "../session/workspace.ts";

export function healthQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "health"],
    queryFn: ({ signal }) => api<Routes["getTenant"]>("GET", "/tenants/:tenantCode", { params: { tenantCode }, signal }),
    select: ({ health }) => health,
    refetchInterval: healthMs,
  });
}
