import type { Difference, Routes } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowLeft, Wrench } from "lucide-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { Fragment, useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { allOf } from "../all-of.ts";
import { api } from "../api/api.ts";
import { entityTypeText } from "../entity-types.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useCountsText } from "../runs/run-labels.tsx";
import { type RunDetails, runQuery } from "../runs/run-query.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField, FilterSelect } from "../ui/filter-fields.tsx";
import { Card } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { idsOf, isNothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { writeTextSearch } from "../text-search.ts";
import { useRefresh } from "../live/use-refresh.ts";
import { differenceCountsQuery, differenceExport, differencePages, differencesQuery } from "./queries.ts";
import type { JobStatusSearch } from "./search.ts";

type Kinds = Record<Difference["kind"], { label: TextKey; tone: Tone }>;
const kinds: Kinds = {
  missing: { label: "jobStatus.difference.missing", tone: "bad" },
  differing: { label: "jobStatus.difference.differing", tone: "warn" },
  extra: { label: "jobStatus.difference.extra", tone: "neutral" },
};
const kindNames = allOf<Difference["kind"]>()(["missing", "differing", "extra"]);
/** The longest start of a key that the server takes. */
const keyLengthMax = 500;

/** What differences are called, and what can be done about them, by the kind of the run that found them. */
type Words = {
  kinds: Kinds;
  /** Whether fields were compared; else something is missing or it is not, and no more is said of it. */
  hasFields: boolean;
  noneHint: TextKey;
  fixSelected: TextKey;
  fixAll: TextKey;
  fixAllHint: TextKey;
  fixed: TextKey;
};
const ofReconciliation: Words = {
  kinds,
  hasFields: true,
  noneHint: "jobStatus.noDifferencesHint",
  fixSelected: "jobStatus.fixSelected",
  fixAll: "jobStatus.fixAll",
  fixAllHint: "jobStatus.fixAllHint",
  fixed: "jobStatus.sentAnew",
};
const ofDeletions: Words = {
  kinds: { ...kinds, missing: { label: "jobStatus.difference.gone", tone: "bad" } },
  hasFields: false,
  noneHint: "jobStatus.noneGoneHint",
  fixSelected: "jobStatus.markDeleted",
  fixAll: "jobStatus.markAllDeleted",
  fixAllHint: "jobStatus.markAllDeletedHint",
  fixed: "jobStatus.markedDeleted",
};

type DifferencesProps = {
  tenantCode: string;
  runId: number;
  search: JobStatusSearch;
  onChange: (search: JobStatusSearch) => void;
};

/** What a reconciliation or a look for deletions found, and the way to mend it. */
export default function Differences(props: DifferencesProps) {
  const t = useText();
  const { tenantCode, runId, search } = props;
  const { data: run, error, refetch } = useQuery(runQuery(tenantCode, runId));
  const { differences: _, kind: _kind, key: _key, ...list } = search;
  return (
    <Card
      title={t("jobStatus.differencesOf", { id: String(runId) })}
      actions={
        <Link to="/jobstatus-list" search={list} className={buttonClass()}>
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t("jobStatus.runs")}
        </Link>
      }
    >
      {run ? <Found {...props} run={run} /> : <NotThere error={error} onRetry={() => void refetch()} missing={t("state.notThere")} />}
    </Card>
  );
}

function Found({ tenantCode, runId, run, search, onChange }: DifferencesProps & { run: RunDetails }) {
  const t = useText();
  const countsOf = useCountsText();
  const navigate = useNavigate();
  const words = run.kind === "deletions" ? ofDeletions : ofReconciliation;
  const { differences: _, kind = "", key = "", ...list } = search;
  const [selection, setSelection] = useSelection({ runId, kind, key });
  const { data: counts } = useQuery(differenceCountsQuery(tenantCode, runId));
  const filter = (change: JobStatusSearch): void => onChange({ ...search, ...change });
  const options = kindNames.map((value) => ({ value, label: t(words.kinds[value].label) }));
  const names = { kind: { name: t("jobStatus.difference"), options }, key: { name: t("filter.key") } };
  return (
    <>
      <p className="px-4 pt-3 font-medium break-words">
        <bdi>{run.integrationPointName ?? run.subtenantCode}</bdi> · {entityTypeText(t, run.entityType)}
      </p>
      <p className="min-h-6 px-4 text-muted" role="status">
        {run.kind === "deletions" ? countsOf(run) : counts && t("jobStatus.differenceCounts", counts)}
      </p>
      <FilterBar active={activeFilters({ kind, key }, names, (id) => filter({ [id]: "" }))} onClear={() => filter({ kind: "", key: "" })}>
        {words.hasFields && (
          <FilterSelect label={names.kind.name} value={kind} onChange={(next) => filter({ kind: next })} options={options} />
        )}
        <FilterField label={names.key.name} value={key} onChange={(next) => filter({ key: next })} maxLength={keyLengthMax} />
      </FilterBar>
      <Rows
        tenantCode={tenantCode}
        run={run}
        words={words}
        kind={kind}
        startOfKey={key}
        selection={selection}
        onSelect={setSelection}
        onFixing={(id) => void navigate({ to: "/jobstatus-list", search: { ...list, run: String(id) } })}
      />
    </>
  );
}

type RowsProps = {
  tenantCode: string;
  run: RunDetails;
  words: Words;
  kind: string;
  startOfKey: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onFixing: (runId: number) => void;
};

