import { useQuery } from "@tanstack/react-query";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { FilterField, SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { integrationPointOptions, integrationPointsQuery, subtenantOptions, subtenantsQuery } from "../workspace.ts";
import { externalStateLabels } from "./external-state-chip.tsx";
import { periods, removedState, searchLengthMin, states, type ExternalMessageSearch, type Period } from "./search.ts";

type FiltersProps = { tenantCode: string; search: ExternalMessageSearch; onChange: (search: ExternalMessageSearch) => void };

const periodLabels: Record<Period, TextKey> = { hour: "period.hour", day: "period.day", week: "period.week" };

export function ExternalMessageFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const offered = points.filter(
    ({ direction, subtenantCode }) => direction !== "target" && (!search.subtenant || subtenantCode === search.subtenant),
  );
  const any = { value: "", label: t("filter.any") };
  const set = (change: ExternalMessageSearch) => onChange({ ...search, ...change });
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    point: { name: t("external.integrationPoint"), options: integrationPointOptions(offered) },
    type: { name: t("message.entityType"), options: entityTypes.map((type) => ({ value: type, label: t(entityTypeLabels[type]) })) },
    state: {
      name: t("filter.state"),
      options: [
        ...states.map((state) => ({ value: state, label: t(externalStateLabels[state]) })),
        { value: removedState, label: t("external.state.removed") },
      ],
    },
    time: { name: t("filter.time"), options: periods.map((period) => ({ value: period, label: t(periodLabels[period]) })) },
    key: { name: t("filter.key") },
    search: { name: t("filter.search") },
  };
  const selects = ["subtenant", "point", "type", "state", "time"] as const;
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      {selects.map((name) => (
        <SelectField
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          onChange={(value) => set(name === "subtenant" ? { subtenant: value, point: "" } : { [name]: value })}
          options={[any, ...choices[name].options]}
        />
      ))}
      <FilterField label={choices.key.name} value={search.key ?? ""} onChange={(key) => set({ key })} />
      <FilterField
        label={choices.search.name}
        value={search.search ?? ""}
        onChange={(text) => set({ search: text })}
        isSearch
        refuse={(text) => (text.length < searchLengthMin ? t("filter.searchTooShort", { count: searchLengthMin }) : null)}
        className="max-sm:col-span-2"
      />
    </FilterBar>
  );
}
