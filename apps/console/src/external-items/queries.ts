import type { ExternalItem, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { addressOf, api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import type { ScanAddress } from "../scans/scan.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { externalItemFilterOf, removedState, type ExternalItemSearch } from "./search.ts";

/** Of the removed ones where these are shown. */
function shownFilterOf(search: ExternalItemSearch) {
  return { ...externalItemFilterOf(search), ...(search.state === removedState && { removed: "true" as const }) };
}

function externalItemPages(tenantCode: string, search: ExternalItemSearch): PageReader<ExternalItem> {
  return (cursor, limit, signal) =>
    api<Routes["listExternalItems"]>("GET", "/tenants/:tenantCode/external-items", {
      params: { tenantCode },
      query: { ...shownFilterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function externalItemExport(tenantCode: string, search: ExternalItemSearch) {
  return exportOf<Routes["exportExternalItems"]>("/tenants/:tenantCode/external-items/export", {
    params: { tenantCode },
    query: shownFilterOf(search),
  });
}

export function externalItemsQuery(tenantCode: string, search: ExternalItemSearch) {
  return listQuery(["tenant", tenantCode, "external-items", search], externalItemPages(tenantCode, search));
}

export function externalItemScan(tenantCode: string, search: ExternalItemSearch): ScanAddress {
  return (place) => {
    const query = { ...shownFilterOf(search), ...place };
    return addressOf<Routes["scanExternalItems"]>("/tenants/:tenantCode/external-item-scan", { params: { tenantCode }, query });
  };
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
  });
}
