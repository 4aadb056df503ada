import type { DeadLetter, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import type { DeadLetterSelection } from "../message-operations.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { everything, idsOf } from "../ui/selection.ts";
import { deadLetterFilterOf, type DeadLetterSearch } from "./search.ts";

export function deadLetterPages(tenantCode: string, search: DeadLetterSearch): PageReader<DeadLetter> {
  return (cursor, limit, signal) =>
    api<Routes["listDeadLetters"]>("GET", "/tenants/:tenantCode/dead-letters", {
      params: { tenantCode },
      query: { ...deadLetterFilterOf(search), ...(cursor && { cursor }), limit },
      signal,
    });
}

export function deadLettersQuery(tenantCode: string, search: DeadLetterSearch) {
  return listQuery(["tenant", tenantCode, "dead-letters", deadLetterFilterOf(search)], deadLetterPages(tenantCode, search));
}

export function deadLetterGroupsQuery(tenantCode: string, search: DeadLetterSearch) {
  const { fingerprint: _, ...query } = deadLetterFilterOf(search);
  return queryOptions({
    queryKey: ["tenant", tenantCode, "dead-letter-groups", query],
    queryFn: ({ signal }) =>
      api<Routes["listDeadLetterGroups"]>("GET", "/tenants/:tenantCode/dead-letter-groups", { params: { tenantCode }, query, signal }),
    select: ({ items }) => items,
  });
}

/**
 * What a group's button acts on: the group as the operator sees it. The API takes a whole group by its fingerprint; under a filter the
 * group's dead letters are named one by one, so that none outside the filter is touched.
 */
export async function selectionOfGroup(
  tenantCode: string,
  search: DeadLetterSearch,
  fingerprint: string,
  signal: AbortSignal,
): Promise<DeadLetterSelection> {
  if (!search.subtenant && !search.queue) return { fingerprint };
  return { ids: await idsOf(everything, deadLetterPages(tenantCode, { ...search, error: fingerprint }), signal) };
}
