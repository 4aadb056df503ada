import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { useConnectorChoices } from "./connector-choices.ts";
import { parseMappingSearch, type MappingSearch } from "./search.ts";

/** The longest texts that the server takes. */
const lengthMax = 500;

/** The filters alone, without the tab. */
export function filtersOf(search: MappingSearch): MappingSearch {
  const { view: _, ...filters } = search;
  return filters;
}

type FiltersProps = { tenantCode: string; search: MappingSearch; onChange: (search: MappingSearch) => void };

export function MappingFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { sources, targets } = useConnectorChoices();
  const set = (change: MappingSearch) => onChange({ ...search, ...change });
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    source: {
      name: t("mappings.source"),
      // "Any" alone is already what no filter is called.
      options: sources.map((source) => (source.value === "*" ? { ...source, label: t("mappings.forAnySource") } : source)),
    },
    target: { name: t("mappings.target"), options: targets },
    field: { name: t("mappings.fieldName") },
    search: { name: t("filter.search") },
  };
  const selects = ["subtenant", "source", "target"] as const;
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      {selects.map((name) => (
        <FilterSelect
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          onChange={(value) => set({ [name]: value })}
          options={choices[name].options}
        />
      ))}
      <FilterField
        label={choices.field.name}
        value={search.field ?? ""}
        isCode
        maxLength={lengthMax}
        onChange={(field) => set({ field })}
      />
      <FilterField
        label={choices.search.name}
        value={search.search ?? ""}
        isSearch
        hasSlash
        maxLength={lengthMax}
        onChange={(text) => set({ search: text })}
      />
      <div className="col-span-2 flex sm:self-end">
        <ViewPicker
          place={tenantCode}
          list="/mapping-list"
          search={filtersOf(search)}
          onApply={(query) => onChange(filtersOf(parseMappingSearch(query)))}
        />
      </div>
    </FilterBar>
  );
}
