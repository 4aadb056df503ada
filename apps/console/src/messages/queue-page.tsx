import type { CappedCount } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { MessageDrawer } from "../message-drawer.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { FollowToggle } from "../ui/follow-toggle.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { queuesQuery, subtenantsQuery } from "../workspace.ts";
import { useMessageColumns } from "./message-columns.tsx";
import { MessageFilters } from "./message-filters.tsx";
import { messageCountQuery, messagePages, messagesQuery } from "./queries.ts";
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
        <Messages tenantCode={tenantCode} search={search} onOpen={(message) => apply({ ...search, message: message ?? "" })} />
      </Card>
    </>
  );
}

type MessagesProps = { tenantCode: string; search: QueueSearch; onOpen: (id: string | undefined) => void };

function Messages({ tenantCode, search, onOpen }: MessagesProps) {
  const t = useText();
  const list = useList(messagesQuery(tenantCode, search));
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useMessageColumns(search, queues, subtenants);
  const readPage = useMemo(() => messagePages(tenantCode, search), [tenantCode, search]);
  return (
    <>
      <DataList
        list={list}
        isInUse={search.message !== undefined}
        empty={<EmptyState title={t("state.noRecord")} hint={t("queue.emptyHint")} />}
      >
        <TableToolbar name="messages" label={t("menu.queue")} columns={columns} readPage={readPage}>
          <FollowToggle list={list} />
        </TableToolbar>
        <DataTable
          name="messages"
          label={t("menu.queue")}
          list={list}
          columns={columns}
          labelOf={(message) => message.key}
          openId={search.message}
        />
      </DataList>
      <MessageDrawer tenantCode={tenantCode} list={list} openId={search.message} onOpen={onOpen} />
    </>
  );
}

function Count({ count: { count, isExact } }: { count: CappedCount }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return t("queue.count", { count, shown: `${formatNumber(count)}${isExact ? "" : "+"}` });
}
