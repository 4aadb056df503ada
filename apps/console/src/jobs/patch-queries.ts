import type { PatchVerdict, Routes } from "@crossdock/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api.ts";

export function dryRunCountQuery(tenantCode: string, jobId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId, "dry-run-count"],
    queryFn: ({ signal }) =>
      api<Routes["countDryRun"]>("GET", "/tenants/:tenantCode/jobs/:jobId/dry-run-count", { params: { tenantCode, jobId }, signal }),
    staleTime: Infinity,
  });
}

/** What a counted patch would make of its messages, some at a time. */
export function dryRunQuery(tenantCode: string, jobId: number, verdict: PatchVerdict | "") {
  return infiniteQueryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId, "dry-run", verdict],
    queryFn: async ({ pageParam, signal }) => {
      const { items, nextCursor } = await api<Routes["dryRunJob"]>("GET", "/tenants/:tenantCode/jobs/:jobId/dry-run", {
        params: { tenantCode, jobId },
        query: { limit: 10, ...(verdict && { verdict }), ...(pageParam && { cursor: pageParam }) },
        signal,
      });
      return { items: await Promise.all(items.map(async (item) => ({ ...item, errors: await toldFaults(item.errors) }))), nextCursor };
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Infinity,
  });
}
