import type { Difference, Routes } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Wrench } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../api.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useRoleReason } from "../role-texts.ts";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { TextField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { noticeError } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { idsOf, isNothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { differenceCountsQuery, differenceExport, differencePages, differencesQuery } from "./queries.ts";
import type { JobStatusSearch } from "./search.ts";

const kinds: Record<Difference["kind"], { label: TextKey; tone: Tone }> = {
  missing: { label: "jobStatus.difference.missing", tone: "bad" },
  differing: { label: "jobStatus.difference.differing", tone: "warn" },
  extra: { label: "jobStatus.difference.extra", tone: "neutral" },
};
const kindNames = ["missing", "differing", "extra"] as const;

type DifferencesProps = {
  tenantCode: string;
  runId: number;
  search: JobStatusSearch;
  onChange: (search: JobStatusSearch) => void;
};

/** What a reconciliation found, and the way to mend it. */
export default function Differences({ tenantCode, runId, search, onChange }: DifferencesProps) {
  const t = useText();
  const { differences: _, kind = "", key = "", ...list } = search;
  const [selection, setSelection] = useSelection({ runId, kind, key });
  const { data: counts } = useQuery(differenceCountsQuery(tenantCode, runId));
  const filter = (change: JobStatusSearch): void => onChange({ ...search, ...change });
  const options = kindNames.map((value) => ({ value, label: t(kinds[value].label) }));
  const names = { kind: { name: t("jobStatus.difference"), options }, key: { name: t("filter.key") } };
  return (
    <Card
      title={t("jobStatus.differencesOf", { id: String(runId) })}
      actions={
        <Button onClick={() => onChange(list)}>
          <ArrowLeft aria-hidden className="size-4 rtl:-scale-x-100" />
          {t("jobStatus.runs")}
        </Button>
      }
    >
      <p className="min-h-6 px-4 text-muted" role="status">
        {counts && t("jobStatus.differenceCounts", counts)}
      </p>
      <FilterBar active={activeFilters({ kind, key }, names, (id) => filter({ [id]: "" }))} onClear={() => filter({ kind: "", key: "" })}>
        <FilterSelect label={names.kind.name} value={kind} onChange={(next) => filter({ kind: next })} options={options} />
        <TextField id="difference-key" label={names.key.name} value={key} onChange={(event) => filter({ key: event.target.value })} />
      </FilterBar>
      <Rows
        tenantCode={tenantCode}
        runId={runId}
        kind={kind}
        startOfKey={key}
        selection={selection}
        onSelect={setSelection}
        onFixing={(id) => onChange({ ...list, run: String(id) })}
      />
    </Card>
  );
}

type RowsProps = {
  tenantCode: string;
  runId: number;
  kind: string;
  startOfKey: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onFixing: (runId: number) => void;
};

function Rows({ tenantCode, runId, kind, startOfKey, selection, onSelect, onFixing }: RowsProps) {
  const t = useText();
  const list = useList(differencesQuery(tenantCode, runId, kind, startOfKey));
  const readPage = useMemo(() => differencePages(tenantCode, runId, kind, startOfKey), [tenantCode, runId, kind, startOfKey]);
  const columns = useDifferenceColumns();
  const table = { name: "differences", label: t("jobStatus.differences"), columns };
  const fix = useFix(tenantCode, runId, onFixing);
  const disabledReason = useRoleReason("operate");
  const [isAsking, setIsAsking] = useState(false);
  const actions = (
    <Button
      look="primary"
      disabledReason={disabledReason}
      isBusy={fix.isPending}
      onClick={() => fix.mutate(() => idsOf(selection, readPage, new AbortController().signal))}
    >
      <Wrench aria-hidden className="size-4" />
      {t("jobStatus.fixSelected")}
    </Button>
  );
  return (
    <DataList
      list={list}
      isInUse={!isNothing(selection)}
      empty={<EmptyState title={t("jobStatus.noDifferences")} hint={t("jobStatus.noDifferencesHint")} />}
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
        {isNothing(selection) && (
          <Button disabledReason={disabledReason} isBusy={fix.isPending} onClick={() => setIsAsking(true)}>
            <Wrench aria-hidden className="size-4" />
            {t("jobStatus.fixAll")}
          </Button>
        )}
      </SelectableTable>
      {isAsking && (
        <ConfirmDialog
          title={t("jobStatus.fixAll")}
          text={t("jobStatus.fixAllHint")}
          actionLabel={t("jobStatus.fixAll")}
          isBusy={fix.isPending}
          onConfirm={() => fix.mutate(() => Promise.resolve(null))}
          onClose={() => setIsAsking(false)}
        />
      )}
    </DataList>
  );
}

function useFix(tenantCode: string, runId: number, onFixing: (runId: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (choose: () => Promise<string[] | null>) => {
      const ids = await choose();
      const params = { tenantCode, runId };
      return api<Routes["fixDifferences"]>("POST", "/tenants/:tenantCode/runs/:runId/fixes", { params, body: ids === null ? {} : { ids } });
    },
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
      onFixing(id);
    },
    onError: (failure) => noticeError(failure.message),
  });
}

function useDifferenceColumns(): Column<Difference>[] {
  const t = useText();
  return useMemo(
    () => [
      { id: "key", header: t("filter.key"), minWidth: 120, grow: 1, isTitle: true, cell: ({ key }) => <bdi>{key}</bdi> },
      {
        id: "kind",
        header: t("jobStatus.difference"),
        minWidth: 130,
        grow: 0.7,
        cell: ({ kind }) => <Chip tone={kinds[kind].tone}>{t(kinds[kind].label)}</Chip>,
      },
      {
        id: "fields",
        header: t("jobStatus.differenceFields"),
        minWidth: 240,
        grow: 3,
        cell: ({ kind, fields }) => (kind === "differing" ? <Fields fields={fields} /> : "–"),
      },
      {
        id: "fixedBy",
        header: t("jobStatus.sentAnew"),
        minWidth: 110,
        grow: 0.6,
        showFrom: 640,
        cell: ({ fixedBy }) => (fixedBy === null ? "–" : t("jobStatus.run", { id: String(fixedBy) })),
      },
    ],
    [t],
  );
}

const shown = (value: string | null): string => value ?? "–";

/** Field by field: what it should be, and what the target shows. */
function Fields({ fields }: { fields: Difference["fields"] }) {
  const t = useText();
  return (
    <span className="block truncate">
      {fields.map(({ path, source, target }, index) => (
        <bdi key={path}>
          {index > 0 && "; "}
          {t("jobStatus.fieldDiffers", { path, source: shown(source), target: shown(target) })}
        </bdi>
      ))}
    </span>
  );
}
