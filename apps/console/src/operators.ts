import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "./api/api.ts";

/** People who may work on the tenant's messages: whom an error may belong to, and whom a note may mention. */
export function operatorsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "operators"],
    queryFn: ({ signal }) => api<Routes["listOperators"]>("GET", "/tenants/:tenantCode/operators", { params: { tenantCode }, signal }),
    select: ({ items }) => items,
  });
}
