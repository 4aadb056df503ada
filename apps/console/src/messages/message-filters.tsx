import type { Queue, Subtenant } from "@crossdock/contract";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { FilterField, SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { queueOptions, subtenantOptions } from "../workspace.ts";
import { periods, searchLengthMin, states, type Period, type QueueSearch } from "./search.ts";
import { stateLabels } from "./state-chip.tsx";

type MessageFiltersProps = {
  search: QueueSearch;
  onChange: (search: QueueSearch) => void;
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
};

const periodLabels: Record<Period, TextKey> = { hour: "period.hour", day: "period.day", week: "period.week" };

export function MessageFilters({ search, onChange, queues, subtenants }: MessageFiltersProps) {
  const t = useText();
  const any = { value: "", label: t("filter.any") };
  const set = (change: QueueSearch) => onChange({ ...search, ...change });
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    queue: { name: t("filter.queue"), options: queueOptions(queues) },
    state: {
      name: t("filter.state"),
      options: [
        { value: "waiting", label: t("message.state.waiting") },
        ...states.map((state) => ({ value: state, label: t(stateLabels[state]) })),
      ],
    },
    time: { name: t("filter.time"), options: periods.map((period) => ({ value: period, label: t(periodLabels[period]) })) },
    key: { name: t("filter.key") },
    source: { name: t("filter.source") },
    search: { name: t("filter.search") },
  };
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      <SelectField
        label={choices.subtenant.name}
        value={search.subtenant ?? ""}
        onChange={(subtenant) => set({ subtenant, queue: "" })}
        options={[any, ...choices.subtenant.options]}
      />
      <SelectField
        label={choices.queue.name}
        value={search.queue ?? ""}
        onChange={(queue) => set({ queue })}
        options={[any, ...choices.queue.options]}
      />
      <SelectField
        label={choices.state.name}
        value={search.state ?? ""}
        onChange={(state) => set({ state })}
        options={[any, ...choices.state.options]}
      />
      <SelectField
        label={choices.time.name}
        value={search.time ?? ""}
        onChange={(time) => set({ time })}
        options={[any, ...choices.time.options]}
      />
      <FilterField label={choices.key.name} value={search.key ?? ""} onChange={(key) => set({ key })} />
      <FilterField label={choices.source.name} value={search.source ?? ""} onChange={(source) => set({ source })} />
      <FilterField
        label={choices.search.name}
        value={search.search ?? ""}
        onChange={(text) => set({ search: text })}
        isSearch
        lengthMin={searchLengthMin}
        hint={t("filter.searchTooShort", { count: searchLengthMin })}
        className="max-sm:col-span-2"
      />
    </FilterBar>
  );
}
