import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import { TimeRangeField } from "../ui/time-range-field.tsx";
import { lengthMax } from "./length-max.ts";
import { isCount, isHttpStatus, isPayloadFilter, type FilterName, type FilterSearch } from "./search.ts";

export type MoreFieldsProps = { search: FilterSearch; offered: readonly FilterName[]; onChange: (change: FilterSearch) => void };

/** The fields of the filters that are needed now and then. */
export default function MoreFields({ search, offered, onChange }: MoreFieldsProps) {
  const t = useText();
  const has = (name: FilterName): boolean => offered.includes(name);
  return (
    <div className="grid gap-3">
      {has("payload") && (
        <FilterField
          label={t("filter.payload")}
          value={search.payload ?? ""}
          onChange={(payload) => onChange({ payload })}
          maxLength={lengthMax.payload}
          placeholder={'$.lines[*].sku = "85123A"'}
          isCode
          refuse={(text) => (isPayloadFilter(text) ? null : t("filter.payloadHint"))}
        />
      )}
      <div className="grid grid-cols-2 items-start gap-3">
        {has("entity") && (
          <FilterSelect
            label={t("message.entityType")}
            value={search.entity ?? ""}
            onChange={(entity) => onChange({ entity })}
            options={entityTypes.map((type) => ({ value: type, label: t(entityTypeLabels[type]) }))}
          />
        )}
        {has("source") && (
          <FilterField
            label={t("filter.source")}
            value={search.source ?? ""}
            onChange={(source) => onChange({ source: source.trim() })}
            maxLength={lengthMax.source}
          />
        )}
        {has("error") && (
          <FilterField
            label={t("filter.errorClass")}
            value={search.error ?? ""}
            onChange={(error) => onChange({ error: error.trim() })}
            maxLength={lengthMax.error}
            placeholder="http-422"
          />
        )}
        {has("status") && (
          <FilterField
            label={t("filter.httpStatus")}
            value={search.status ?? ""}
            onChange={(status) => onChange({ status: status.trim() })}
            placeholder="422"
            refuse={(text) => (isHttpStatus(text) ? null : t("filter.httpStatusHint"))}
          />
        )}
        {has("attempts") && (
          <FilterField
            label={t("filter.attemptsMin")}
            value={search.attempts ?? ""}
            onChange={(attempts) => onChange({ attempts: attempts.trim() })}
            placeholder="3"
            refuse={(text) => (isCount(text) ? null : t("filter.attemptsHint"))}
          />
        )}
      </div>
      {has("from") && (
        <TimeRangeField
          label={t("filter.time")}
          value={{ ...(search.from && { from: search.from }), ...(search.to && { to: search.to }) }}
          onChange={({ from = "", to = "" }) => onChange({ from, to, time: "" })}
        />
      )}
    </div>
  );
}
