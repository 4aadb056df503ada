import type { BodyOf, Routes } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ApiError } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import type { MappingRow } from "./queries.ts";

export type NewMapping = BodyOf<Routes["createMapping"]>;
export type MappingEdit = BodyOf<Routes["updateMapping"]>;

/** What a refusal says to the operator. */
export function useFault(): (error: Error) => string {
  const t = useText();
  return (error) => {
    if (!(error instanceof ApiError) || error.problem.status === 0) return t("error.generic");
    const { code, detail } = error.problem;
    if (code === "already-exists") return t("mappings.fault.exists");
    if (code === "mapping-cycle") return `${t("mappings.fault.cycle")} ${detail ?? ""}`;
    if (code === "version-changed") return t("mappings.fault.changed");
    if (code === "validation-failed") return t("mappings.fault.wrong");
    return error.message;
  };
}

function useRefresh(tenantCode: string) {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
}

export function useCreateMapping(tenantCode: string) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (body: NewMapping) =>
      api<Routes["createMapping"]>("POST", "/tenants/:tenantCode/mappings", { params: { tenantCode }, body }),
    onSuccess: refresh,
  });
}

export function useUpdateMapping(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: ({ row, edit }: { row: MappingRow; edit: MappingEdit }) =>
      api<Routes["updateMapping"]>("PATCH", "/tenants/:tenantCode/mappings/:mappingId", {
        params: { tenantCode, mappingId: row.id },
        body: edit,
        ifVersion: row.version,
      }),
    onSuccess: () => noticeSuccess(t("notice.saved")),
    onError: (error) => noticeError(fault(error)),
    onSettled: refresh,
  });
}

/** The server takes up to this many mappings a call. */
const portion = 1000;

async function inPortions(ids: readonly string[], change: (ids: number[]) => Promise<{ ids: number[] }>): Promise<string[]> {
  const changed: string[] = [];
  for (let start = 0; start < ids.length; start += portion) {
    changed.push(...(await change(ids.slice(start, start + portion).map(Number))).ids.map(String));
  }
  return changed;
}

function useRestoreMappings(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (wanted: readonly string[]) =>
      inPortions(wanted, (ids) =>
        api<Routes["restoreMappings"]>("POST", "/tenants/:tenantCode/mappings/restore", { params: { tenantCode }, body: { ids } }),
      ),
    onSuccess: (ids) => {
      noticeSuccess(t("mappings.restored", { count: ids.length }));
      return refresh();
    },
    onError: (error) => noticeError(fault(error)),
  });
}

export function useRemoveMappings(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  const restore = useRestoreMappings(tenantCode);
  return useMutation({
    mutationFn: (wanted: readonly string[]) =>
      inPortions(wanted, (ids) =>
        api<Routes["removeMappings"]>("POST", "/tenants/:tenantCode/mappings/remove", { params: { tenantCode }, body: { ids } }),
      ),
    onSuccess: (ids) => {
      const undo = { label: t("action.undo"), run: () => restore.mutate(ids) };
      noticeSuccess(t("notice.mappingsRemoved", { count: ids.length }), ids.length > 0 ? undo : undefined);
      return refresh();
    },
    onError: (error) => noticeError(fault(error)),
  });
}

export function importMappings(tenantCode: string, body: BodyOf<Routes["importMappings"]>) {
  return api<Routes["importMappings"]>("POST", "/tenants/:tenantCode/mappings/import", { params: { tenantCode }, body });
}

export function usePreviewMappings(tenantCode: string) {
  return useMutation({
    mutationFn: (body: BodyOf<Routes["previewMappings"]>) =>
      api<Routes["previewMappings"]>("POST", "/tenants/:tenantCode/mappings/preview", { params: { tenantCode }, body }),
  });
}

export function useCheckMissing(tenantCode: string) {
  return useMutation({
    mutationFn: (body: BodyOf<Routes["checkMissingMappings"]>) =>
      api<Routes["checkMissingMappings"]>("POST", "/tenants/:tenantCode/missing-mappings/check", { params: { tenantCode }, body }),
  });
}

export function useRollBack(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: ({ version, reason }: { version: number; reason: string }) =>
      api<Routes["restoreMappingVersion"]>("POST", "/tenants/:tenantCode/mapping-versions/:version/restore", {
        params: { tenantCode, version },
        body: reason === "" ? {} : { reason },
      }),
    onSuccess: ({ version, changes }) => {
      noticeSuccess(t("mappings.rolledBack", { count: changes, version }));
      return refresh();
    },
    onError: (error) => noticeError(fault(error)),
  });
}
