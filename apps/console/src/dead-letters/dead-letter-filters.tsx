import type { Queue, Subtenant } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { queueOptions, subtenantOptions } from "../workspace.ts";
import type { DeadLetterSearch } from "./search.ts";
import { statuses, statusTexts } from "./triage-status.tsx";

type DeadLetterFiltersProps = {
  search: DeadLetterSearch;
  onChange: (search: DeadLetterSearch) => void;
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
};

export function DeadLetterFilters({ search, onChange, queues, subtenants }: DeadLetterFiltersProps) {
  const t = useText();
  const any = { value: "", label: t("filter.any") };
  const { view = "", error } = search;
  const offered = queues.filter((queue) => !search.subtenant || queue.subtenantCode === search.subtenant);
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    queue: { name: t("filter.queue"), options: queueOptions(offered) },
    status: { name: t("triage.status"), options: statuses.map((status) => ({ value: status, label: t(statusTexts[status]) })) },
    error: { name: t("message.error"), options: error ? [{ value: error, label: t("deadLetters.oneError") }] : [] },
  };
  const active = activeFilters(search, choices, (id) => onChange({ ...search, [id]: "" }));
  return (
    <FilterBar active={active} onClear={() => onChange({ view })}>
      <SelectField
        label={choices.subtenant.name}
        value={search.subtenant ?? ""}
        onChange={(subtenant) => onChange({ ...search, subtenant, queue: "" })}
        options={[any, ...choices.subtenant.options]}
      />
      <SelectField
        label={choices.queue.name}
        value={search.queue ?? ""}
        onChange={(queue) => onChange({ ...search, queue })}
        options={[any, ...choices.queue.options]}
      />
      <SelectField
        label={t("deadLetters.view")}
        value={view === "list" ? "list" : ""}
        onChange={(next) => onChange({ ...search, view: next, error: "", status: "" })}
        options={[
          { value: "", label: t("deadLetters.grouped") },
          { value: "list", label: t("deadLetters.list") },
        ]}
      />
      {view !== "list" && (
        <SelectField
          label={choices.status.name}
          value={search.status ?? ""}
          onChange={(status) => onChange({ ...search, status })}
          options={[any, ...choices.status.options]}
        />
      )}
    </FilterBar>
  );
}
