import type { BodyOf, Routes, SkippedRow } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { useFailureText } from "../failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../problem.ts";
import { useSkippedRowText } from "../skipped-row-text.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import type { MappingRow } from "./queries.ts";

export type NewMapping = BodyOf<Routes["createMapping"]>;
export type MappingEdit = BodyOf<Routes["updateMapping"]>;

/** What a refusal says to the operator. */
export function useFault(): (error: Error) => string {
  const t = useText();
  const textOf = useFailureText();
  return (error) => {
    if (!(error instanceof ApiError)) return textOf(error);
    const { code, detail, current } = error.problem;
    const by = current?.["changedBy"];
    if (code === "already-exists") return t("mappings.fault.exists");
    if (code === "mapping-cycle") return `${t("mappings.fault.cycle")} ${detail ?? ""}`;
    if (code === "version-changed") return typeof by === "string" ? t("mappings.fault.changedBy", { by }) : t("mappings.fault.changed");
    if (code === "not-found") return t("refusal.gone");
    if (code === "validation-failed") return t("mappings.fault.wrong");
    return textOf(error);
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

type Result = { ids: string[]; skipped: SkippedRow[] };
type Change = (ids: number[]) => Promise<{ ids: number[]; skipped: SkippedRow[] }>;

async function inPortions(wanted: readonly string[], change: Change): Promise<Result> {
  const result: Result = { ids: [], skipped: [] };
  for (let start = 0; start < wanted.length; start += portion) {
    const { ids, skipped } = await change(wanted.slice(start, start + portion).map(Number));
    result.ids.push(...ids.map(String));
    result.skipped.push(...skipped);
  }
  return result;
}

function useRestoreMappings(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  const explain = useSkippedRowText();
  return useMutation({
    mutationFn: (wanted: readonly string[]) =>
      inPortions(wanted, (ids) =>
        api<Routes["restoreMappings"]>("POST", "/tenants/:tenantCode/mappings/restore", { params: { tenantCode }, body: { ids } }),
      ),
    onSuccess: ({ ids, skipped }) => {
      if (ids.length > 0) noticeSuccess(t("mappings.restored", { count: ids.length }));
      // Another mapping of the value, or a colleague who was faster.
      const taken = skipped.find(({ isThere }) => !isThere);
      if (skipped.length > 0) noticeError(taken ? t("mappings.valueTaken", { name: taken.name }) : explain(skipped));
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
  const explain = useSkippedRowText();
  return useMutation({
    mutationFn: async (choose: () => Promise<string[]>) =>
      inPortions(await choose(), (ids) =>
        api<Routes["removeMappings"]>("POST", "/tenants/:tenantCode/mappings/remove", { params: { tenantCode }, body: { ids } }),
      ),
    onSuccess: ({ ids, skipped }) => {
      const undo = { label: t("action.undo"), run: () => restore.mutate(ids) };
      if (ids.length > 0) noticeSuccess(t("notice.mappingsRemoved", { count: ids.length }), undo);
      if (skipped.length > 0) noticeError(explain(skipped));
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
    mutationFn: ({ version, currentVersion, reason }: { version: number; currentVersion: number; reason: string }) =>
      api<Routes["restoreMappingVersion"]>("POST", "/tenants/:tenantCode/mapping-versions/:version/restore", {
        params: { tenantCode, version },
        body: reason === "" ? {} : { reason },
        ifVersion: currentVersion,
      }),
    onSuccess: ({ version, changes }) => noticeSuccess(t("mappings.rolledBack", { count: changes, version })),
    onError: (error) => noticeError(fault(error)),
    onSettled: refresh,
  });
}
