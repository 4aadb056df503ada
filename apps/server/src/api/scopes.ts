import { installation } from "./change.ts";
import type { RouteContext } from "./route.ts";

/** In whose rows a route works that a tenant and the installation have alike. */
export type Scope = (context: Pick<RouteContext<unknown, unknown, unknown>, "tenant">) => number;
export const scopeOfTenant: Scope = ({ tenant }) => tenant.tenantId;
export const scopeOfInstallation: Scope = () => installation;
