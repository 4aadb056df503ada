import type { Entity } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, useMemo, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { isPayloadScan } from "../message-filters/search.ts";
import { ListOrScan } from "../scans/scanned-list.tsx";
import { writeTextSearch } from "../text-search.ts";
import { DeletedChip } from "../deleted-chip.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { Card, PageHeader } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { isNothing, nothing, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import type { List } from "../ui/use-list.ts";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { entitiesQuery, entityExport, entityScan } from "./queries.ts";
import { filtersOf, isFiltered, moreFilters, openEntityOf, parseEntitySearch, shownFilters, typeOf, type EntitySearch } from "./search.ts";
import { ResyncAction } from "./resync-action.tsx";
import { TypeStrip } from "./type-strip.tsx";

const EntityTrace = lazyPart(() => import("./entity-trace.tsx"));
const EntityView = lazyPart(() => import("./entity-view.tsx"));

const route = getRouteApi("/shell/entities");

export function EntitiesPage() {
  return <WithTenant>{(tenantCode) => <Entities key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Entities({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: EntitySearch) => void navigate({ search: next, replace: true });
  const open = openEntityOf(search);
  if (open) {
    const View = search.view === "trace" ? EntityTrace : EntityView;
    return (
      <Suspense fallback={<Loading rows={8} />}>
        <View key={`${open.subtenant} ${open.key}`} tenantCode={tenantCode} entity={open} search={search} />
      </Suspense>
    );
  }
  return (
    <>
      <PageHeader title={t("menu.entities")} hint={t("entities.hint")} />
      <TypeStrip
        tenantCode={tenantCode}
        subtenant={search.subtenant}
        selected={typeOf(search)}
        onSelect={(entity) => show({ ...search, entity })}
      />
      <Card>
        <ListFilters
          tenantCode={tenantCode}
          search={search}
          onChange={(change) => show({ ...search, ...change })}
          onClear={() => show({ entity: typeOf(search) })}
          shown={shownFilters}
          more={moreFilters}
        >
          <ViewPicker place={tenantCode} list="/entities" search={filtersOf(search)} onApply={(query) => show(parseEntitySearch(query))} />
        </ListFilters>
        <ListOrScan
          // What was selected among other filters is left behind.
          key={JSON.stringify(search)}
          search={search}
          isScan={isPayloadScan(search)}
          query={entitiesQuery(tenantCode, search)}
          scan={entityScan(tenantCode, search)}
          by="key"
        >
          {(list, emptyTitle) => <Rows tenantCode={tenantCode} search={search} list={list} emptyTitle={emptyTitle} />}
        </ListOrScan>
      </Card>
    </>
  );
}

type RowsProps = { tenantCode: string; search: EntitySearch; list: List<Entity>; emptyTitle: string };

function Rows({ tenantCode, search, list, emptyTitle }: RowsProps) {
  const t = useText();
  const [selection, setSelection] = useState<Selection>(nothing);
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const columns = useMemo(() => {
    const subtenantOf = (entity: Entity) => subtenantLabel(subtenants, entity.subtenantCode);
    const made: Column<Entity>[] = [
      {
        id: "key",
        header: t("filter.key"),
        minWidth: 130,
        grow: 2,
        isTitle: true,
        cell: ({ key, subtenantCode, isDevelopment, deletedAt }) => (
          <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-bottom rtl:[direction:rtl]">
            <RowLink href={`/entities${writeTextSearch({ ...search, object: key, of: subtenantCode, test: isDevelopment ? "true" : "" })}`}>
              {key}
            </RowLink>
            {isDevelopment && <Chip tone="info">{t("entities.test")}</Chip>}
            <DeletedChip at={deletedAt} />
          </span>
        ),
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 112, grow: 1.4, cell: subtenantOf },
      {
        id: "version",
        header: t("entities.version"),
        minWidth: 112,
        grow: 0.2,
        isNumeric: true,
        cell: ({ version }) => version,
      },
      { id: "source", header: t("message.source"), minWidth: 96, grow: 1, cell: ({ source }) => source },
      {
        id: "changed",
        header: t("entities.changed"),
        minWidth: timeWidth,
        grow: 1,
        cell: ({ changedAt }) => <Time at={changedAt} />,
      },
    ];
    return made;
  }, [search, subtenants, t]);
  const resync = <ResyncAction tenantCode={tenantCode} search={search} selection={selection} onDone={() => setSelection(nothing)} />;
  return (
    <DataList
      list={list}
      isInUse={!isNothing(selection)}
      empty={<EmptyState title={emptyTitle} hint={t(isFiltered(search) ? "entities.emptyHint" : "entities.none")} />}
    >
      <SelectableTable
        name="entities"
        label={t("menu.entities")}
        list={list}
        columns={columns}
        labelOf={({ key }) => key}
        selection={selection}
        onSelect={setSelection}
        exported={entityExport(tenantCode, search)}
        actions={resync}
      >
        {isNothing(selection) && resync}
      </SelectableTable>
    </DataList>
  );
}
