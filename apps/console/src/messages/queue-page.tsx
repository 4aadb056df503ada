import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { useIntl } from "react-intl";
import { CappedNumber } from "../capped-number.tsx";
import { firstPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { JobDrawer } from "../job-drawer.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { FollowToggle } from "../ui/follow-toggle.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { stateLabels } from "./message-states.ts";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { LoadingRows } from "../ui/states.tsx";
import { useSelection } from "../ui/selection.ts";
import { useList } from "../ui/use-list.ts";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { integrationPointOptions, queuesQuery } from "../session/workspace.ts";
import { MessageTable, type MessagesProps } from "./message-table.tsx";
import { messageCountQuery, messagesQuery } from "./queries.ts";
import { QueueStrip } from "./queue-strip.tsx";
import {
  filtersOf,
  idsOf,
  isScan,
  messageFilterOf,
  moreFilters,
  parseQueueSearch,
  shownFilters,
  states,
  type QueueSearch,
} from "./search.ts";

const ScannedMessages = firstPart(() => import("./scanned-messages.tsx"));
const TargetsHeldUp = firstPart(() => import("../targets/targets-held-up.tsx"));
const route = getRouteApi("/shell/queue");

export function QueuePage() {
  return <WithTenant>{(tenantCode) => <Queue key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Queue({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const isSlow = isScan(search);
  const { data: count } = useQuery({ ...messageCountQuery(tenantCode, search), enabled: !isSlow });

  const [selection, setSelection] = useSelection(filtersOf(search));
  const show = (next: QueueSearch) => void navigate({ search: next, replace: true });
  const Shown = isSlow ? ScannedMessages : ListedMessages;
  const ofSubtenant = queues?.filter((queue) => !search.subtenant || queue.subtenantCode === search.subtenant);

  return (
    <>
      <PageHeader title={t("menu.queue")} hint={count && <CappedNumber count={count} text="queue.count" />} />
      <QueueStrip queues={ofSubtenant} selectedId={search.queue} onSelect={(queue) => show({ ...search, queue: queue ?? "" })} />
      {queues && (
        <Suspense>
          <TargetsHeldUp tenantCode={tenantCode} queues={queues} of={search} />
        </Suspense>
      )}
      <Card>
        <ListFilters
          tenantCode={tenantCode}
          search={search}
          onChange={(change) => show({ ...search, ...change })}
          onClear={() => show({})}
          shown={shownFilters}
          more={moreFilters}
          states={[
            { value: "waiting", label: t("message.state.waiting") },
            ...states.map((state) => ({ value: state, label: t(stateLabels[state]) })),
          ]}
          takesShortSearch
          others={{
            ids: { name: t("messages.title"), options: [{ value: search.ids ?? "", label: formatNumber(idsOf(search).length) }] },
            point: {
              name: t("external.integrationPoint"),
              options: integrationPointOptions(queues?.map(({ integrationPoint }) => integrationPoint) ?? []),
            },
          }}
          counted={(now) => messageFilterOf(search, now)}
        >
          <ViewPicker place={tenantCode} list="/queue" search={filtersOf(search)} onApply={(query) => show(parseQueueSearch(query))} />
        </ListFilters>
        <Suspense fallback={<LoadingRows />}>
          <Shown
            // A scan begins anew with other filters.
            key={isSlow ? JSON.stringify(filtersOf(search)) : "list"}
            tenantCode={tenantCode}
            search={search}
            matching={count?.isExact ? count.count : null}
            selection={selection}
            onSelect={setSelection}
            onOpen={(message) => show({ ...search, message: message ?? "", job: "" })}
          />
        </Suspense>
      </Card>
      <JobDrawer tenantCode={tenantCode} openId={search.job} onOpen={(job) => show({ ...search, job: job ?? "" })} />
    </>
  );
}

function ListedMessages(props: MessagesProps) {
  const t = useText();
  const { tenantCode, search } = props;
  const list = useList(messagesQuery(tenantCode, search));
  return (
    <MessageTable {...props} list={list} emptyTitle={t("state.noRecord")}>
      <FollowToggle list={list} />
    </MessageTable>
  );
}
