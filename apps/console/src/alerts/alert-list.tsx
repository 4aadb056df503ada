import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { alertKindTexts, AlertStateChip, alertStateTexts } from "../alert-labels.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { useSaying } from "../alert-texts.ts";
import type { Place } from "../alert-news.ts";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { Chip } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { Card } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { TimeRangeField } from "../ui/time-range-field.tsx";
import { useList } from "../ui/use-list.ts";
import { subtenantOptions, subtenantsQuery } from "../workspace.ts";
import { alertsQuery, peopleQuery, type AlertRow } from "./queries.ts";
import { alertKinds, alertStates, type AlertSearch } from "./search.ts";

const AlertDrawer = lazyPart(() => import("./alert-drawer.tsx"));

type AlertListProps = { place: Place; search: AlertSearch; onChange: (search: AlertSearch) => void };

export function AlertList({ place, search, onChange }: AlertListProps) {
  const t = useText();
  const list = useList(alertsQuery(place, search));
  const columns = useAlertColumns(search, place.isInstallation);
  const { alert: openId, ...closed } = search;
  const mayOpen = openId !== undefined && /^\d{1,9}$/.test(openId);
  return (
    <Card>
      <Filters place={place} search={closed} onChange={onChange} />
      <DataList list={list} isInUse={mayOpen} empty={<EmptyState title={t("alerts.none")} hint={t("alerts.noneHint")} />}>
        <DataTable
          name="alerts"
          label={t("menu.alerts")}
          list={list}
          columns={columns}
          labelOf={({ id }) => `${t("alerts.one")} ${id}`}
          openId={openId}
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
        grow: 3,
        isTitle: true,
        isSentence: true,
        cell: (alert) => (
          <RowLink href={`/alerts${writeTextSearch({ ...search, alert: alert.id })}`} title={say(alert)}>
            <bdi>{say(alert)}</bdi>
          </RowLink>
        ),
      },
      { id: "kind", header: t("alerts.kind"), minWidth: 170, grow: 1, showFrom: 900, cell: ({ kind }) => t(alertKindTexts[kind]) },
      {
        id: "state",
        header: t("filter.state"),
        minWidth: 130,
        grow: 0.8,
        cell: ({ state, isQuiet }) => (
          <span className="flex items-center gap-1">
            <AlertStateChip state={state} />
            {isQuiet && <Chip tone="neutral">{t("alerts.quiet")}</Chip>}
          </span>
        ),
      },
      {
        id: "owner",
        header: t("triage.owner"),
        minWidth: 100,
        grow: 0.8,
        showFrom: 760,
        cell: ({ owner }) => <bdi>{owner?.name ?? "–"}</bdi>,
      },
      { id: "fired", header: t("alerts.firedAt"), minWidth: 100, grow: 0.8, cell: ({ firedAt }) => <Time at={firedAt} /> },
      {
        id: "recovered",
        header: t("alerts.recoveredAt"),
        minWidth: 100,
        grow: 0.8,
        showFrom: 1000,
        cell: ({ recoveredAt }) => (recoveredAt === null ? "–" : <Time at={recoveredAt} />),
      },
    ];
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

type FiltersProps = { place: Place; search: AlertSearch; onChange: (search: AlertSearch) => void };

function Filters({ place, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(place.tenantCode));
  const { data: people = [] } = useQuery(peopleQuery(place));
  const set = (change: AlertSearch) => onChange({ ...search, ...change });
  const choices = {
    state: {
      name: t("filter.state"),
      options: [{ value: "all", label: t("filter.any") }, ...alertStates.map((value) => ({ value, label: t(alertStateTexts[value]) }))],
    },
    kind: {
      name: t("alerts.kind"),
      options: alertKinds
        .filter((kind) => (kind === "outage") === place.isInstallation)
        .map((value) => ({ value, label: t(alertKindTexts[value]) })),
    },
    ...(!place.isInstallation && { subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) } }),
    owner: { name: t("triage.owner"), options: people.map(({ id, name }) => ({ value: String(id), label: name })) },
    from: { name: t("field.from") },
    to: { name: t("field.to") },
  };
  const kept = { ...(search.of && { of: search.of }), ...(search.view && { view: search.view }) };
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange(kept)}>
      <SelectField
        label={choices.state.name}
        value={search.state ?? ""}
        onChange={(state) => set({ state })}
        options={[{ value: "", label: t("alerts.state.open") }, ...choices.state.options]}
      />
      {(["kind", "subtenant", "owner"] as const).map((name) => {
        const choice = choices[name];
        return (
          choice && (
            <FilterSelect
              key={name}
              label={choice.name}
              value={search[name] ?? ""}
              onChange={(value) => set({ [name]: value })}
              options={choice.options}
            />
          )
        );
      })}
      <div className="col-span-full max-w-2xl">
        <TimeRangeField
          label={t("alerts.firedAt")}
          value={{ ...(search.from && { from: search.from }), ...(search.to && { to: search.to }) }}
          onChange={({ from = "", to = "" }) => set({ from, to })}
        />
      </div>
    </FilterBar>
  );
}
