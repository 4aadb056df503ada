import type { ExternalItem } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { Suspense, useState } from "react";
import { CappedNumber } from "../capped-number.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { isPayloadScan } from "../message-filters/search.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { ListOrScan } from "../scans/scanned-list.tsx";
import { Button } from "../ui/button.tsx";
import { DataList } from "../ui/data-list.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { isNothing, nothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState } from "../ui/states.tsx";
import type { List } from "../ui/use-list.ts";
import { subtenantsQuery } from "../session/workspace.ts";
import { ExternalItemActions } from "./external-item-actions.tsx";
import { useExternalItemColumns } from "./external-item-columns.tsx";
import { ExternalItemFilters } from "./external-item-filters.tsx";
import { useImport } from "./operations.ts";
import { externalItemCountQuery, externalItemExport, externalItemScan, externalItemsQuery } from "./queries.ts";
import { removedState, type ExternalItemSearch } from "./search.ts";

const ImportDialog = lazyPart(() => import("../import-dialog.tsx"));
const route = getRouteApi("/shell/externalitems");

export function ExternalItemListPage() {
  return <WithTenant>{(tenantCode) => <ExternalItems key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function ExternalItems({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [selection, setSelection] = useSelection(search);
  const isScan = isPayloadScan(search);
  const isCounted = search.state !== removedState && !isScan;
  const { data: count } = useQuery({ ...externalItemCountQuery(tenantCode, search), enabled: isCounted });

  function filter(next: ExternalItemSearch): void {
    void navigate({ search: next, replace: true });
  }

  return (
    <>
      <PageHeader
        title={t("menu.externalItems")}
        hint={isCounted ? count && <CappedNumber count={count} text="externalItems.count" /> : t("externalItems.hint")}
      >
        <Import tenantCode={tenantCode} />
      </PageHeader>
      <Card>
        <ExternalItemFilters tenantCode={tenantCode} search={search} onChange={filter} />
        <ListOrScan
          search={search}
          isScan={isScan}
          query={externalItemsQuery(tenantCode, search)}
          scan={externalItemScan(tenantCode, search)}
          by="key"
        >
          {(list, emptyTitle) => (
            <Rows
              tenantCode={tenantCode}
              search={search}
              matching={count?.isExact ? count.count : null}
              selection={selection}
              onSelect={setSelection}
              list={list}
              emptyTitle={emptyTitle}
            />
          )}
        </ListOrScan>
      </Card>
    </>
  );
}

function Import({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const [isOpen, setIsOpen] = useState(false);
  const send = useImport(tenantCode);
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Upload aria-hidden className="size-4" />
        {t("externalItems.import")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <ImportDialog
            tenantCode={tenantCode}
            hint={t("externalItems.importHint")}
            send={send}
            imported={(count) => t("externalItems.imported", { count })}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Suspense>
    </>
  );
}

type RowsProps = {
  tenantCode: string;
  search: ExternalItemSearch;
  matching: number | null;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  list: List<ExternalItem>;
  emptyTitle: string;
};

function Rows({ tenantCode, search, matching, selection, onSelect, list, emptyTitle }: RowsProps) {
  const t = useText();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useExternalItemColumns(subtenants, search.state === removedState);
  const actions = (
    <ExternalItemActions
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
      empty={<EmptyState title={emptyTitle} hint={t("externalItems.emptyHint")} />}
    >
      <SelectableTable
        name="external-items"
        label={t("menu.externalItems")}
        list={list}
        columns={columns}
        labelOf={({ key, integrationPointName }) => `${key} · ${integrationPointName}`}
        selection={selection}
        onSelect={onSelect}
        exported={externalItemExport(tenantCode, search)}
        matching={matching}
        actions={actions}
      />
    </DataList>
  );
}
