import type { CappedCount } from "@crossdock/contract";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { LiveList } from "../ui/live-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { queuesQuery, subtenantsQuery } from "../workspace.ts";
import { MessageFilters } from "./message-filters.tsx";
import { MessageTable } from "./message-table.tsx";
import { messageCountQuery, messagesQuery } from "./queries.ts";
import { QueueStrip } from "./queue-strip.tsx";
import type { QueueSearch } from "./search.ts";

const route = getRouteApi("/shell/queue");

export function QueuePage() {
  return <WithTenant>{(tenantCode) => <Queue key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Queue({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const { data: count } = useQuery(messageCountQuery(tenantCode, search));

  const apply = (next: QueueSearch) => void navigate({ search: next, replace: true });
  const ofSubtenant = queues?.filter((queue) => !search.subtenant || queue.subtenantCode === search.subtenant);

  return (
    <>
      <PageHeader title={t("menu.queue")} hint={count && <Count count={count} />} />
      <QueueStrip queues={ofSubtenant} selectedId={search.queue} onSelect={(queue) => apply({ ...search, queue: queue ?? "" })} />
      <Card>
        <MessageFilters search={search} onChange={apply} queues={ofSubtenant ?? []} subtenants={subtenants ?? []} />
        <Messages tenantCode={tenantCode} search={search} />
      </Card>
    </>
  );
}

function Messages({ tenantCode, search }: { tenantCode: string; search: QueueSearch }) {
  const t = useText();
  const options = messagesQuery(tenantCode, search);
  const query = useInfiniteQuery(options);
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  if (query.isPending) return <Loading rows={10} />;
  if (!query.data) return <ErrorState detail={query.error.message} onRetry={() => void query.refetch()} />;
  const messages = query.data.pages.flatMap((page) => page.items);
  return (
    <LiveList queryKey={options.queryKey} query={query}>
      {messages.length === 0 ? (
        <EmptyState title={t("state.noRecord")} hint={t("queue.emptyHint")} />
      ) : (
        <MessageTable
          messages={messages}
          queues={queues ?? []}
          subtenants={subtenants ?? []}
          hasMore={query.hasNextPage}
          isLoadingMore={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
    </LiveList>
  );
}

function Count({ count: { count, isExact } }: { count: CappedCount }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return t("queue.count", { count, shown: `${formatNumber(count)}${isExact ? "" : "+"}` });
}
