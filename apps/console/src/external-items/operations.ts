import type { BodyOf, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useBulkOperation } from "../bulk-operation.ts";
import { entityTypes } from "../entity-types.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useSkippedRowText } from "../skipped-row-text.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";

/** Up to 1,000 by the ids of their rows, and what is said when it is done. */
type RemoveInput = { ids: string[]; doneText: TextKey };

/** A row's id names the item: integration point, entity type, and key with all its spaces. */
function itemOf(id: string) {
  const [point = "", type = "", ...key] = id.split(" ");
  return { integrationPointId: Number(point), entityType: entityTypes.find((known) => known === type) ?? "item", key: key.join(" ") };
}

function removeSome(tenantCode: string, ids: string[]) {
  const path = "/tenants/:tenantCode/external-items/remove";
  const body = { items: ids.map(itemOf) };
  return api<Routes["removeExternalItems"]>("POST", path, { params: { tenantCode }, body });
}

function restoreSome(tenantCode: string, removedIds: string[]) {
  const path = "/tenants/:tenantCode/external-items/restore";
  return api<Routes["restoreExternalItems"]>("POST", path, { params: { tenantCode }, body: { removedIds } });
}

export function useRestoreExternalItems(tenantCode: string) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (removedIds: string[]) => restoreSome(tenantCode, removedIds),
    onSuccess: ({ restored, madeAnew, unknown }) => {
      const text = t("notice.externalItemsRestored", { count: restored });
      const stayed = madeAnew > 0 ? t("externalItems.madeAnew", { count: madeAnew }) : "";
      if (restored > 0 || stayed !== "") noticeSuccess(`${restored > 0 ? text : ""} ${stayed}`.trim());
      if (unknown > 0) noticeError(t("externalItems.notRemoved", { count: unknown }));
      return refresh();
    },
    onError: useFailureNotice(),
  });
}

export function useRemoveExternalItems(tenantCode: string) {
  const restore = useRestoreExternalItems(tenantCode);
  return useBulkOperation(tenantCode, {
    run: async ({ ids }: RemoveInput) => {
      const { removedIds, skipped } = await removeSome(tenantCode, ids);
      return { ids: removedIds, skipped };
    },
    done: ({ doneText }) => doneText,
    explain: useSkippedRowText(),
    undo: (removedIds) => () => restore.mutate(removedIds),
  });
}

/** Imports a file, with what takes that back where something was changed. */
export function useImport(tenantCode: string) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const path = "/tenants/:tenantCode/external-items/import";
  const undo = useMutation({
    mutationFn: (importId: number) =>
      api<Routes["undoExternalItemImport"]>("POST", `${path}/:importId/undo`, { params: { tenantCode, importId } }),
    onSuccess: ({ restored, removed, changed }) => {
      const count = restored + removed;
      if (count > 0) noticeSuccess(t("externalItems.importUndone", { count }));
      if (changed > 0) noticeError(t("externalItems.changedSince", { count: changed }));
      return refresh();
    },
    onError: useFailureNotice(),
  });
  return async (body: NonNullable<BodyOf<Routes["importExternalItems"]>>) => {
    const { importId, ...imported } = await api<Routes["importExternalItems"]>("POST", path, { params: { tenantCode }, body });
    return { ...imported, ...(importId !== null && { undo: { label: t("action.undo"), run: () => undo.mutate(importId) } }) };
  };
}
