import type { BodyOf, Routes, SavedView, ViewedList } from "@crossdock/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "../api/problem.ts";
import { noticeError } from "../ui/notice.tsx";

/** Whose views: a tenant's, or the installation's own where a list is about all tenants (null). */
export type ViewPlace = string | null;

/** The installation's routes are those of a tenant under another address. */
const pathOf = (place: ViewPlace, rest = ""): string => `${place === null ? "/installation" : "/tenants/:tenantCode"}/saved-views${rest}`;
const paramsOf = (place: ViewPlace) => ({ tenantCode: place ?? "" });

export function savedViewsQuery(place: ViewPlace) {
  return queryOptions({
    queryKey: place === null ? ["saved-views"] : ["tenant", place, "saved-views"],
    queryFn: ({ signal }) => api<Routes["listSavedViews"]>("GET", pathOf(place), { params: paramsOf(place), signal }),
    select: ({ items }) => items,
  });
}

type NewView = { name: string; query: string; isShared: boolean };
type Change = { view: SavedView } & BodyOf<Routes["updateSavedView"]>;

/** What can be done with the views of a list. */
export function useViewOperations(place: ViewPlace, list: ViewedList) {
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
    onSettled: () => client.invalidateQueries({ queryKey: savedViewsQuery(place).queryKey }),
  };
  const create = useMutation({
    ...common,
    mutationFn: (view: NewView) =>
      api<Routes["createSavedView"]>("POST", pathOf(place), { params: paramsOf(place), body: { list, ...view } }),
  });
  const update = useMutation({
    ...common,
    mutationFn: ({ view, ...body }: Change) =>
      api<Routes["updateSavedView"]>("PATCH", pathOf(place, "/:viewId"), {
        params: { ...paramsOf(place), viewId: view.id },
        body,
        ifVersion: view.version,
      }),
  });
  const remove = useMutation({
    ...common,
    mutationFn: ({ id: viewId, version }: SavedView) =>
      api<Routes["removeSavedView"]>("DELETE", pathOf(place, "/:viewId"), {
        params: { ...paramsOf(place), viewId },
        ifVersion: version,
      }),
  });
  return { create, update, remove };
}
