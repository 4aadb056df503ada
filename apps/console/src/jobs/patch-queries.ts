import type { PatchVerdict, Routes } from "@crossdock/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";

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
    queryFn: ({ pageParam, signal }) =>
      api<Routes["dryRunJob"]>("GET", "/tenants/:tenantCode/jobs/:jobId/dry-run", {
        params: { tenantCode, jobId },
        query: { limit: 10, ...(verdict && { verdict }), ...(pageParam && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Infinity,
  });
}
