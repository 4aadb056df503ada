import type { Routes } from "@crossdock/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import { messageFilterOf, type QueueSearch } from "./search.ts";

const pageLimit = 100;
/** Pages kept in memory; those above are loaded again when the operator scrolls back. */
const pagesMax = 50;

export function messagesQuery(tenantCode: string, search: QueueSearch) {
  return infiniteQueryOptions({
    queryKey: ["tenant", tenantCode, "messages", search],
    queryFn: ({ pageParam, signal }) =>
      api<Routes["listMessages"]>("GET", "/tenants/:tenantCode/messages", {
        params: { tenantCode },
        query: { ...messageFilterOf(search, new Date()), ...(pageParam && { cursor: pageParam }), limit: pageLimit },
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    maxPages: pagesMax,
    staleTime: Infinity,
    meta: { isHeld: true },
  });
}

export function messageCountQuery(tenantCode: string, search: QueueSearch) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message-count", search],
    queryFn: ({ signal }) =>
      api<Routes["countMessages"]>("GET", "/tenants/:tenantCode/message-count", {
        params: { tenantCode },
        query: messageFilterOf(search, new Date()),
        signal,
      }),
    placeholderData: (previous) => previous,
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

export function traceQuery(tenantCode: string, messageId: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId, "trace"],
    queryFn: ({ signal }) =>
      api<Routes["getMessageTrace"]>("GET", "/tenants/:tenantCode/messages/:messageId/trace", {
        params: { tenantCode, messageId },
        signal,
      }),
  });
}
