import type { BodyOf, IntegrationPoint, IntegrationPointVersion, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { listQuery } from "../ui/list-query.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";

export type PointChange = BodyOf<Routes["updateIntegrationPoint"]>;
export type NewPoint = BodyOf<Routes["createIntegrationPoint"]>;

/** What a refusal says, and which fields it is about: `settings/shopUrl` → reason. */
export function useFault(): (error: Error) => string {
  const t = useText();
  const textOf = useFailureText();
  return (error) => {
    const code = error instanceof ApiError ? error.problem.code : null;
    if (code === "already-exists") return t("configuration.fault.exists");
    if (code === "version-changed") return t("configuration.fault.changed");
    if (code === "validation-failed") return t("configuration.fault.wrong");
    return textOf(error);
  };
}

export function fieldFaults(error: Error | null): ReadonlyMap<string, string> {
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  return new Map(errors.map(({ path, message }) => [path.replace(/^body\//, ""), message]));
}

/** The server asks whether another address leads to another system. */
export function isSystemUnsaid(error: Error | null): boolean {
  return error instanceof ApiError && error.problem.reason === "system-unsaid";
}

export function useCreatePoint(tenantCode: string) {
  return useMutation({
    mutationFn: (body: NewPoint) =>
      api<Routes["createIntegrationPoint"]>("POST", "/tenants/:tenantCode/integration-points", { params: { tenantCode }, body }),
    onSuccess: useRefresh(tenantCode),
  });
}

export function useUpdatePoint(tenantCode: string, integrationPointId: number) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: ({ body, version }: { body: PointChange; version: number }) =>
      api<Routes["updateIntegrationPoint"]>("PATCH", "/tenants/:tenantCode/integration-points/:integrationPointId", {
        params: { tenantCode, integrationPointId },
        body,
        ifVersion: version,
      }),
    // The form hears of its own version before the list brings it, or it would take it for somebody else's.
    onSettled: () => void refresh(),
  });
}

/** Whoever asks for it tells a failure. */
export function usePausePoint(tenantCode: string) {
  return useMutation({
    mutationFn: ({ id, ...body }: { id: number } & NonNullable<BodyOf<Routes["pauseIntegrationPoint"]>>) =>
      api<Routes["pauseIntegrationPoint"]>("PUT", "/tenants/:tenantCode/integration-points/:integrationPointId/pause", {
        params: { tenantCode, integrationPointId: id },
        body,
      }),
    onSuccess: useRefresh(tenantCode),
  });
}

export function useTestConnection(tenantCode: string) {
  return useMutation({
    mutationFn: (body: BodyOf<Routes["testConnection"]>) =>
      api<Routes["testConnection"]>("POST", "/tenants/:tenantCode/integration-points/test", { params: { tenantCode }, body }),
  });
}

export function usePreviewPoint(tenantCode: string, integrationPointId: number) {
  return useMutation({
    mutationFn: (body: BodyOf<Routes["previewIntegrationPoint"]>) =>
      api<Routes["previewIntegrationPoint"]>("POST", "/tenants/:tenantCode/integration-points/:integrationPointId/preview", {
        params: { tenantCode, integrationPointId },
        body,
      }),
  });
}

type VersionRow = IntegrationPointVersion & { id: string };

export function pointVersionsQuery(tenantCode: string, integrationPointId: number) {
  const queryKey = ["tenant", tenantCode, "integration-point-versions", integrationPointId];
  const versions = listQuery<VersionRow>(queryKey, async (cursor, limit, signal) => {
    const { items, nextCursor } = await api<Routes["listIntegrationPointVersions"]>(
      "GET",
      "/tenants/:tenantCode/integration-points/:integrationPointId/versions",
      { params: { tenantCode, integrationPointId }, query: { ...(cursor && { cursor }), limit }, signal },
    );
    return { items: items.map((item) => ({ ...item, id: String(item.version) })), nextCursor };
  });
  // Seldom one comes: it is shown at once.
  return { ...versions, meta: {} };
}

export function useRollBackPoint(tenantCode: string, { id: integrationPointId, version: ifVersion }: IntegrationPoint) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: ({ version, reason }: { version: number; reason: string }) =>
      api<Routes["restoreIntegrationPointVersion"]>(
        "POST",
        "/tenants/:tenantCode/integration-points/:integrationPointId/versions/:version/restore",
        { params: { tenantCode, integrationPointId, version }, body: reason === "" ? {} : { reason }, ifVersion },
      ),
    onSuccess: () => noticeSuccess(t("notice.saved")),
    onError: (error) => noticeError(fault(error)),
    onSettled: refresh,
  });
}
