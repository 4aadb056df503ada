import { useText } from "../i18n/i18n.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { ViewPicker } from "../view-picker.tsx";
import { externalStateLabels } from "./external-state-chip.tsx";
import { moreFilters, parseExternalMessageSearch, removedState, shownFilters, states, type ExternalMessageSearch } from "./search.ts";

type FiltersProps = { tenantCode: string; search: ExternalMessageSearch; onChange: (search: ExternalMessageSearch) => void };

export function ExternalMessageFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  return (
    <ListFilters
      tenantCode={tenantCode}
      search={search}
      onChange={(change) => onChange({ ...search, ...change })}
      onClear={() => onChange({})}
      shown={shownFilters}
      more={moreFilters}
      direction="source"
      states={[
        ...states.map((state) => ({ value: state, label: t(externalStateLabels[state]) })),
        { value: removedState, label: t("external.state.removed") },
      ]}
    >
      <ViewPicker
        tenantCode={tenantCode}
        list="/externalmessages"
        search={search}
        onApply={(query) => onChange(parseExternalMessageSearch(query))}
      />
    </ListFilters>
  );
}
