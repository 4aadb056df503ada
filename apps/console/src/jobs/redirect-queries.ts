import type { RedirectVerdict, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { dryRunPages } from "./queries.ts";

export function redirectCountQuery(tenantCode: string, jobId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId, "redirect-count"],
    queryFn: ({ signal }) =>
      api<Routes["countRedirect"]>("GET", "/tenants/:tenantCode/jobs/:jobId/redirect-dry-run-count", {
        params: { tenantCode, jobId },
        signal,
      }),
    staleTime: Infinity,
  });
}

/** Which of a counted redirect's messages would go, some at a time. */
export function redirectQuery(tenantCode: string, jobId: number, verdict: RedirectVerdict | "") {
  return dryRunPages(["tenant", tenantCode, "job", jobId, "redirect", verdict], (cursor, signal) =>
    api<Routes["dryRunRedirect"]>("GET", "/tenants/:tenantCode/jobs/:jobId/redirect-dry-run", {
      params: { tenantCode, jobId },
      query: { ...(verdict && { verdict }), ...(cursor && { cursor }) },
      signal,
    }),
  );
}
