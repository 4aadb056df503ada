import type { Queue, Subtenant } from "@crossdock/contract";
import { X } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import type { DeadLetterSearch } from "./search.ts";

type DeadLetterFiltersProps = {
  search: DeadLetterSearch;
  onChange: (search: DeadLetterSearch) => void;
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
};

export function DeadLetterFilters({ search, onChange, queues, subtenants }: DeadLetterFiltersProps) {
  const t = useText();
  const any = { value: "", label: t("filter.any") };
  const offered = queues.filter((queue) => !search.subtenant || queue.subtenantCode === search.subtenant);
  return (
    <search className="grid grid-cols-2 items-end gap-3 border-b border-line p-4 sm:grid-cols-[repeat(auto-fill,minmax(10.5rem,1fr))]">
      <SelectField
        label={t("filter.subtenant")}
        value={search.subtenant ?? ""}
        onChange={(subtenant) => onChange({ ...search, subtenant, queue: "" })}
        options={[any, ...subtenants.map(({ code, name }) => ({ value: code, label: name }))]}
      />
      <SelectField
        label={t("filter.queue")}
        value={search.queue ?? ""}
        onChange={(queue) => onChange({ ...search, queue })}
        options={[
          any,
          ...offered.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` })),
        ]}
      />
      <SelectField
        label={t("deadLetters.view")}
        value={search.view === "list" ? "list" : ""}
        onChange={(view) => onChange({ ...search, view, error: "" })}
        options={[
          { value: "", label: t("deadLetters.grouped") },
          { value: "list", label: t("deadLetters.list") },
        ]}
      />
      {search.error && (
        <Button className="justify-self-start" onClick={() => onChange({ ...search, error: "" })}>
          <X aria-hidden className="size-4" />
          {t("deadLetters.oneError")}
        </Button>
      )}
    </search>
  );
}
