import type { Entity, Routes } from "@crossdock/contract";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { addressOf, api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import type { ScanAddress } from "../scans/scan.ts";
import { useShowMessages } from "../messages/show-messages.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { entityFilterOf, filtersOf, typeOf, type EntitySearch, type OpenEntity } from "./search.ts";

export function entityExport(tenantCode: string, search: EntitySearch) {
  return exportOf<Routes["exportEntities"]>("/tenants/:tenantCode/entities/export", {
    params: { tenantCode },
    query: entityFilterOf(search, new Date()),
    hasDocuments: true,
  });
}

export function entityPages(tenantCode: string, search: EntitySearch): PageReader<Entity> {
  return (cursor, limit, signal) =>
    api<Routes["listEntities"]>("GET", "/tenants/:tenantCode/entities", {
      params: { tenantCode },
      query: { ...entityFilterOf(search, new Date()), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function entitiesQuery(tenantCode: string, search: EntitySearch) {
  return listQuery(["tenant", tenantCode, "entities", { ...filtersOf(search), entity: typeOf(search) }], entityPages(tenantCode, search));
}

export function entityScan(tenantCode: string, search: EntitySearch): ScanAddress {
  return (place) => {
    const query = { ...entityFilterOf(search, new Date()), ...place };
    return addressOf<Routes["scanEntities"]>("/tenants/:tenantCode/entity-scan", { params: { tenantCode }, query });
  };
}

export function entityQuery(tenantCode: string, entity: OpenEntity) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "entity", entity],
    queryFn: ({ signal }) =>
      api<Routes["getEntity"]>("GET", "/tenants/:tenantCode/entity", { params: { tenantCode }, query: entity, signal }),
  });
}

export function entityVersionQuery(tenantCode: string, entity: OpenEntity, version: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "entity", entity, version],
    queryFn: ({ signal }) =>
      api<Routes["getEntityVersion"]>("GET", "/tenants/:tenantCode/entity-version", {
        params: { tenantCode },
        query: { ...entity, version },
        signal,
      }),
    staleTime: Infinity,
  });
}

/** Publishes the current version again: to one target or, without one, to all that want it. */
export function useResync(tenantCode: string, { isDevelopment, ...name }: OpenEntity) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const showOf = useShowMessages();
  return useMutation({
    mutationFn: (integrationPointId: number | null) =>
      api<Routes["resyncEntity"]>("POST", "/tenants/:tenantCode/entity-resyncs", {
        params: { tenantCode },
        body: { ...name, isDevelopment: isDevelopment === "true", ...(integrationPointId !== null && { integrationPointId }) },
      }),
    onSuccess: ({ version, messageIds }) => {
      noticeSuccess(t("entities.resynced", { version, count: messageIds.length }), showOf(messageIds));
      return refresh();
    },
    onError: useFailureNotice(),
  });
}
