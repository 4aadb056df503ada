import { useText } from "../i18n/i18n.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { moreFilters, parseExternalItemSearch, removedState, shownFilters, type ExternalItemSearch } from "./search.ts";

type FiltersProps = { tenantCode: string; search: ExternalItemSearch; onChange: (search: ExternalItemSearch) => void };

export function ExternalItemFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  return (
    <ListFilters
      tenantCode={tenantCode}
      search={search}
      onChange={(change) => onChange({ ...search, ...change })}
      onClear={() => onChange({})}
      shown={shownFilters}
      more={moreFilters}
      direction="target"
      states={[
        { value: "", label: t("externalItems.present") },
        { value: removedState, label: t("external.state.removed") },
      ]}
    >
      <ViewPicker place={tenantCode} list="/externalitems" search={search} onApply={(query) => onChange(parseExternalItemSearch(query))} />
    </ListFilters>
  );
}
