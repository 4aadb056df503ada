import type { Routes } from "@crossdock/contract";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import type { RetryQueueSearch } from "./search.ts";

const pageLimit = 100;
const pagesMax = 50;

export function retryQueueQuery(tenantCode: string, search: RetryQueueSearch) {
  const { subtenant, queue } = search;
  const filter = { ...(subtenant && { subtenant }), ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }) };
  return infiniteQueryOptions({
    queryKey: ["tenant", tenantCode, "retry-queue", search],
    queryFn: ({ pageParam, signal }) =>
      api<Routes["listRetryQueue"]>("GET", "/tenants/:tenantCode/retry-queue", {
        params: { tenantCode },
        query: { ...filter, ...(pageParam && { cursor: pageParam }), limit: pageLimit },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    maxPages: pagesMax,
    staleTime: Infinity,
    meta: { isHeld: true },
  });
}
