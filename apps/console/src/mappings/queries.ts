import type { Mapping, MappingVersion, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { mappingFilterOf, type MappingSearch } from "./search.ts";

export type MappingRow = Omit<Mapping, "id"> & { id: string };

export function mappingPages(tenantCode: string, search: MappingSearch): PageReader<MappingRow> {
  return async (cursor, limit, signal) => {
    const { items, nextCursor } = await api<Routes["listMappings"]>("GET", "/tenants/:tenantCode/mappings", {
      params: { tenantCode },
      query: { ...mappingFilterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
    return { items: items.map((item) => ({ ...item, id: String(item.id) })), nextCursor };
  };
}

export function mappingExport(tenantCode: string, search: MappingSearch) {
  return exportOf<Routes["exportMappings"]>("/tenants/:tenantCode/mappings/export", {
    params: { tenantCode },
    query: mappingFilterOf(search),
  });
}

export function mappingsQuery(tenantCode: string, search: MappingSearch) {
  return listQuery(["tenant", tenantCode, "mappings", mappingFilterOf(search)], mappingPages(tenantCode, search));
}

export function mappingCountQuery(tenantCode: string, search: MappingSearch) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "mapping-count", mappingFilterOf(search)],
    queryFn: ({ signal }) =>
      api<Routes["countMappings"]>("GET", "/tenants/:tenantCode/mapping-count", {
        params: { tenantCode },
        query: mappingFilterOf(search),
        signal,
      }),
  });
}

type VersionRow = MappingVersion & { id: string };

export function versionsQuery(tenantCode: string) {
  return listQuery<VersionRow>(["tenant", tenantCode, "mapping-versions"], async (cursor, limit, signal) => {
    const { items, nextCursor } = await api<Routes["listMappingVersions"]>("GET", "/tenants/:tenantCode/mapping-versions", {
      params: { tenantCode },
      query: { ...(cursor && { cursor }), limit },
      signal,
    });
    return { items: items.map((item) => ({ ...item, id: String(item.version) })), nextCursor };
  });
}

export function versionQuery(tenantCode: string, version: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "mapping-version", version],
    queryFn: ({ signal }) =>
      api<Routes["getMappingVersion"]>("GET", "/tenants/:tenantCode/mapping-versions/:version", {
        params: { tenantCode, version },
        signal,
      }),
  });
}

export function missingQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "missing-mappings"],
    queryFn: ({ signal }) =>
      api<Routes["listMissingMappings"]>("GET", "/tenants/:tenantCode/missing-mappings", { params: { tenantCode }, signal }),
    // Looking through thousands of dead letters for each event of a busy tenant would be too much; the screen has a button for it.
    meta: { isHeld: true },
  });
}
