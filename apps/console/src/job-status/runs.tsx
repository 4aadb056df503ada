import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { runKindTexts, RunStateChip, useCountsText } from "../runs/run-labels.tsx";
import { DataList } from "../ui/data-list.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { Time } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { writeTextSearch } from "../text-search.ts";
import { subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { runExport, runFilterOf, runsQuery, type RunRow } from "./queries.ts";
import type { JobStatusSearch } from "./search.ts";

export function Runs({ tenantCode, search }: { tenantCode: string; search: JobStatusSearch }) {
  const t = useText();
  const filter = runFilterOf(search);
  const isFiltered = Object.keys(filter).length > 0;
  const list = useList(runsQuery(tenantCode, filter));
  const columns = useRunColumns(tenantCode, search);
  const table = { name: "runs", label: t("jobStatus.runs"), columns };
  return (
    <DataList list={list} empty={<EmptyState title={t("state.noRecord")} {...(!isFiltered && { hint: t("jobStatus.noRuns") })} />}>
      <TableToolbar {...table} exported={runExport(tenantCode, filter)} />
      <DataTable {...table} list={list} labelOf={({ id }) => t("jobStatus.run", { id })} />
    </DataList>
  );
}

function useRunColumns(tenantCode: string, { subtenant, state }: JobStatusSearch): Column<RunRow>[] {
  const t = useText();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const counts = useCountsText();
  return useMemo(() => {
    const startedBy = (run: RunRow) => run.startedBy ?? t("jobStatus.bySchedule");
    const what = (run: RunRow) =>
      `${t(runKindTexts[run.kind])} · ${run.integrationPointName ?? subtenantLabel(subtenants, run.subtenantCode)}`;
    return [
      {
        id: "job",
        header: t("jobStatus.kind"),
        minWidth: 150,
        grow: 2,
        isTitle: true,
        cell: (run) => (
          <RowLink href={`/jobstatus-list${writeTextSearch({ subtenant, state, run: run.id })}`} title={t("jobStatus.run", { id: run.id })}>
            {what(run)}
          </RowLink>
        ),
      },
      {
        id: "state",
        header: t("jobStatus.state"),
        // The longest state of all languages.
        minWidth: 170,
        grow: 0.8,
        cell: (run) => <RunStateChip run={run} />,
      },
      {
        id: "entityType",
        header: t("message.entityType"),
        minWidth: 110,
        grow: 0.7,
        cell: ({ entityType }) => entityTypeText(t, entityType),
      },
      {
        id: "subtenant",
        header: t("filter.subtenant"),
        minWidth: 100,
        grow: 1.2,
        showFrom: 760,
        cell: ({ subtenantCode }) => subtenantLabel(subtenants, subtenantCode),
      },
      {
        id: "progress",
        header: t("jobStatus.progress"),
        minWidth: 160,
        grow: 1.4,
        isWide: true,
        cell: counts,
      },
      { id: "startedBy", header: t("jobStatus.startedBy"), minWidth: 124, grow: 0.9, showFrom: 1000, cell: startedBy },
      {
        id: "startedAt",
        header: t("jobStatus.startedAt"),
        minWidth: timeWidth,
        grow: 0.9,
        cell: ({ startedAt }) => (startedAt === null ? "–" : <Time at={startedAt} />),
      },
    ];
  }, [subtenants, subtenant, state, counts, t]);
}
