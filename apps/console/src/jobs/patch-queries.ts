import type { PatchedMessage, PatchVerdict, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { dryRunPages } from "./queries.ts";

export function patchCountQuery(tenantCode: string, jobId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "job", jobId, "patch-count"],
    queryFn: ({ signal }) =>
      api<Routes["countDryRun"]>("GET", "/tenants/:tenantCode/jobs/:jobId/dry-run-count", { params: { tenantCode, jobId }, signal }),
    staleTime: Infinity,
  });
}

/** Each comes with its document twice. */
const patchedLimit = 10;

/** What a counted patch would make of its messages, some at a time. */
export function patchQuery(tenantCode: string, jobId: number, verdict: PatchVerdict | "") {
  return dryRunPages<PatchedMessage>(["tenant", tenantCode, "job", jobId, "patch", verdict], async (cursor, signal) => {
    const { items, nextCursor } = await api<Routes["dryRunJob"]>("GET", "/tenants/:tenantCode/jobs/:jobId/dry-run", {
      params: { tenantCode, jobId },
      query: { limit: patchedLimit, ...(verdict && { verdict }), ...(cursor && { cursor }) },
      signal,
    });
    return { items: await Promise.all(items.map(async (item) => ({ ...item, errors: await toldFaults(item.errors) }))), nextCursor };
  });
}
