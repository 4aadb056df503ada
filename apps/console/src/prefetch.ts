import { queryClient } from "./query-client.ts";
import { activeTenantCode } from "./settings.ts";
import { queuesQuery, subtenantsQuery, tenantsQuery } from "./workspace.ts";

export function prefetchTenants(): void {
  void queryClient.prefetchQuery(tenantsQuery);
}

export function prefetchWorkspace(): void {
  const tenantCode = activeTenantCode.get();
  if (tenantCode === null) return;
  void queryClient.prefetchQuery(subtenantsQuery(tenantCode));
  void queryClient.prefetchQuery(queuesQuery(tenantCode));
}
