import type { AuditEvent, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { auditFilterOf, filtersOf, type AuditSearch } from "./search.ts";

function auditPages(search: AuditSearch): PageReader<AuditEvent> {
  return (cursor, limit, signal) =>
    api<Routes["listAuditEvents"]>("GET", "/audit-events", {
      query: { ...auditFilterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function auditExport(search: AuditSearch) {
  return exportOf<Routes["exportAuditEvents"]>("/audit-events/export", { query: auditFilterOf(search) });
}

export function auditEventsQuery(search: AuditSearch) {
  return listQuery(["audit-events", filtersOf(search)], auditPages(search));
}

export function auditEventQuery(auditEventId: string) {
  return queryOptions({
    queryKey: ["audit-event", auditEventId],
    queryFn: ({ signal }) => api<Routes["getAuditEvent"]>("GET", "/audit-events/:auditEventId", { params: { auditEventId }, signal }),
    staleTime: Infinity,
  });
}
