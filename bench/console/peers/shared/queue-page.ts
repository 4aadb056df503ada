import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Message } from "@crossdock/contract";
import { useText, type TextKey } from "../../../../apps/console/src/i18n/i18n.tsx";
import { useLiveUpdates } from "../../../../apps/console/src/live/live.ts";
import { periods } from "../../../../apps/console/src/message-filters/search.ts";
import { messageCountQuery, messagesQuery } from "../../../../apps/console/src/messages/queries.ts";
import { states, type QueueSearch } from "../../../../apps/console/src/messages/search.ts";
import { activeTenantCode } from "../../../../apps/console/src/settings.ts";
import { queuesQuery, subtenantsQuery, useActiveTenant } from "../../../../apps/console/src/session/workspace.ts";

/** The menu as the console has it. */
export const menu: { url: string; title: TextKey }[] = [
  { url: "/tenant-list", title: "menu.tenants" },
  { url: "/subtenant-list", title: "menu.subtenants" },
  { url: "/queue", title: "menu.queue" },
  { url: "/retryqueue", title: "menu.retryQueue" },
  { url: "/deadletter-list", title: "menu.deadLetters" },
];

export const stateTitles: Record<Message["state"], TextKey> = {
  ready: "message.state.ready",
  "in-hand": "message.state.inHand",
  retrying: "message.state.retrying",
  parked: "message.state.parked",
  dead: "message.state.dead",
  delivered: "message.state.delivered",
  superseded: "message.state.superseded",
  removed: "message.state.removed",
  redirected: "message.state.redirected",
};

export const selectFilters = ["subtenant", "queue", "state", "time"] as const;
export const textFilters = ["key", "source", "search"] as const;

/** What the console's queue page knows and asks for, by the same queries. */
export function useQueuePage() {
  const t = useText();
  const tenantCode = activeTenantCode.use() ?? "";
  const search = useSearch({ strict: false }) as QueueSearch;
  const navigate = useNavigate();
  const tenant = useActiveTenant();
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { data: count } = useQuery(messageCountQuery(tenantCode, search));
  const messages = useInfiniteQuery({ ...messagesQuery(tenantCode, search), maxPages: 0 });
  useLiveUpdates(tenantCode);

  const targets = new Map(queues.map(({ id, integrationPoint }) => [id, integrationPoint.name]));
  const subtenantNames = new Map(subtenants.map(({ code, name }) => [code, name]));
  const options = {
    subtenant: subtenants.map(({ code, name }) => ({ value: code, label: name })),
    queue: queues.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` })),
    state: states.map((state) => ({ value: state, label: t(stateTitles[state]) })),
    time: periods.map((period) => ({ value: period, label: t(`period.${period}`) })),
  };
  return {
    t,
    tenant,
    search,
    apply: (change: QueueSearch) => void navigate({ to: ".", search: { ...search, ...change }, replace: true }),
    queues,
    options,
    count: count?.count ?? 0,
    targetOf: (message: Message) => targets.get(message.queueId) ?? "–",
    subtenantOf: (message: Message) => subtenantNames.get(message.subtenantCode ?? "") ?? "–",
    rows: messages.data?.pages.flatMap((page) => page.items) ?? [],
    isPending: messages.isPending,
    loadMore: () => {
      if (messages.hasNextPage && !messages.isFetchingNextPage) void messages.fetchNextPage();
    },
  };
}
