import type { BodyOf, Routes, SavedView, ViewedList } from "@crossdock/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "./api.ts";
import { noticeError } from "./ui/notice.tsx";

export function savedViewsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "saved-views"],
    queryFn: ({ signal }) => api<Routes["listSavedViews"]>("GET", "/tenants/:tenantCode/saved-views", { params: { tenantCode }, signal }),
    select: ({ items }) => items,
  });
}

type NewView = { name: string; query: string; isShared: boolean };
type Change = { viewId: number } & BodyOf<Routes["updateSavedView"]>;

/** What can be done with the views of a list. */
export function useViewOperations(tenantCode: string, list: ViewedList) {
  const client = useQueryClient();
  const common = {
    onSuccess: () => client.invalidateQueries({ queryKey: savedViewsQuery(tenantCode).queryKey }),
    onError: (error: Error) => noticeError(error.message),
  };
  const create = useMutation({
    ...common,
    mutationFn: (view: NewView) =>
      api<Routes["createSavedView"]>("POST", "/tenants/:tenantCode/saved-views", { params: { tenantCode }, body: { list, ...view } }),
  });
  const update = useMutation({
    ...common,
    mutationFn: ({ viewId, ...body }: Change) =>
      api<Routes["updateSavedView"]>("PATCH", "/tenants/:tenantCode/saved-views/:viewId", { params: { tenantCode, viewId }, body }),
  });
  const remove = useMutation({
    ...common,
    mutationFn: ({ id: viewId }: SavedView) =>
      api<Routes["removeSavedView"]>("DELETE", "/tenants/:tenantCode/saved-views/:viewId", { params: { tenantCode, viewId } }),
  });
  return { create, update, remove };
}
