import type { Queue, Subtenant } from "@crossdock/contract";
import { FilterX } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { FilterField, SelectField } from "../ui/field.tsx";
import { periods, states, type Period, type QueueSearch } from "./search.ts";
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
  const isFiltered = Object.values(search).some(Boolean);
  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 sm:grid-cols-[repeat(auto-fill,minmax(8.25rem,1fr))]">
      <SelectField
        label={t("filter.subtenant")}
        value={search.subtenant ?? ""}
        onChange={(subtenant) => set({ subtenant, queue: "" })}
        options={[any, ...subtenants.map(({ code, name }) => ({ value: code, label: name }))]}
      />
      <SelectField
        label={t("filter.queue")}
        value={search.queue ?? ""}
        onChange={(queue) => set({ queue })}
        options={[
          any,
          ...queues.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` })),
        ]}
      />
      <SelectField
        label={t("filter.state")}
        value={search.state ?? ""}
        onChange={(state) => set({ state })}
        options={[
          any,
          { value: "waiting", label: t("message.state.waiting") },
          ...states.map((state) => ({ value: state, label: t(stateLabels[state]) })),
        ]}
      />
      <SelectField
        label={t("filter.time")}
        value={search.time ?? ""}
        onChange={(time) => set({ time })}
        options={[any, ...periods.map((period) => ({ value: period, label: t(periodLabels[period]) }))]}
      />
      <FilterField label={t("filter.key")} value={search.key ?? ""} onChange={(key) => set({ key })} />
      <FilterField label={t("filter.source")} value={search.source ?? ""} onChange={(source) => set({ source })} />
      <FilterField
        label={t("filter.search")}
        value={search.search ?? ""}
        onChange={(text) => set({ search: text })}
        isSearch
        className="max-sm:col-span-2"
      />
      {isFiltered && (
        <Button look="plain" className="justify-self-start" onClick={() => onChange({})}>
          <FilterX aria-hidden className="size-4" />
          {t("filter.clear")}
        </Button>
      )}
    </search>
  );
}
