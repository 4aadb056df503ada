import type { Queue, Subtenant } from "@crossdock/contract";
import type { ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { FilterField, SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { queueOptions, subtenantOptions } from "../workspace.ts";
import { MoreFilters } from "./more-filters.tsx";
import { periods, states, type Period, type QueueSearch } from "./search.ts";
import { stateLabels } from "./state-chip.tsx";

type MessageFiltersProps = {
  search: QueueSearch;
  onChange: (search: QueueSearch) => void;
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
  /** Stands beside the filters. */
  children?: ReactNode;
};

const periodLabels: Record<Period, TextKey> = { hour: "period.hour", day: "period.day", week: "period.week" };

export function MessageFilters({ search, onChange, queues, subtenants, children }: MessageFiltersProps) {
  const t = useText();
  const any = { value: "", label: t("filter.any") };
  const { formatDate } = useIntl();
  const moment = (text: string | undefined) =>
    text ? [{ value: text, label: formatDate(text, { dateStyle: "medium", timeStyle: "short" }) }] : [];
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
    entity: { name: t("message.entityType") },
    error: { name: t("filter.errorClass") },
    status: { name: t("filter.httpStatus") },
    attempts: { name: t("filter.attemptsMin") },
    payload: { name: t("filter.payload") },
    from: { name: t("field.from"), options: moment(search.from) },
    to: { name: t("field.to"), options: moment(search.to) },
  };
  return (
    <FilterBar active={activeFilters(search, choices, (id) => set({ [id]: "" }))} onClear={() => onChange({})}>
      <FilterField
        label={choices.search.name}
        value={search.search ?? ""}
        onChange={(text) => set({ search: text })}
        isSearch
        hasSlash
        placeholder={t("filter.searchFor")}
        className="col-span-2"
      />
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
        onChange={(time) => set({ time, from: "", to: "" })}
        options={[any, ...choices.time.options]}
      />
      <FilterField label={choices.key.name} value={search.key ?? ""} onChange={(key) => set({ key })} />
      <div className="col-span-full flex flex-wrap gap-2">
        <MoreFilters search={search} onChange={set} />
        {children}
      </div>
    </FilterBar>
  );
}
