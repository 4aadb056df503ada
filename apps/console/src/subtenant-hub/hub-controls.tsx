import type { Queue } from "@crossdock/contract";
import { ZoomOut } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { SelectField } from "../ui/field.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { Card } from "../ui/page.tsx";
import { aggregateTexts } from "./aggregate-texts.ts";
import { aggregates, ranges, viewOf, type HubSearch, type RangeName } from "./search.ts";

const rangeTexts: Record<RangeName, TextKey> = { hour: "hub.lastHour", day: "hub.lastDay", week: "hub.lastWeek" };

type HubControlsProps = { search: HubSearch; queues: Queue[]; onChange: (change: HubSearch) => void };

export function HubControls({ search, queues, onChange }: HubControlsProps) {
  const t = useText();
  const view = viewOf(search);
  return (
    <Card>
      <div className="grid grid-cols-2 items-end gap-3 p-4 sm:flex sm:flex-wrap">
        <SelectField
          label={t("hub.range")}
          value={view.range}
          onChange={(range) => onChange({ range, from: "", to: "" })}
          options={ranges.map((value) => ({ value, label: t(rangeTexts[value]) }))}
        />
        <SelectField
          label={t("hub.aggregate")}
          value={view.aggregate}
          onChange={(aggregate) => onChange({ aggregate })}
          options={aggregates.map((value) => ({ value, label: t(aggregateTexts[value]) }))}
        />
        <FilterSelect
          label={t("filter.queue")}
          value={view.queueId === null ? "" : String(view.queueId)}
          onChange={(queue) => onChange({ queue })}
          options={queues.map(({ id, name, integrationPoint }) => ({ value: String(id), label: `${name} · ${integrationPoint.name}` }))}
          className="sm:w-60"
        />
        <SelectField
          label={t("hub.view")}
          value={view.isStacked ? "stacked" : ""}
          onChange={(next) => onChange({ view: next })}
          options={[
            { value: "", label: t("hub.perQueue") },
            { value: "stacked", label: t("hub.stacked") },
          ]}
        />
        <Checkbox
          label={t("hub.compare")}
          isOn={view.isCompared}
          onChange={(isOn) => onChange({ compare: isOn ? "1" : "" })}
          className="min-h-9 max-sm:col-span-2"
        />
        {view.zoom && (
          <Button className="max-sm:col-span-2" onClick={() => onChange({ from: "", to: "" })}>
            <ZoomOut aria-hidden className="size-4" />
            {t("hub.zoomOut")}
          </Button>
        )}
        <p className="basis-full text-xs text-muted max-sm:col-span-2">{t("hub.hint")}</p>
      </div>
    </Card>
  );
}
