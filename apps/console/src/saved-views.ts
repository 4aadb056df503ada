import type { BodyOf, Routes, SavedView, ViewedList } from "@crossdock/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ApiError } from "./api.ts";
import { useFailureText } from "./failure-notice.ts";
import { useText } from "./i18n/i18n.tsx";
import { noticeError } from "./ui/notice.tsx";

export function savedViewsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "saved-views"],
    queryFn: ({ signal }) => api<Routes["listSavedViews"]>("GET", "/tenants/:tenantCode/saved-views", { params: { tenantCode }, signal }),
    select: ({ items }) => items,
  });
}

type NewView = { name: string; query: string; isShared: boolean };
type Change = { view: SavedView } & BodyOf<Routes["updateSavedView"]>;

/** What can be done with the views of a list. */
export function useViewOperations(tenantCode: string, list: ViewedList) {
  const t = useText();
  const client = useQueryClient();
  const textOf = useFailureText();
  /** Mostly a colleague was faster: who, and that the list shows the view as it is now. */
  function explain(error: Error): string {
    const { code = "", current, errors } = error instanceof ApiError ? error.problem : {};
    if (errors?.some(({ path, reason }) => path === "body/query" && reason === "text-too-long")) return t("view.tooLong");
    if (code === "not-found") return t("refusal.gone");
    const by = current?.["changedByName"];
    return code === "version-changed" && typeof by === "string" ? t("view.changedBy", { by }) : textOf(error);
  }
  const common = {
    onError: (error: Error) => noticeError(explain(error)),
    onSettled: () => client.invalidateQueries({ queryKey: savedViewsQuery(tenantCode).queryKey }),
  };
  const create = useMutation({
    ...common,
    mutationFn: (view: NewView) =>
      api<Routes["createSavedView"]>("POST", "/tenants/:tenantCode/saved-views", { params: { tenantCode }, body: { list, ...view } }),
  });
  const update = useMutation({
    ...common,
    mutationFn: ({ view, ...body }: Change) =>
      api<Routes["updateSavedView"]>("PATCH", "/tenants/:tenantCode/saved-views/:viewId", {
        params: { tenantCode, viewId: view.id },
        body,
        ifVersion: view.version,
      }),
  });
  const remove = useMutation({
    ...common,
    mutationFn: ({ id: viewId, version }: SavedView) =>
      api<Routes["removeSavedView"]>("DELETE", "/tenants/:tenantCode/saved-views/:viewId", {
        params: { tenantCode, viewId },
        ifVersion: version,
      }),
  });
  return { create, update, remove };
}
