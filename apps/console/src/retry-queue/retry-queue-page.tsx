import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { useMatching } from "../message-filters/matching.ts";
import { MessageDrawer } from "../message-drawer.tsx";
import { RemovedLink } from "../removed-link.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { isNothing, nothing, type Selection } from "../ui/selection.ts";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { ViewPicker } from "../view-picker.tsx";
import { subtenantsQuery } from "../workspace.ts";
import { retryQueueExport, retryQueueQuery } from "./queries.ts";
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
  const [selection, setSelection] = useState<Selection>(nothing);
  const show = (next: RetryQueueSearch) => void navigate({ search: next, replace: true });
  const filter = (next: RetryQueueSearch) => {
    setSelection(nothing);
    show(next);
  };
  return (
    <>
      <PageHeader title={t("menu.retryQueue")} hint={t("retryQueue.hint")} />
      <Card>
        <ListFilters
          tenantCode={tenantCode}
          search={search}
          onChange={(change) => filter({ ...search, ...change })}
          onClear={() => filter({})}
          shown={["search", "subtenant", "queue", "time", "key"]}
          more={["payload", "entity", "source", "error", "status", "attempts", "from"]}
        >
          <ViewPicker
            tenantCode={tenantCode}
            list="/retryqueue"
            search={filtersOf(search)}
            onApply={(query) => filter(parseRetryQueueSearch(query))}
          />
          <RemovedLink subtenant={search.subtenant} queue={search.queue} />
        </ListFilters>
        <Items
          tenantCode={tenantCode}
          search={search}
          selection={selection}
          onSelect={setSelection}
          onOpen={(message) => show({ ...search, message: message ?? "" })}
        />
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
};

function Items({ tenantCode, search, selection, onSelect, onOpen }: ItemsProps) {
  const t = useText();
  const list = useList(retryQueueQuery(tenantCode, search));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useRetryQueueColumns(search, subtenants);
  const matching = useMatching(tenantCode, {
    state: "retrying",
    search: filtersOf(search),
    filterOf: (now) => retryQueueFilterOf(search, now),
  });
  const actions = <RetryQueueActions tenantCode={tenantCode} search={search} selection={selection} onDone={() => onSelect(nothing)} />;
  return (
    <>
      <DataList
        list={list}
        isInUse={!isNothing(selection) || search.message !== undefined}
        empty={<EmptyState title={t("state.noRecord")} hint={t("retryQueue.none")} />}
      >
        <TableToolbar
          name="retry-queue"
          label={t("menu.retryQueue")}
          columns={columns}
          exported={retryQueueExport(tenantCode, search)}
          chosen={{ selection, onSelect, loaded: list.rows.length, hasMore: list.hasMore, matching, actions }}
        />
        <DataTable
          name="retry-queue"
          label={t("menu.retryQueue")}
          list={list}
          columns={columns}
          labelOf={(item) => item.key}
          selection={selection}
          onSelect={onSelect}
          openId={search.message}
        />
      </DataList>
      <MessageDrawer tenantCode={tenantCode} list={list} openId={search.message} onOpen={onOpen} />
    </>
  );
}
