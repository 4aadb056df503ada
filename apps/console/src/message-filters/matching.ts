import type { MessageState, Queue, Routes } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { queuesQuery } from "../session/workspace.ts";
import { isSlowFilter, type listFilterOf, type FilterSearch } from "./search.ts";

type Wanted = {
  state: MessageState & keyof Queue["depth"];
  search: FilterSearch;
  /** The filters as the API takes them, at the moment. */
  filterOf: (now: Date) => ReturnType<typeof listFilterOf> & { fingerprint?: string };
};

/** How many messages of one state a list's filter matches: the queues' own counts tell where it names nothing but them; null when nobody knows. */
export function useMatching(tenantCode: string, { state, search, filterOf }: Wanted): number | null {
  const { subtenant, queue, ...others } = search;
  const isNarrowed = Object.values(others).some(Boolean);
  const isCounted = isNarrowed && !isSlowFilter(search);
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: count } = useQuery({
    queryKey: ["tenant", tenantCode, "message-count", state, search],
    queryFn: ({ signal }) =>
      api<Routes["countMessages"]>("GET", "/tenants/:tenantCode/message-count", {
        params: { tenantCode },
        query: { ...filterOf(new Date()), state: [state] },
        signal,
      }),
    enabled: isCounted,
  });
  if (isNarrowed) return count?.isExact ? count.count : null;
  if (!queues) return null;
  return queues
    .filter(({ id, subtenantCode }) => (!subtenant || subtenantCode === subtenant) && (!queue || String(id) === queue))
    .reduce((sum, { depth }) => sum + depth[state], 0);
}
