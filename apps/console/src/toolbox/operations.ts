import type { BodyOf, Routes, Run, ToolboxResult, ToolboxRun } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, ask, toldFaults } from "../api/api.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { useRefresh } from "../live/use-refresh.ts";
import { connectorsQuery, integrationPointsQuery, queuesQuery } from "../session/workspace.ts";

type OperationRequest = NonNullable<BodyOf<Routes["runOperation"]>>;
export type ResultOf<Kind extends ToolboxResult["kind"]> = Extract<ToolboxResult, { kind: Kind }>;

/** Runs an operation; what the server answers is shown by the form that asked. */
export function useOperation<Kind extends ToolboxResult["kind"]>(tenantCode: string, kind: Kind) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: async (body: OperationRequest): Promise<ResultOf<Kind>> => {
      const { result } = await api<Routes["runOperation"]>("POST", "/tenants/:tenantCode/toolbox-runs", { params: { tenantCode }, body });
      const told = result.kind === "handed-in" ? { ...result, reasons: await toldFaults(result.reasons) } : result;
      if (!isOf(told, kind)) throw new Error(`another operation was carried out: ${told.kind}`);
      return told;
    },
    onSettled: refresh,
  });
}

function isOf<Kind extends ToolboxResult["kind"]>(result: ToolboxResult, kind: Kind): result is ResultOf<Kind> {
  return result.kind === kind;
}

type Reconciled = Pick<NonNullable<BodyOf<Routes["createRun"]>>, "integrationPointId" | "entityType">;

/** Starts a comparison that goes on in the background. */
export function useReconcile(tenantCode: string) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (target: Reconciled) =>
      api<Routes["createRun"]>("POST", "/tenants/:tenantCode/runs", {
        params: { tenantCode },
        body: { kind: "reconciliation", ...target, isFromToolbox: true },
      }),
    onSettled: refresh,
  });
}

/** A use of the toolbox as a row of a list. */
export type ToolboxRow = Omit<ToolboxRun, "id"> & { id: string };

function historyPages(tenantCode: string): PageReader<ToolboxRow> {
  return async (cursor, limit, signal) => {
    const query = { ...(cursor && { cursor }), limit };
    const page = await api<Routes["listToolboxRuns"]>("GET", "/tenants/:tenantCode/toolbox-runs", {
      params: { tenantCode },
      query,
      signal,
    });
    return { items: page.items.map((run) => ({ ...run, id: String(run.id) })), nextCursor: page.nextCursor };
  };
}

export function historyQuery(tenantCode: string) {
  return listQuery(["tenant", tenantCode, "toolbox-runs"], historyPages(tenantCode));
}

export function cancelRun(tenantCode: string, runId: number): Promise<Run> {
  return api<Routes["cancelRun"]>("POST", "/tenants/:tenantCode/runs/:runId/cancel", { params: { tenantCode, runId } });
}

type Held = { messageId: string; queueId: number; leaseToken: string };
type Settlement = "ack" | "nack-retry" | "nack-dead";

/** Settles a leased message at the gateway, by the paths that every outside worker uses. */
export function useSettle(tenantCode: string) {
  const refresh = useRefresh(tenantCode);
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors = [] } = useQuery(connectorsQuery);
  return useMutation({
    mutationFn: async ({ held, how, reason }: { held: Held; how: Settlement; reason: string }) => {
      const queue = queues.find(({ id }) => id === held.queueId);
      const point = points.find(({ id }) => id === queue?.integrationPoint.id);
      const connector = connectors.find(({ code }) => code === point?.connector);
      const endpoint = connector?.endpoints.find(({ entityType }) => entityType === queue?.entityType);
      if (!point || !connector || !endpoint) throw new Error(`no gateway path leads to queue ${held.queueId}`);
      const base = point.environment === "development" ? connector.devBasePath : connector.basePath;
      const query = new URLSearchParams({ tenant: tenantCode, subtenant: point.subtenantCode, integrationPoint: point.code });
      const { messageId, leaseToken } = held;
      const body = how === "ack" ? { leaseToken } : { leaseToken, reason, isRetryable: how === "nack-retry", errorClass: "toolbox" };
      await ask(`${base}/${endpoint.path}/${messageId}/${how === "ack" ? "ack" : "nack"}?${query.toString()}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return how;
    },
    onSettled: refresh,
  });
}
