import type { ExternalMessage, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { addressOf, api, toldFaults } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import type { ScanAddress } from "../scans/scan.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { externalMessageFilterOf, isRefused, type ExternalMessageSearch } from "./search.ts";

function externalMessagePages(tenantCode: string, search: ExternalMessageSearch): PageReader<ExternalMessage> {
  return async (cursor, limit, signal) => {
    const page = await api<Routes["listExternalMessages"]>("GET", "/tenants/:tenantCode/external-messages", {
      params: { tenantCode },
      query: { ...externalMessageFilterOf(search, new Date()), ...(cursor && { cursor }), limit },
      signal,
    });
    if (!isRefused(search)) return page;
    const told = await toldFaults(page.items.flatMap(({ id, reason }) => (reason === null ? [] : [{ ...reason, id }])));
    const reasons = new Map(told.map((reason) => [reason.id, reason]));
    return { ...page, items: page.items.map((message) => ({ ...message, reason: reasons.get(message.id) ?? null })) };
  };
}

export function externalMessageExport(tenantCode: string, search: ExternalMessageSearch) {
  return exportOf<Routes["exportExternalMessages"]>("/tenants/:tenantCode/external-messages/export", {
    params: { tenantCode },
    query: externalMessageFilterOf(search, new Date()),
    hasDocuments: true,
  });
}

export function externalMessagesQuery(tenantCode: string, search: ExternalMessageSearch) {
  return listQuery(["tenant", tenantCode, "external-messages", search], externalMessagePages(tenantCode, search));
}

export function externalMessageScan(tenantCode: string, search: ExternalMessageSearch): ScanAddress {
  return (place) => {
    const query = { ...externalMessageFilterOf(search, new Date()), ...place };
    return addressOf<Routes["scanExternalMessages"]>("/tenants/:tenantCode/external-message-scan", { params: { tenantCode }, query });
  };
}

export function externalMessageCountQuery(tenantCode: string, search: ExternalMessageSearch) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "external-message-count", search],
    queryFn: ({ signal }) =>
      api<Routes["countExternalMessages"]>("GET", "/tenants/:tenantCode/external-message-count", {
        params: { tenantCode },
        query: externalMessageFilterOf(search, new Date()),
        signal,
      }),
  });
}

export function rejectedGroupsQuery(tenantCode: string, search: ExternalMessageSearch) {
  const { subtenant, integrationPointId, entityType, source, from, to } = externalMessageFilterOf(search, new Date());
  const query = { subtenant, integrationPointId, entityType, source, from, to };
  return queryOptions({
    queryKey: ["tenant", tenantCode, "external-message-groups", search],
    queryFn: async ({ signal }) => {
      const found = await api<Routes["listExternalMessageGroups"]>("GET", "/tenants/:tenantCode/external-message-groups", {
        params: { tenantCode },
        query,
        signal,
      });
      const told = await toldFaults(found.items.map(({ reason }, index) => ({ path: "", message: "", ...reason, index })));
      return { ...found, items: found.items.map((group, index) => ({ ...group, reason: group.reason && (told[index] ?? null) })) };
    },
    // Ten thousand rows for each event of a busy tenant would be too much.
    meta: { isHeld: true },
    refetchInterval: 30_000,
  });
}

export function externalMessageQuery(tenantCode: string, externalMessageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "external-message", externalMessageId],
    queryFn: async ({ signal }) => {
      const message = await api<Routes["getExternalMessage"]>("GET", "/tenants/:tenantCode/external-messages/:externalMessageId", {
        params: { tenantCode, externalMessageId },
        signal,
      });
      return { ...message, reasons: await toldFaults(message.reasons) };
    },
  });
}
