import type { BodyOf, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { inPortions, useBulkOperation } from "../bulk-operation.ts";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { useSkippedRowText } from "../skipped-row-text.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";
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

export function useCreateMapping(tenantCode: string) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (body: NewMapping) =>
      api<Routes["createMapping"]>("POST", "/tenants/:tenantCode/mappings", { params: { tenantCode }, body }),
    onSuccess: refresh,
  });
}

/** `before`: the edit that takes it back. */
type Update = { row: Pick<MappingRow, "id" | "version">; edit: MappingEdit; before: MappingEdit | undefined };

export function useUpdateMapping(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const refresh = useRefresh(tenantCode);
  const update = useMutation({
    mutationFn: ({ row, edit }: Update) =>
      api<Routes["updateMapping"]>("PATCH", "/tenants/:tenantCode/mappings/:mappingId", {
        params: { tenantCode, mappingId: row.id },
        body: edit,
        ifVersion: row.version,
      }),
    // It applies to all that waits from now on, so the way back is where it is told.
    onSuccess: ({ id, version }, { edit, before }) =>
      noticeSuccess(
        t("notice.saved"),
        before && { label: t("action.undo"), run: () => update.mutate({ row: { id: String(id), version }, edit: before, before: edit }) },
      ),
    onError: (error) => noticeError(fault(error)),
    onSettled: refresh,
  });
  return update;
}

function useRestoreMappings(tenantCode: string) {
  const t = useText();
  const fault = useFault();
  const explain = useSkippedRowText();
  return useBulkOperation(tenantCode, {
    run: (wanted: readonly number[]) =>
      inPortions(wanted, (ids) =>
        api<Routes["restoreMappings"]>("POST", "/tenants/:tenantCode/mappings/restore", { params: { tenantCode }, body: { ids } }),
      ),
    done: () => "mappings.restored",
    explain: (skipped) => {
      // Another mapping of the value, or a colleague who was faster.
      const taken = skipped.find(({ isThere }) => !isThere);
      return taken ? t("mappings.valueTaken", { name: taken.name }) : explain(skipped);
    },
    onError: (error) => noticeError(fault(error)),
  });
}

export function useRemoveMappings(tenantCode: string) {
  const fault = useFault();
  const restore = useRestoreMappings(tenantCode);
  return useBulkOperation(tenantCode, {
    run: async (choose: () => Promise<string[]>) =>
      inPortions((await choose()).map(Number), (ids) =>
        api<Routes["removeMappings"]>("POST", "/tenants/:tenantCode/mappings/remove", { params: { tenantCode }, body: { ids } }),
      ),
    done: () => "notice.mappingsRemoved",
    explain: useSkippedRowText(),
    undo: (ids) => () => restore.mutate(ids),
    onError: (error) => noticeError(fault(error)),
  });
}

/** Imports a file, with what goes back to the version before. */
export function useImport(tenantCode: string) {
  const t = useText();
  const rollBack = useRollBack(tenantCode);
  return async (body: BodyOf<Routes["importMappings"]>) => {
    const path = "/tenants/:tenantCode/mappings/import";
    const { version, ...imported } = await api<Routes["importMappings"]>("POST", path, { params: { tenantCode }, body });
    if (version === null) return imported;
    const goBack = () => rollBack.mutate({ version: version - 1, currentVersion: version, reason: "" });
    return { ...imported, undo: { label: t("action.undo"), run: goBack } };
  };
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
