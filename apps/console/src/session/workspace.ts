import type { IntegrationPoint, Queue, Routes, Subtenant } from "@crossdock/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { api } from "../api/api.ts";
import { useUser } from "./session.ts";
import { activeTenantCode } from "../settings.ts";

/** What nearly every screen needs of the active tenant: its name, its subtenants, its queues. */
export const tenantsQuery = queryOptions({
  queryKey: ["tenants"],
  queryFn: ({ signal }) => api<Routes["listTenants"]>("GET", "/tenants", { signal }),
  select: (answer) => answer.items,
});

/** Live events tell of the active tenant only; the others are asked for at this pace. */
export const healthMs = 10_000;

/** The tenants with their health. To look at hundreds takes seconds, so only what shows it asks. */
export const healthsQuery = queryOptions({
  queryKey: ["tenant-healths"],
  queryFn: ({ signal }) => api<Routes["listTenants"]>("GET", "/tenants", { query: { health: "true" }, signal }),
  select: (answer) => answer.items,
  refetchInterval: healthMs,
});

export function subtenantsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "subtenants"],
    queryFn: ({ signal }) => api<Routes["listSubtenants"]>("GET", "/tenants/:tenantCode/subtenants", { params: { tenantCode }, signal }),
    select: (answer) => answer.items,
  });
}

/** With a subtenant, only that one's: a tenant may have thousands. */
export function queuesQuery(tenantCode: string, subtenant?: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "queues", ...(subtenant === undefined ? [] : [subtenant])],
    queryFn: ({ signal }) =>
      api<Routes["listQueues"]>("GET", "/tenants/:tenantCode/queues", {
        params: { tenantCode },
        ...(subtenant !== undefined && { query: { subtenant } }),
        signal,
      }),
    select: (answer) => answer.items,
  });
}

export function integrationPointsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "integration-points"],
    queryFn: ({ signal }) =>
      api<Routes["listIntegrationPoints"]>("GET", "/tenants/:tenantCode/integration-points", { params: { tenantCode }, signal }),
    select: (answer) => answer.items,
  });
}

/** The catalogue is part of the program. */
export const connectorsQuery = queryOptions({
  queryKey: ["connectors"],
  queryFn: ({ signal }) => api<Routes["listConnectors"]>("GET", "/connectors", { signal }),
  select: (answer) => answer.items,
  staleTime: Infinity,
});

/** The active tenant, or null when none is chosen or the chosen one isn't granted (any more). */
export function useActiveTenant() {
  const code = activeTenantCode.use();
  const { data } = useQuery(tenantsQuery);
  return data?.find((tenant) => tenant.code === code) ?? null;
}

/**
 * Whoever was granted a single tenant has nothing to choose: it is active at once, but not in place of one that a link names. An admin chooses, as each
 * new tenant is theirs as well.
 */
export function useOnlyTenant(): void {
  const { data: [first, ...others] = [] } = useQuery(tenantsQuery);
  const isAdmin = useUser()?.role.includes("admin");
  const only = others.length > 0 || isAdmin ? undefined : first?.code;
  useEffect(() => {
    if (only !== undefined && activeTenantCode.get() === null) activeTenantCode.set(only);
  }, [only]);
}

/** What a subtenant is called on screen. */
export function subtenantLabel(subtenants: Pick<Subtenant, "code" | "name">[] | undefined, code: string | null): string {
  return subtenants?.find((subtenant) => subtenant.code === code)?.name ?? code ?? "–";
}

/** What a filter by subtenant or by queue offers. */
export function subtenantOptions(subtenants: Pick<Subtenant, "code" | "name">[]) {
  return subtenants.map(({ code, name }) => ({ value: code, label: name }));
}

export function queueOptions(queues: Queue[]) {
  return queues.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` }));
}

export function integrationPointOptions(points: readonly Pick<IntegrationPoint, "id" | "name">[]) {
  return points.map(({ id, name }) => ({ value: String(id), label: name }));
}

/** The types of objects, with how many there are of each. */
export function entityTypesQuery(tenantCode: string, subtenant: string | undefined) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "entity-types", subtenant],
    queryFn: ({ signal }) =>
      api<Routes["listEntityTypes"]>("GET", "/tenants/:tenantCode/entity-types", {
        params: { tenantCode },
        query: { ...(subtenant && { subtenant }) },
        signal,
      }),
    select: ({ items }) => items,
  });
}
