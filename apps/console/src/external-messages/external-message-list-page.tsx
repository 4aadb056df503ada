import type { CappedCount } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { isNothing, nothing, type Selection } from "../ui/selection.ts";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { subtenantsQuery } from "../workspace.ts";
import { useExternalMessageColumns } from "./external-message-columns.tsx";
import { ExternalMessageFilters } from "./external-message-filters.tsx";
import { ExternalMessageListActions } from "./external-message-list-actions.tsx";
import { externalMessageCountQuery, externalMessageExport, externalMessagesQuery } from "./queries.ts";
import type { ExternalMessageSearch } from "./search.ts";

const route = getRouteApi("/shell/externalmessages");

export function ExternalMessageListPage() {
  return <WithTenant>{(tenantCode) => <ExternalMessages key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function ExternalMessages({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selection, setSelection] = useState<Selection>(nothing);
  const { data: count } = useQuery(externalMessageCountQuery(tenantCode, search));

  function filter(next: ExternalMessageSearch): void {
    setSelection(nothing);
    void navigate({ search: next, replace: true });
  }

  return (
    <>
      <PageHeader title={t("menu.externalMessages")} hint={count ? <Count count={count} /> : t("external.hint")} />
      <Card>
        <ExternalMessageFilters tenantCode={tenantCode} search={search} onChange={filter} />
        <Rows tenantCode={tenantCode} search={search} count={count} selection={selection} onSelect={setSelection} />
      </Card>
    </>
  );
}

type RowsProps = {
  tenantCode: string;
  search: ExternalMessageSearch;
  count: CappedCount | undefined;
  selection: Selection;
  onSelect: (selection: Selection) => void;
};

function Rows({ tenantCode, search, count, selection, onSelect }: RowsProps) {
  const t = useText();
  const list = useList(externalMessagesQuery(tenantCode, search));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useExternalMessageColumns(subtenants);
  const matching = count?.isExact ? count.count : null;
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
    <DataList list={list} isInUse={!isNothing(selection)} empty={<EmptyState title={t("state.noRecord")} hint={t("external.emptyHint")} />}>
      <TableToolbar
        name="external-messages"
        label={t("menu.externalMessages")}
        columns={columns}
        exported={externalMessageExport(tenantCode, search)}
        chosen={{ selection, onSelect, loaded: list.rows.length, hasMore: list.hasMore, matching, actions }}
      />
      <DataTable
        name="external-messages"
        label={t("menu.externalMessages")}
        list={list}
        columns={columns}
        labelOf={({ id, key }) => key ?? id}
        selection={selection}
        onSelect={onSelect}
      />
    </DataList>
  );
}

function Count({ count: { count, isExact } }: { count: CappedCount }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return t("queue.count", { count, shown: `${formatNumber(count)}${isExact ? "" : "+"}` });
}
