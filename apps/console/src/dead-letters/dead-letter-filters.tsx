import { useText } from "../i18n/i18n.tsx";
import { ListFilters } from "../message-filters/list-filters.tsx";
import { causeText } from "../messages/message-states.ts";
import { RemovedLink } from "../messages/removed-link.tsx";
import { SelectField } from "../ui/field.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { deadLetterFilterOf, filtersOf, parseDeadLetterSearch, type DeadLetterSearch } from "./search.ts";
import { statuses, statusTexts } from "./triage-status.tsx";

type DeadLetterFiltersProps = { tenantCode: string; search: DeadLetterSearch; onChange: (search: DeadLetterSearch) => void };

/** All that a list of messages goes by, for groups and for single dead letters alike. */
export function DeadLetterFilters({ tenantCode, search, onChange }: DeadLetterFiltersProps) {
  const t = useText();
  const { view = "", cause } = search;
  const isList = view === "list";
  const statusOptions = statuses.map((status) => ({ value: status, label: t(statusTexts[status]) }));
  return (
    <ListFilters
      tenantCode={tenantCode}
      search={search}
      onChange={(change) => onChange({ ...search, ...change })}
      onClear={() => onChange({ view })}
      shown={["search", "subtenant", "queue", "time", "key"]}
      more={["payload", "entity", "source", "error", "status", "attempts", "from"]}
      takesShortSearch
      counted={(now) => ({ ...deadLetterFilterOf(search, now), state: ["dead"] })}
      others={{
        triage: { name: t("triage.status"), options: statusOptions },
        cause: { name: t("message.error"), options: cause ? [{ value: cause, label: causeText(t, cause) }] : [] },
      }}
      fields={
        <>
          <SelectField
            // Its longest name fits in one column in no language.
            className="sm:col-span-2"
            label={t("deadLetters.view")}
            value={isList ? "list" : ""}
            // One error is what a group was opened as, and a triage is a group's.
            onChange={(next) => onChange({ ...search, view: next, cause: "", triage: "", message: "" })}
            options={[
              { value: "", label: t("deadLetters.grouped") },
              { value: "list", label: t("deadLetters.list") },
            ]}
          />
          {!isList && (
            <FilterSelect
              label={t("triage.status")}
              value={search.triage ?? ""}
              onChange={(triage) => onChange({ ...search, triage })}
              options={statusOptions}
            />
          )}
        </>
      }
    >
      <ViewPicker
        place={tenantCode}
        list="/deadletter-list"
        search={filtersOf(search)}
        onApply={(query) => onChange(parseDeadLetterSearch(query))}
      />
      <RemovedLink subtenant={search.subtenant} queue={search.queue} />
    </ListFilters>
  );
}
