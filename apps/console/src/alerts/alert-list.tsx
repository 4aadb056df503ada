import { Suspense, useMemo } from "react";
import { alertKindTexts, AlertStateChip } from "./alert-labels.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { useSaying } from "./alert-texts.ts";
import type { Place } from "./alert-news.ts";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { Chip } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { Card } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { isNothing, nothing, useSelection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { AlertFilters, filtersOf } from "./alert-filters.tsx";
import { alertExport, alertsQuery, type AlertRow } from "./queries.ts";
import { mayHaveRecovered, type AlertSearch } from "./search.ts";

// Nothing can be done before something is chosen.
const AlertActions = lazyPart(() => import("./alert-actions.tsx"));
const AlertDrawer = lazyPart(() => import("./alert-drawer.tsx"));

type AlertListProps = { place: Place; search: AlertSearch; onChange: (search: AlertSearch) => void };

export function AlertList({ place, search, onChange }: AlertListProps) {
  const t = useText();
  const list = useList(alertsQuery(place, search));
  const columns = useAlertColumns(search, place.isInstallation);
  const { alert: openId, ...closed } = search;
  const mayOpen = openId !== undefined && /^\d{1,9}$/.test(openId);
  const filters = filtersOf(search);
  const [selection, setSelection] = useSelection(filters);
  const isChosen = !isNothing(selection);
  const matching = list.hasMore ? null : list.firstIndex + list.rows.length;
  return (
    <Card>
      <AlertFilters place={place} search={search} onChange={onChange} />
      <DataList
        list={list}
        isInUse={mayOpen || isChosen}
        isChosen={isChosen}
        empty={<EmptyState title={t("alerts.none")} hint={t(place.isInstallation ? "alerts.noneInstallation" : "alerts.noneHint")} />}
      >
        <SelectableTable
          name="alerts"
          label={t("menu.alerts")}
          list={list}
          columns={columns}
          labelOf={({ id }) => `${t("alerts.one")} ${id}`}
          openId={openId}
          selection={selection}
          onSelect={setSelection}
          exported={alertExport(place, search)}
          matching={matching}
          actions={
            <Suspense fallback={null}>
              <AlertActions place={place} search={filters} selection={selection} matching={matching} onDone={() => setSelection(nothing)} />
            </Suspense>
          }
        />
      </DataList>
      <Suspense fallback={null}>
        {mayOpen && <AlertDrawer place={place} alertId={Number(openId)} onClose={() => onChange(closed)} />}
      </Suspense>
    </Card>
  );
}

function useAlertColumns(search: AlertSearch, isInstallation: boolean): Column<AlertRow>[] {
  const t = useText();
  const say = useSaying();
  return useMemo(() => {
    const columns: Column<AlertRow>[] = [
      {
        id: "what",
        header: t("alerts.one"),
        minWidth: 260,
        grow: 2.6,
        isTitle: true,
        isSentence: true,
        cell: (alert) => (
          <RowLink href={`/alerts${writeTextSearch({ ...search, alert: alert.id })}`} title={say(alert)}>
            <bdi>{say(alert)}</bdi>
          </RowLink>
        ),
      },
      { id: "kind", header: t("alerts.kind"), minWidth: 180, grow: 1.2, showFrom: 900, cell: ({ kind }) => t(alertKindTexts[kind]) },
      {
        id: "state",
        header: t("filter.state"),
        minWidth: 130,
        grow: 0.8,
        cell: ({ state, isQuiet }) => (
          <span className="inline-flex items-center gap-1">
            <AlertStateChip state={state} />
            {isQuiet && <Chip tone="neutral">{t("alerts.quiet")}</Chip>}
          </span>
        ),
      },
      {
        id: "owner",
        header: t("triage.owner"),
        minWidth: 116,
        grow: 0.8,
        showFrom: 760,
        cell: ({ owner }) => <bdi>{owner?.name ?? "–"}</bdi>,
      },
      { id: "fired", header: t("alerts.firedAt"), minWidth: timeWidth, grow: 0.8, cell: ({ firedAt }) => <Time at={firedAt} /> },
    ];
    if (mayHaveRecovered(search)) {
      columns.push({
        id: "recovered",
        header: t("alerts.recoveredAt"),
        minWidth: timeWidth,
        grow: 0.8,
        showFrom: 1000,
        cell: ({ recoveredAt }) => (recoveredAt === null ? "–" : <Time at={recoveredAt} />),
      });
    }
    const subtenant: Column<AlertRow> = {
      id: "subtenant",
      header: t("filter.subtenant"),
      minWidth: 100,
      grow: 0.8,
      showFrom: 1100,
      cell: (alert) => <bdi>{alert.subtenant?.name ?? "–"}</bdi>,
    };
    return isInstallation ? columns : [...columns.slice(0, 2), subtenant, ...columns.slice(2)];
  }, [search, isInstallation, say, t]);
}
