import type { Message, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { addressOf, api } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import type { ScanAddress } from "../scans/scan.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { filtersOf, messageFilterOf, type QueueSearch } from "./search.ts";

function messagePages(tenantCode: string, search: QueueSearch): PageReader<Message> {
  return (cursor, limit, signal) =>
    api<Routes["listMessages"]>("GET", "/tenants/:tenantCode/messages", {
      params: { tenantCode },
      query: { ...messageFilterOf(search, new Date()), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function messageExport(tenantCode: string, search: QueueSearch) {
  return exportOf<Routes["exportMessages"]>("/tenants/:tenantCode/messages/export", {
    params: { tenantCode },
    query: messageFilterOf(search, new Date()),
    hasDocuments: true,
  });
}

export function messagesQuery(tenantCode: string, search: QueueSearch) {
  const filters = filtersOf(search);
  return listQuery(["tenant", tenantCode, "messages", filters], messagePages(tenantCode, filters));
}

export function messageScan(tenantCode: string, search: QueueSearch): ScanAddress {
  return (place) => {
    const query = { ...messageFilterOf(search, new Date()), ...place };
    return addressOf<Routes["scanMessages"]>("/tenants/:tenantCode/message-scan", { params: { tenantCode }, query });
  };
}

export function messageCountQuery(tenantCode: string, search: QueueSearch) {
  const filters = filtersOf(search);
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message-count", filters],
    queryFn: ({ signal }) =>
      api<Routes["countMessages"]>("GET", "/tenants/:tenantCode/message-count", {
        params: { tenantCode },
        query: messageFilterOf(filters, new Date()),
        signal,
      }),
  });
}

export function messageQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId],
    queryFn: ({ signal }) =>
      api<Routes["getMessage"]>("GET", "/tenants/:tenantCode/messages/:messageId", { params: { tenantCode, messageId }, signal }),
  });
}

export function attemptsQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId, "attempts"],
    queryFn: ({ signal }) =>
      api<Routes["listAttempts"]>("GET", "/tenants/:tenantCode/messages/:messageId/attempts", {
        params: { tenantCode, messageId },
        signal,
      }),
    select: ({ items }) => items,
  });
}

export function messageTraceQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId, "trace"],
    queryFn: ({ signal }) =>
      api<Routes["getMessageTrace"]>("GET", "/tenants/:tenantCode/messages/:messageId/trace", {
        params: { tenantCode, messageId },
        signal,
      }),
  });
}
