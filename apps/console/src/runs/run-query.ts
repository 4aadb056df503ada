import type { AnswerOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";

/** A run with its failure told in the console's language. */
export type RunDetails = AnswerOf<Routes["getRun"]>;

const lookEveryMs = 1000;

/** Looked at until it has ended. */
export function runQuery(tenantCode: string, runId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "run", runId],
    queryFn: async ({ signal }) => {
      const run = await api<Routes["getRun"]>("GET", "/tenants/:tenantCode/runs/:runId", { params: { tenantCode, runId }, signal });
      const [failure = null] = await toldFaults(run.failure === null ? [] : [run.failure]);
      return { ...run, failure };
    },
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? lookEveryMs : false),
  });
}
