import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useSpanChoices } from "../message-filters/span-choices.ts";
import { locale } from "../settings.ts";
import { ComboboxField, type Choice } from "../ui/combobox-field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import { TimeRangeField } from "../ui/time-range-field.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { tenantsQuery } from "../session/workspace.ts";
import { actionChoices, actionText } from "./action-texts.ts";
import { filtersOf, isRequestId, parseAuditSearch, type AuditSearch } from "./search.ts";

/** The longest texts that the server takes. */
const lengthMax = { actor: 200, target: 500 };

type FiltersProps = { search: AuditSearch; onChange: (search: AuditSearch) => void };

export function AuditFilters({ search, onChange }: FiltersProps) {
  const t = useText();
  const language = locale.use();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const { action: wanted = "" } = search;
  const actions = useMemo(() => offered(actionChoices(t, language), wanted, t), [t, language, wanted]);
  const set = (change: AuditSearch) => onChange({ ...search, ...change });
  const choices = {
    tenant: { name: t("sidebar.tenant"), options: tenants.map(({ code, name }) => ({ value: code, label: name })) },
    outcome: {
      name: t("audit.outcome"),
      options: [
        { value: "done", label: t("audit.done") },
        { value: "denied", label: t("audit.denied") },
      ],
    },
    actor: { name: t("audit.actor") },
    action: { name: t("audit.action"), options: actions },
    target: { name: t("audit.target") },
    request: { name: t("audit.requestId") },
    ...useSpanChoices(search),
  };
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      {(["tenant", "outcome"] as const).map((name) => (
        <FilterSelect
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          onChange={(value) => set({ [name]: value })}
          options={choices[name].options}
        />
      ))}
      <ComboboxField
        label={choices.action.name}
        value={search.action ?? ""}
        placeholder={t("filter.any")}
        options={actions}
        onChange={(action) => set({ action })}
      />
      {(["actor", "target"] as const).map((name) => (
        <FilterField
          key={name}
          label={choices[name].name}
          value={search[name] ?? ""}
          maxLength={lengthMax[name]}
          onChange={(value) => set({ [name]: value })}
        />
      ))}
      <FilterField
        label={choices.request.name}
        value={search.request ?? ""}
        isCode
        refuse={(text) => (isRequestId(text) ? null : t("audit.requestIdHint"))}
        onChange={(request) => set({ request })}
      />
      <div className="col-span-full flex flex-wrap items-end gap-3">
        <div className="max-w-2xl grow">
          <TimeRangeField
            label={t("audit.at")}
            value={{ ...(search.from && { from: search.from }), ...(search.to && { to: search.to }) }}
            onChange={({ from = "", to = "" }) => set({ from, to })}
          />
        </div>
        <ViewPicker
          place={null}
          list="/audit-log"
          search={filtersOf(search)}
          onApply={(query) => onChange(filtersOf(parseAuditSearch(query)))}
        />
      </div>
    </FilterBar>
  );
}

/** A link may name a single operation, or one that bears no name here: what is asked for can be chosen in any case. */
function offered(choices: Choice[], wanted: string, t: ReturnType<typeof useText>): Choice[] {
  if (wanted === "" || choices.some(({ value }) => value === wanted)) return choices;
  const label = wanted
    .split(",")
    .map((action) => actionText(action, t))
    .join(", ");
  return [{ value: wanted, label }, ...choices.filter((choice) => choice.label !== label)];
}
