import { externalStateLabels } from "../messages/message-states.ts";
import { useText } from "../i18n/i18n.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { SelectField } from "../ui/field.tsx";
import {
  moreFilters,
  parseExternalMessageSearch,
  rejectedView,
  removedState,
  shownFilters,
  states,
  type ExternalMessageSearch,
} from "./search.ts";

type FiltersProps = { tenantCode: string; search: ExternalMessageSearch; onChange: (search: ExternalMessageSearch) => void };

export function ExternalMessageFilters({ tenantCode, search, onChange }: FiltersProps) {
  const t = useText();
  const isGrouped = search.view === rejectedView;
  return (
    <ListFilters
      tenantCode={tenantCode}
      search={search}
      onChange={(change) => onChange({ ...search, ...change })}
      counted={null}
      onClear={() => onChange({ ...(search.view && { view: search.view }) })}
      shown={isGrouped ? ["subtenant", "point", "entity", "time"] : shownFilters}
      more={isGrouped ? ["source", "from"] : moreFilters}
      others={{
        fault: { name: t("external.reason"), options: search.fault ? [{ value: search.fault, label: t("external.oneReason") }] : [] },
      }}
      fields={
        <SelectField
          className="sm:col-span-2"
          label={t("deadLetters.view")}
          value={isGrouped ? rejectedView : ""}
          // What else is in force stays, but for what only one of the two knows.
          onChange={(view) => onChange({ ...search, view, fault: "", state: "", search: "", key: "", payload: "" })}
          options={[
            { value: "", label: t("deadLetters.list") },
            { value: rejectedView, label: t("external.grouped") },
          ]}
        />
      }
      direction="source"
      states={[
        ...states.map((state) => ({ value: state, label: t(externalStateLabels[state]) })),
        { value: removedState, label: t("external.state.removed") },
      ]}
    >
      <ViewPicker
        place={tenantCode}
        list="/externalmessages"
        search={search}
        onApply={(query) => onChange(parseExternalMessageSearch(query))}
      />
    </ListFilters>
  );
}
