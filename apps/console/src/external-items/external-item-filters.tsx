import { useQuery } from "@tanstack/react-query";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { FilterField, SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { integrationPointOptions, integrationPointsQuery, subtenantOptions, subtenantsQuery } from "../workspace.ts";
import { removedState, type ExternalItemSearch } from "./search.ts";

type FiltersProps = { tenantCode: string; search: ExternalItemSearch; onChange: (search: ExternalItemSearch) => void };

export function ExternalItemFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const offered = points.filter(
    ({ direction, subtenantCode }) => direction !== "source" && (!search.subtenant || subtenantCode === search.subtenant),
  );
  const any = { value: "", label: t("filter.any") };
  const set = (change: ExternalItemSearch) => onChange({ ...search, ...change });
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    point: { name: t("external.integrationPoint"), options: integrationPointOptions(offered) },
    type: { name: t("message.entityType"), options: entityTypes.map((type) => ({ value: type, label: t(entityTypeLabels[type]) })) },
    state: { name: t("filter.state"), options: [{ value: removedState, label: t("external.state.removed") }] },
    key: { name: t("filter.key") },
    externalId: { name: t("externalItems.externalId") },
  };
  const selects = ["subtenant", "point", "type", "state"] as const;
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      {selects.map((name) => (
        <SelectField
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          onChange={(value) => set(name === "subtenant" ? { subtenant: value, point: "" } : { [name]: value })}
          options={[name === "state" ? { value: "", label: t("externalItems.present") } : any, ...choices[name].options]}
        />
      ))}
      <FilterField label={choices.key.name} value={search.key ?? ""} onChange={(key) => set({ key })} />
      <FilterField label={choices.externalId.name} value={search.externalId ?? ""} onChange={(externalId) => set({ externalId })} />
    </FilterBar>
  );
}
