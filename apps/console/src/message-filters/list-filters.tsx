import type { IntegrationPoint } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Suspense, type ClipboardEvent, type ReactNode } from "react";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { firstPart, loadCode } from "../lazy-screen.ts";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import {
  integrationPointOptions,
  integrationPointsQuery,
  queueOptions,
  queuesQuery,
  subtenantOptions,
  subtenantsQuery,
} from "../session/workspace.ts";
import { lengthMax } from "./length-max.ts";
import { MoreFilters } from "./more-filters.tsx";
import {
  isKeyList,
  isLongEnough,
  periods,
  searchLengthMin,
  type FilterName,
  type FilterSearch,
  type CountedBy,
  type Period,
} from "./search.ts";
import { useSpanChoices } from "./span-choices.ts";

const KeyReport = firstPart(() => import("./key-report.tsx"));

/** What a list of keys may look like; its code is fetched to look closer. */
const mayBeList = /[\r\n\t,;]|\d\s+\S/;

const periodLabels: Record<Period, TextKey> = { hour: "period.hour", day: "period.day", week: "period.week" };

type Option = { value: string; label: string };

type ListFiltersProps = {
  tenantCode: string;
  search: FilterSearch;
  onChange: (change: FilterSearch) => void;
  onClear: () => void;
  /** Those in sight, in their order, and those behind a button. */
  shown: readonly FilterName[];
  more: readonly FilterName[];
  states?: readonly Option[];
  /** Of which integration points the list can be. */
  direction?: "source" | "target";
  /** Of lists that take several keys: by which the messages of each are counted; null where they are not. */
  counted?: CountedBy | null;
  /** The server finds texts shorter than the index knows, too. */
  takesShortSearch?: boolean;
  /** Other filters of the screen, as they are told while they are in force. */
  others?: Record<string, { name: string; options?: Option[] }>;
  /** Stand among the fields, and beside the buttons. */
  fields?: ReactNode;
  children?: ReactNode;
};

/** The filters of a list: the same names, fields and address in every list of messages and of what belongs to them. */
export function ListFilters(props: ListFiltersProps) {
  const { tenantCode, search, onChange, onClear, shown, more, counted, takesShortSearch = false, others = {} } = props;
  const { fields, children } = props;
  const t = useText();
  const choices = useChoices(props);
  const offered = [...shown, ...more, ...(more.includes("from") ? (["to"] as const) : [])];
  const told = { ...Object.fromEntries(offered.map((name) => [name, choices[name]])), ...others };
  const active = activeFilters(search, told, (id) => onChange({ [id]: "" }));
  const set = (name: FilterName, value: string): void => {
    if (name === "subtenant") onChange({ subtenant: value, queue: "", point: "" });
    else if (name === "time") onChange({ time: value, from: "", to: "" });
    else onChange({ [name]: value });
  };
  const tooShort = (text: string): string | null =>
    takesShortSearch || isLongEnough(text) ? null : t("filter.searchTooShort", { count: searchLengthMin });
  const isList = isKeyList(search.key);
  const onPaste = (event: ClipboardEvent<HTMLInputElement>, name: FilterName): void => {
    const { currentTarget: field, clipboardData } = event;
    const pasted = clipboardData.getData("text");
    if (!mayBeList.test(pasted)) return;
    event.preventDefault();
    const take = (key: string): void => onChange({ key, ...(name === "search" && { search: "" }) });
    // Without that code it is what the field holds, as it is.
    void loadCode(() => import("./key-list.ts")).then(
      ({ pasteKeys }) => pasteKeys(field, pasted, name === "key", take),
      () => set(name, pasted),
    );
  };
  return (
    <>
      <FilterBar active={active} onClear={onClear}>
        {shown.map((name) => {
          const { options } = choices[name];
          const value = search[name] ?? "";
          if (options) {
            const Choice = options.some((option) => option.value === "") ? SelectField : FilterSelect;
            return <Choice key={name} label={choices[name].name} value={value} onChange={(next) => set(name, next)} options={options} />;
          }
          const isSearch = name === "search";
          return (
            <FilterField
              key={name}
              label={choices[name].name}
              value={name === "key" && isList ? "" : value}
              onChange={(next) => set(name, next)}
              maxLength={lengthMax[name]}
              {...(counted !== undefined && { onPaste: (event) => onPaste(event, name) })}
              {...(isSearch && { isSearch, hasSlash: true, refuse: tooShort, placeholder: t("filter.searchFor"), className: "col-span-2" })}
            />
          );
        })}
        {fields}
        {(more.length > 0 || children) && (
          // Beside another field two buttons take the rest of its row; three don't fit there.
          <div className={`col-span-2 flex flex-wrap gap-2 sm:self-end ${fields ? "sm:has-[>:nth-child(3)]:col-span-3" : "sm:col-span-3"}`}>
            {more.length > 0 && <MoreFilters key={tenantCode} search={search} offered={more} onChange={onChange} />}
            {children}
          </div>
        )}
      </FilterBar>
      {isList && counted && (
        <Suspense fallback={null}>
          <KeyReport tenantCode={tenantCode} search={search} counted={counted} />
        </Suspense>
      )}
    </>
  );
}

type Choice = { name: string; options?: Option[] };

/** How each filter is called, and what it offers. */
function useChoices({ tenantCode, search, shown, states = [], direction }: ListFiltersProps): Record<FilterName, Choice> {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { data: queues = [] } = useQuery({ ...queuesQuery(tenantCode), enabled: shown.includes("queue") });
  const { data: points = [] } = useQuery({ ...integrationPointsQuery(tenantCode), enabled: shown.includes("point") });
  const isOfSubtenant = ({ subtenantCode }: { subtenantCode: string | null }) => !search.subtenant || subtenantCode === search.subtenant;
  const isOffered = (point: IntegrationPoint) => direction === undefined || point[`${direction}Types`].length > 0;
  return {
    search: { name: t("filter.search") },
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    queue: { name: t("filter.queue"), options: queueOptions(queues.filter(isOfSubtenant)) },
    point: {
      name: t("external.integrationPoint"),
      options: integrationPointOptions(points.filter((point) => isOfSubtenant(point) && isOffered(point))),
    },
    state: { name: t("filter.state"), options: [...states] },
    time: { name: t("filter.time"), options: periods.map((period) => ({ value: period, label: t(periodLabels[period]) })) },
    key: { name: t("filter.key") },
    externalId: { name: t("externalItems.externalId") },
    entity: { name: t("message.entityType"), options: entityTypes.map((type) => ({ value: type, label: t(entityTypeLabels[type]) })) },
    source: { name: t("filter.source") },
    error: { name: t("filter.errorClass") },
    status: { name: t("filter.httpStatus") },
    attempts: { name: t("filter.attemptsMin") },
    payload: { name: t("filter.payload") },
    ...useSpanChoices(search),
  };
}
