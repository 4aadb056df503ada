import type { BodyOf, ExternalItem, Routes } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ApiError } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { externalItemFilterOf, type ExternalItemSearch } from "./search.ts";

/** Some items, or all that match the list's filter. `isAll`: the items are all that match, too. */
export type RemoveInput = { items: ExternalItem[]; isAll: boolean } | { search: ExternalItemSearch };

/** The server takes up to this many items a call. */
const portion = 1000;

function useFailureNotice() {
  const t = useText();
  return (error: Error) => noticeError(error instanceof ApiError && error.problem.status > 0 ? error.message : t("error.generic"));
}

async function removeAll(tenantCode: string, input: RemoveInput): Promise<string[]> {
  const remove = (body: BodyOf<Routes["removeExternalItems"]>) =>
    api<Routes["removeExternalItems"]>("POST", "/tenants/:tenantCode/external-items/remove", { params: { tenantCode }, body });
  const removed: string[] = [];
  if ("items" in input) {
    const items = input.items.map(({ integrationPointId, entityType, key }) => ({ integrationPointId, entityType, key }));
    for (let start = 0; start < items.length; start += portion)
      removed.push(...(await remove({ items: items.slice(start, start + portion) })).removedIds);
    return removed;
  }
  for (;;) {
    const { removedIds, hasMore } = await remove({ filter: externalItemFilterOf(input.search) });
    removed.push(...removedIds);
    if (!hasMore || removedIds.length === 0) return removed;
  }
}

async function restoreAll(tenantCode: string, ids: string[]) {
  const total = { restored: 0, madeAnew: 0 };
  for (let start = 0; start < ids.length; start += portion) {
    const answer = await api<Routes["restoreExternalItems"]>("POST", "/tenants/:tenantCode/external-items/restore", {
      params: { tenantCode },
      body: { removedIds: ids.slice(start, start + portion) },
    });
    total.restored += answer.restored;
    total.madeAnew += answer.madeAnew;
  }
  return total;
}

export function useRestoreExternalItems(tenantCode: string) {
  const t = useText();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (removedIds: string[]) => restoreAll(tenantCode, removedIds),
    onSuccess: ({ restored, madeAnew }) => {
      const text = t("notice.externalItemsRestored", { count: restored });
      noticeSuccess(madeAnew > 0 ? `${text} ${t("externalItems.madeAnew", { count: madeAnew })}` : text);
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: useFailureNotice(),
  });
}

export function useRemoveExternalItems(tenantCode: string) {
  const t = useText();
  const client = useQueryClient();
  const restore = useRestoreExternalItems(tenantCode);
  return useMutation({
    mutationFn: (input: RemoveInput) => removeAll(tenantCode, input),
    onSuccess: (ids, input) => {
      const isSome = "items" in input && !input.isAll;
      const text = isSome ? t("notice.externalItemsRemoved", { count: ids.length }) : t("notice.allExternalItemsRemoved");
      noticeSuccess(text, ids.length > 0 ? { label: t("action.undo"), run: () => restore.mutate(ids) } : undefined);
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: useFailureNotice(),
  });
}

export function importExternalItems(tenantCode: string, body: BodyOf<Routes["importExternalItems"]>) {
  return api<Routes["importExternalItems"]>("POST", "/tenants/:tenantCode/external-items/import", { params: { tenantCode }, body });
}