function Rows({ tenantCode, run, words, kind, startOfKey, selection, onSelect, onFixing }: RowsProps) {
  const t = useText();
  const runId = run.id;
  const list = useList(differencesQuery(tenantCode, runId, kind, startOfKey));
  const readPage = useMemo(() => differencePages(tenantCode, runId, kind, startOfKey), [tenantCode, runId, kind, startOfKey]);
  const columns = useDifferenceColumns(words, run);
  const table = { name: "differences", label: t("jobStatus.differences"), columns };
  const { data: counts } = useQuery(differenceCountsQuery(tenantCode, runId));
  const fix = useFix(tenantCode, runId);
  const failed = useFailureNotice();
  // Nobody who has left the differences meanwhile is called back.
  const mend = (choose: Choose) => fix.mutateAsync(choose, { onSuccess: ({ id }) => onFixing(id) });
  const disabledReason = useRoleReason("operate");
  const [isAsking, setIsAsking] = useState(false);
  const actions = (
    <Button
      look="primary"
      disabledReason={disabledReason}
      isBusy={fix.isPending}
      onClick={() => void mend(() => idsOf(selection, readPage, new AbortController().signal)).catch(failed)}
    >
      <Wrench aria-hidden className="size-4" />
      {t(words.fixSelected)}
    </Button>
  );
  return (
    <DataList
      list={list}
      isInUse={!isNothing(selection)}
      empty={<EmptyState title={t("jobStatus.noDifferences")} hint={t(words.noneHint)} />}
    >
      <SelectableTable
        {...table}
        list={list}
        labelOf={({ key }) => key}
        selection={selection}
        onSelect={onSelect}
        exported={differenceExport(tenantCode, runId, kind, startOfKey)}
        actions={actions}
      >
        {/* All there are, not those that match: these can be chosen. */}
        {isNothing(selection) && kind === "" && startOfKey === "" && (
          <Button disabledReason={disabledReason} isBusy={fix.isPending} onClick={() => setIsAsking(true)}>
            <Wrench aria-hidden className="size-4" />
            {t(words.fixAll)}
          </Button>
        )}
      </SelectableTable>
      {isAsking && counts && (
        <ConfirmDialog
          title={t(words.fixAll)}
          text={t(words.fixAllHint, { count: counts.missing + counts.differing - counts.sent })}
          actionLabel={t(words.fixAll)}
          onConfirm={() => mend(() => Promise.resolve(null))}
          onClose={() => setIsAsking(false)}
        />
      )}
    </DataList>
  );
}

/** The differences' ids, or null for all of them. */
type Choose = () => Promise<string[] | null>;

function useFix(tenantCode: string, runId: number) {
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: async (choose: Choose) => {
      const ids = await choose();
      const params = { tenantCode, runId };
      return api<Routes["fixDifferences"]>("POST", "/tenants/:tenantCode/runs/:runId/fixes", { params, body: ids === null ? {} : { ids } });
    },
    onSuccess: refresh,
  });
}

function useDifferenceColumns(words: Words, { subtenantCode, entityType }: RunDetails): Column<Difference>[] {
  const t = useText();
  return useMemo(() => {
    const fields: Column<Difference> = {
      id: "fields",
      header: t("jobStatus.differenceFields"),
      isWide: true,
      isTwoLined: true,
      minWidth: 240,
      grow: 3,
      cell: ({ kind, fields }) => (kind === "differing" ? <Fields fields={fields} /> : "–"),
    };
    return [
      {
        id: "key",
        header: t("filter.key"),
        minWidth: 120,
        grow: 1,
        isTitle: true,
        // What only the target has is no object here.
        cell: ({ key, kind }) =>
          kind === "extra" ? (
            <bdi>{key}</bdi>
          ) : (
            <RowLink href={`/entities${writeTextSearch({ entity: entityType, object: key, of: subtenantCode, view: "trace" })}`}>
              {key}
            </RowLink>
          ),
      },
      {
        id: "kind",
        header: t("jobStatus.difference"),
        minWidth: 160,
        grow: 0.7,
        cell: ({ kind }) => <Chip tone={words.kinds[kind].tone}>{t(words.kinds[kind].label)}</Chip>,
      },
      ...(words.hasFields ? [fields] : []),
      {
        id: "fixedBy",
        header: t(words.fixed),
        minWidth: 160,
        grow: 0.6,
        showFrom: 640,
        cell: ({ fixedBy }) =>
          fixedBy === null ? (
            "–"
          ) : (
            <Link to="/jobstatus-list" search={{ run: String(fixedBy) }} className="text-primary-ink underline">
              {t("jobStatus.run", { id: String(fixedBy) })}
            </Link>
          ),
      },
    ];
  }, [t, words, subtenantCode, entityType]);
}

/** Field by field: what it should be, and what the target shows. */
function Fields({ fields }: { fields: Difference["fields"] }) {
  const { formatMessage } = useIntl();
  return (
    <span className="line-clamp-2 leading-[1.0625rem] break-words whitespace-normal">
      {fields.map(({ path, source, target }, index) => (
        <Fragment key={path}>
          {index > 0 && "; "}
          {formatMessage(
            { id: "jobStatus.fieldDiffers" },
            { path: <bdi>{path}</bdi>, source: <bdi>{source ?? "–"}</bdi>, target: <bdi>{target ?? "–"}</bdi> },
          )}
        </Fragment>
      ))}
    </span>
  );
}
