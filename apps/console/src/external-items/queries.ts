import type { ExternalItem, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import { exportOf } from "../exporting.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { externalItemFilterOf, removedState, type ExternalItemSearch } from "./search.ts";

function externalItemPages(tenantCode: string, search: ExternalItemSearch): PageReader<ExternalItem> {
  return (cursor, limit, signal) =>
    api<Routes["listExternalItems"]>("GET", "/tenants/:tenantCode/external-items", {
      params: { tenantCode },
      query: {
        ...externalItemFilterOf(search),
        ...(search.state === removedState && { removed: "true" }),
        ...(cursor && { cursor }),
        limit,
      },
      signal,
    });
}

export function externalItemExport(tenantCode: string, search: ExternalItemSearch) {
  const query = { ...externalItemFilterOf(search), ...(search.state === removedState && { removed: "true" as const }) };
  return exportOf<Routes["exportExternalItems"]>("/tenants/:tenantCode/external-items/export", { params: { tenantCode }, query });
}

export function externalItemsQuery(tenantCode: string, search: ExternalItemSearch) {
  return listQuery(["tenant", tenantCode, "external-items", search], externalItemPages(tenantCode, search));
}

/** Of those that are not removed. */
export function externalItemCountQuery(tenantCode: string, search: ExternalItemSearch) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "external-item-count", search],
    queryFn: ({ signal }) =>
      api<Routes["countExternalItems"]>("GET", "/tenants/:tenantCode/external-item-count", {
        params: { tenantCode },
        query: externalItemFilterOf(search),
        signal,
      }),
    placeholderData: (previous) => previous,
  });
}
