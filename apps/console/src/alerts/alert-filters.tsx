import { useQuery } from "@tanstack/react-query";
import { alertKindTexts, alertStateTexts } from "./alert-labels.tsx";
import type { Place } from "./alert-news.ts";
import { useText } from "../i18n/i18n.tsx";
import { useSpanChoices } from "../message-filters/span-choices.ts";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { TimeRangeField } from "../ui/time-range-field.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { peopleQuery } from "./queries.ts";
import { alertKinds, alertStates, parseAlertSearch, type AlertSearch } from "./search.ts";

type FiltersProps = { place: Place; search: AlertSearch; onChange: (search: AlertSearch) => void };

/** The filters alone, without whose alerts they are, the tab and what is open. */
export function filtersOf(search: AlertSearch): AlertSearch {
  const { view: _, of: _of, alert: _alert, ...filters } = search;
  return filters;
}

export function AlertFilters({ place, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery({ ...subtenantsQuery(place.tenantCode), enabled: !place.isInstallation });
  const { data: people = [] } = useQuery(peopleQuery(place));
  const { alert: _, ...closed } = search;
  const set = (change: AlertSearch) => onChange({ ...closed, ...change });
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
    ...useSpanChoices(search),
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
      <div className="col-span-full flex flex-wrap items-end gap-3">
        <div className="max-w-2xl grow">
          <TimeRangeField
            label={t("alerts.firedAt")}
            value={{ ...(search.from && { from: search.from }), ...(search.to && { to: search.to }) }}
            onChange={({ from = "", to = "" }) => set({ from, to })}
          />
        </div>
        <ViewPicker
          place={place.isInstallation ? null : place.tenantCode}
          list="/alerts"
          search={filtersOf(search)}
          onApply={(query) => onChange({ ...kept, ...filtersOf(parseAlertSearch(query)) })}
        />
      </div>
    </FilterBar>
  );
}
