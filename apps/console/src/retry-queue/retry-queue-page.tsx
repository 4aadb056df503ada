import type { RetryQueueItem } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { useMatching } from "../message-filters/matching.ts";
import { NothingListed } from "../message-filters/nothing-listed.tsx";
import { isSlowFilter } from "../message-filters/search.ts";
import { MessageDrawer } from "../messages/message-drawer.tsx";
import { RemovedLink } from "../messages/removed-link.tsx";
import { ListOrScan } from "../scans/scanned-list.tsx";
import { DataList } from "../ui/data-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { isNothing, nothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import type { List } from "../ui/use-list.ts";
import TargetsHeldUp from "../targets/targets-held-up.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { queuesQuery, subtenantsQuery } from "../session/workspace.ts";
import { retryQueueExport, retryQueueQuery, retryQueueScan } from "./queries.ts";
import { RetryQueueActions } from "./retry-queue-actions.tsx";
import { useRetryQueueColumns } from "./retry-queue-columns.tsx";
import { filtersOf, parseRetryQueueSearch, retryQueueFilterOf, type RetryQueueSearch } from "./search.ts";

const route = getRouteApi("/shell/retryqueue");

export function RetryQueuePage() {
  return <WithTenant>{(tenantCode) => <RetryQueue key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function RetryQueue({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selection, setSelection] = useSelection(filtersOf(search));
  const show = (next: RetryQueueSearch) => void navigate({ search: next, replace: true });
  const isScan = isSlowFilter(search);
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  return (
    <>
      <PageHeader title={t("menu.retryQueue")} hint={t(isScan || search.search ? "retryQueue.hintFound" : "retryQueue.hint")} />
      {queues && <TargetsHeldUp tenantCode={tenantCode} queues={queues} of={search} />}
      <Card>
        <ListFilters
          tenantCode={tenantCode}
          search={search}
          onChange={(change) => show({ ...search, ...change })}
          onClear={() => show({})}
          shown={["search", "subtenant", "queue", "time", "key"]}
          more={["payload", "entity", "source", "error", "status", "attempts", "from"]}
          takesShortSearch
          counted={(now) => ({ ...retryQueueFilterOf(search, now), state: ["retrying"] })}
        >
          <ViewPicker
            place={tenantCode}
            list="/retryqueue"
            search={filtersOf(search)}
            onApply={(query) => show(parseRetryQueueSearch(query))}
          />
          <RemovedLink subtenant={search.subtenant} queue={search.queue} />
        </ListFilters>
        <ListOrScan
          search={filtersOf(search)}
          isScan={isScan}
          query={retryQueueQuery(tenantCode, search)}
          scan={retryQueueScan(tenantCode, search)}
        >
          {(list, emptyTitle) => (
            <Items
              tenantCode={tenantCode}
              search={search}
              selection={selection}
              onSelect={setSelection}
              onOpen={(message) => show({ ...search, message: message ?? "" })}
              onClear={() => show({})}
              list={list}
              emptyTitle={emptyTitle}
            />
          )}
        </ListOrScan>
      </Card>
    </>
  );
}

type ItemsProps = {
  tenantCode: string;
  search: RetryQueueSearch;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onOpen: (id: string | undefined) => void;
  onClear: () => void;
  list: List<RetryQueueItem>;
  emptyTitle: string;
};

function Items({ tenantCode, search, selection, onSelect, onOpen, onClear, list, emptyTitle }: ItemsProps) {
  const t = useText();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useRetryQueueColumns(search, subtenants);
  const matching = useMatching(tenantCode, {
    state: "retrying",
    search: filtersOf(search),
    filterOf: (now) => retryQueueFilterOf(search, now),
  });
  const actions = (
    <RetryQueueActions tenantCode={tenantCode} search={search} selection={selection} matching={matching} onDone={() => onSelect(nothing)} />
  );
  return (
    <>
      <DataList
        list={list}
        isChosen={!isNothing(selection)}
        isInUse={!isNothing(selection) || search.message !== undefined}
        empty={<NothingListed title={emptyTitle} none={t("retryQueue.none")} filters={filtersOf(search)} onClear={onClear} />}
      >
        <SelectableTable
          name="retry-queue"
          label={t("menu.retryQueue")}
          list={list}
          columns={columns}
          labelOf={(item) => item.key}
          selection={selection}
          onSelect={onSelect}
          openId={search.message}
          exported={retryQueueExport(tenantCode, search)}
          matching={matching}
          actions={actions}
        />
      </DataList>
      <MessageDrawer tenantCode={tenantCode} list={list} openId={search.message} onOpen={onOpen} />
    </>
  );
}
