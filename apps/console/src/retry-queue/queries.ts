import type { RetryQueueItem, Routes } from "@crossdock/contract";
import { api } from "../api.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import type { RetryQueueSearch } from "./search.ts";

export function retryQueuePages(tenantCode: string, search: RetryQueueSearch): PageReader<RetryQueueItem> {
  return (cursor, limit, signal) =>
    api<Routes["listRetryQueue"]>("GET", "/tenants/:tenantCode/retry-queue", {
      params: { tenantCode },
      query: { ...filterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function retryQueueQuery(tenantCode: string, search: RetryQueueSearch) {
  return listQuery(["tenant", tenantCode, "retry-queue", filterOf(search)], retryQueuePages(tenantCode, search));
}

function filterOf({ subtenant, queue }: RetryQueueSearch) {
  return { ...(subtenant && { subtenant }), ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }) };
}
