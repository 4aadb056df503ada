import type { RetryQueueItem, Routes } from "@crossdock/contract";
import { api } from "../api.ts";
import { exportOf } from "../exporting.ts";
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
