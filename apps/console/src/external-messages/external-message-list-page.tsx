import type { ExternalMessage } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { CappedNumber } from "../capped-number.tsx";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { isNarrowed, isPayloadScan } from "../message-filters/search.ts";
import { ListOrScan } from "../scans/scanned-list.tsx";
import { DataList } from "../ui/data-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { isNothing, nothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState, LoadingRows } from "../ui/states.tsx";
import type { List } from "../ui/use-list.ts";
import { subtenantsQuery } from "../session/workspace.ts";
import { useExternalMessageColumns } from "./external-message-columns.tsx";
import { ExternalMessageFilters } from "./external-message-filters.tsx";
import { ExternalMessageListActions } from "./external-message-list-actions.tsx";
import { externalMessageCountQuery, externalMessageExport, externalMessageScan, externalMessagesQuery } from "./queries.ts";
import { isRefused, rejectedView, type ExternalMessageSearch } from "./search.ts";

const RejectedGroups = lazyPart(() => import("./rejected-groups.tsx"));
const route = getRouteApi("/shell/externalmessages");

export function ExternalMessageListPage() {
  return <WithTenant>{(tenantCode) => <ExternalMessages key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function ExternalMessages({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selection, setSelection] = useSelection(search);
  const isScan = isPayloadScan(search);
  const isCounted = !isScan && search.view !== rejectedView;
  const { data: count } = useQuery({ ...externalMessageCountQuery(tenantCode, search), enabled: isCounted });

  function filter(next: ExternalMessageSearch): void {
    void navigate({ search: next, replace: true });
  }

  return (
    <>
      <PageHeader
        title={t("menu.externalMessages")}
        hint={isCounted ? count && <CappedNumber count={count} text="queue.count" /> : t("external.hint")}
      />
      <Card>
        <ExternalMessageFilters tenantCode={tenantCode} search={search} onChange={filter} />
        {search.view === rejectedView ? (
          <Suspense fallback={<LoadingRows rows={4} />}>
            <RejectedGroups tenantCode={tenantCode} search={search} onShow={(change) => filter({ ...search, ...change })} />
          </Suspense>
        ) : (
          <ListOrScan
            search={search}
            isScan={isScan}
            query={externalMessagesQuery(tenantCode, search)}
            scan={externalMessageScan(tenantCode, search)}
          >
            {(list, emptyTitle) => (
              <Rows
                tenantCode={tenantCode}
                search={search}
                matching={count?.isExact && !isScan ? count.count : null}
                selection={selection}
                onSelect={setSelection}
                list={list}
                emptyTitle={emptyTitle}
              />
            )}
          </ListOrScan>
        )}
      </Card>
    </>
  );
}

type RowsProps = {
  tenantCode: string;
  search: ExternalMessageSearch;
  matching: number | null;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  list: List<ExternalMessage>;
  emptyTitle: string;
};

function Rows({ tenantCode, search, matching, selection, onSelect, list, emptyTitle }: RowsProps) {
  const t = useText();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useExternalMessageColumns(subtenants, isRefused(search));
  const actions = (
    <ExternalMessageListActions
      tenantCode={tenantCode}
      search={search}
      selection={selection}
      matching={matching}
      onDone={() => onSelect(nothing)}
    />
  );
  return (
    <DataList
      list={list}
      isInUse={!isNothing(selection)}
      isChosen={!isNothing(selection)}
      empty={<EmptyState title={emptyTitle} hint={t(isNarrowed({ ...search, view: "" }) ? "external.emptyHint" : "external.none")} />}
    >
      <SelectableTable
        name="external-messages"
        label={t("menu.externalMessages")}
        list={list}
        columns={columns}
        labelOf={({ id, key }) => key ?? id}
        selection={selection}
        onSelect={onSelect}
        exported={externalMessageExport(tenantCode, search)}
        matching={matching}
        actions={actions}
      />
    </DataList>
  );
}
