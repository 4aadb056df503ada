import type { Routes } from "@crossdock/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import type { Selection } from "../message-operations.ts";
import { deadLetterFilterOf, type DeadLetterSearch } from "./search.ts";

const pageLimit = 100;
const pagesMax = 50;
/** The most that one call answers. */
const pageLimitMax = 500;

function page(tenantCode: string, search: DeadLetterSearch, cursor: string, limit: number, signal?: AbortSignal) {
  return api<Routes["listDeadLetters"]>("GET", "/tenants/:tenantCode/dead-letters", {
    params: { tenantCode },
    query: { ...deadLetterFilterOf(search), ...(cursor && { cursor }), limit },
    ...(signal && { signal }),
  });
}

export function deadLettersQuery(tenantCode: string, search: DeadLetterSearch) {
  return infiniteQueryOptions({
    queryKey: ["tenant", tenantCode, "dead-letters", search],
    queryFn: ({ pageParam, signal }) => page(tenantCode, search, pageParam, pageLimit, signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    maxPages: pagesMax,
    staleTime: Infinity,
    meta: { isHeld: true },
  });
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
export async function selectionOfGroup(tenantCode: string, search: DeadLetterSearch, fingerprint: string): Promise<Selection> {
  if (!search.subtenant && !search.queue) return { fingerprint };
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const answer: Awaited<ReturnType<typeof page>> = await page(tenantCode, { ...search, error: fingerprint }, cursor, pageLimitMax);
    ids.push(...answer.items.map((item) => item.id));
    cursor = answer.nextCursor;
  }
  return { ids };
}
