import type { RetryQueueItem, Routes } from "@crossdock/contract";
import { api } from "../api.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import type { RetryQueueSearch } from "./search.ts";

export function retryQueuePages(tenantCode: string, search: RetryQueueSearch): PageReader<RetryQueueItem> {
  return (cursor, limit, signal) =>
    api<Routes["listRetryQueue"]>("GET", "/tenants/:tenantCode/retry-queue", {
      params: { tenantCode },
      query: { ...retryQueueFilterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function retryQueueQuery(tenantCode: string, search: RetryQueueSearch) {
  return listQuery(["tenant", tenantCode, "retry-queue", retryQueueFilterOf(search)], retryQueuePages(tenantCode, search));
}

/** The address's filters as the API takes them. */
export function retryQueueFilterOf({ subtenant, queue }: RetryQueueSearch) {
  return { ...(subtenant && { subtenant }), ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }) };
}
