import { parseAuditSearch } from "./audit-events/search.ts";
import { announcementsQuery } from "./header/announcements.ts";
import { loadCode } from "./lazy-screen.ts";
import { queryClient } from "./api/query-client.ts";
import { activeTenantCode } from "./settings.ts";
import type { listQuery } from "./ui/list-query.ts";
import { parseUserSearch } from "./users/search.ts";
import { queuesQuery, subtenantsQuery, tenantsQuery } from "./session/workspace.ts";

type Search = Record<string, unknown>;

/** Longer than a round trip on a slow network. */
const announcementPatienceMs = 2000;

/** What screens fetch first; some of it depends on their address. Nobody but the screen itself waits for the answers. */
export const prefetch = {
  /** The frame waits for the announcement, which would push down everything below it if it came later; but not for ever. */
  frame: async () => {
    void queryClient.prefetchQuery(tenantsQuery);
    const patience = new Promise((resolve) => setTimeout(resolve, announcementPatienceMs));
    await Promise.race([queryClient.prefetchQuery(announcementsQuery), patience]);
  },
  workspace: () => {
    const tenantCode = activeTenantCode.get();
    if (tenantCode === null) return;
    void queryClient.prefetchQuery(subtenantsQuery(tenantCode));
    void queryClient.prefetchQuery(queuesQuery(tenantCode));
  },
  users: async (search: Search) => {
    const { usersQuery } = await loadCode(() => import("./users/queries.ts"));
    readStart(usersQuery(parseUserSearch(search)));
  },
  mails: async () => {
    const { mailsQuery } = await loadCode(() => import("./mails/queries.ts"));
    readStart(mailsQuery);
  },
  auditEvents: async (search: Search) => {
    const { auditEventsQuery } = await loadCode(() => import("./audit-events/queries.ts"));
    readStart(auditEventsQuery(parseAuditSearch(search)));
  },
  apiKeys: async () => {
    const tenantCode = activeTenantCode.get();
    const { apiKeysQuery } = await loadCode(() => import("./api-keys/queries.ts"));
    if (tenantCode !== null) void queryClient.prefetchQuery(apiKeysQuery(tenantCode));
  },
  account: async () => {
    const { sessionsQuery } = await loadCode(() => import("./account/queries.ts"));
    void queryClient.prefetchQuery(sessionsQuery);
  },
  overview: async () => {
    const { overviewQuery } = await loadCode(() => import("./dashboard/queries.ts"));
    void queryClient.prefetchQuery(overviewQuery);
  },
};

/** A list that is already here stays as it is, however stale: its screen decides when rows may move. */
function readStart<Row>(list: ReturnType<typeof listQuery<Row>>): void {
  queryClient.ensureInfiniteQueryData(list).catch(() => undefined);
}
