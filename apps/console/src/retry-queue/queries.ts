import type { RetryQueueItem, Routes } from "@crossdock/contract";
import { addressOf, api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import type { ScanAddress } from "../scans/scan.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { filtersOf, retryQueueFilterOf, type RetryQueueSearch } from "./search.ts";

function retryQueuePages(tenantCode: string, search: RetryQueueSearch): PageReader<RetryQueueItem> {
  return (cursor, limit, signal) =>
    api<Routes["listRetryQueue"]>("GET", "/tenants/:tenantCode/retry-queue", {
      params: { tenantCode },
      query: { ...retryQueueFilterOf(search, new Date()), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function retryQueueExport(tenantCode: string, search: RetryQueueSearch) {
  return exportOf<Routes["exportRetryQueue"]>("/tenants/:tenantCode/retry-queue/export", {
    params: { tenantCode },
    query: retryQueueFilterOf(search, new Date()),
    hasDocuments: true,
  });
}

export function retryQueueQuery(tenantCode: string, search: RetryQueueSearch) {
  return listQuery(["tenant", tenantCode, "retry-queue", filtersOf(search)], retryQueuePages(tenantCode, search));
}

export function retryQueueScan(tenantCode: string, search: RetryQueueSearch): ScanAddress {
  return (place) => {
    const query = { ...retryQueueFilterOf(search, new Date()), ...place };
    return addressOf<Routes["scanRetryQueue"]>("/tenants/:tenantCode/retry-queue-scan", { params: { tenantCode }, query });
  };
}
