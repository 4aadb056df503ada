import type { Job, JobKind, JobOutcome, JobSubject, MessageState } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { allOf } from "../all-of.ts";
import { useText } from "../i18n/i18n.tsx";
import { stateLabels } from "../messages/message-states.ts";
import { writeTextSearch } from "../text-search.ts";
import { Button } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { Card } from "../ui/page.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { JobCard } from "./job-card.tsx";
import { jobItemsQuery, jobQuery, jobStatesQuery, type ItemFilter, type JobItemRow } from "./queries.ts";
import { outcomeLabel, outcomeTexts, whyText } from "./texts.ts";

type JobDrawerProps = { tenantCode: string; jobId: number; onOpen: (jobId: number | undefined) => void };

/** A job with all its items, beside a list. */
export default function JobDrawer({ tenantCode, jobId, onOpen }: JobDrawerProps) {
  const t = useText();
  const { error } = useQuery(jobQuery(tenantCode, jobId));
  return (
    <Drawer isOpen onClose={() => onOpen(undefined)} title={t("jobs.one", { id: String(jobId) })}>
      <JobCard tenantCode={tenantCode} jobId={jobId} onUndo={({ id }: Job) => onOpen(id)} />
      {!error && (
        <div className="mt-4">
          <Items key={jobId} tenantCode={tenantCode} jobId={jobId} />
        </div>
      )}
    </Drawer>
  );
}

const outcomes = allOf<JobOutcome>()(["done", "sent", "skipped", "failed", "waiting"]);

function Items({ tenantCode, jobId }: { tenantCode: string; jobId: number }) {
  const t = useText();
  const [filter, setFilter] = useState<ItemFilter>({ outcome: "", state: "" });
  const list = useList(jobItemsQuery(tenantCode, jobId, filter));
  const { data: job } = useQuery(jobQuery(tenantCode, jobId));
  const columns = useItemColumns(job?.subject ?? "messages", job?.kind);
  const options = outcomes.map((value) => ({ value, label: t(outcomeLabel(value, job?.kind)) }));
  return (
    <Card title={t("job.results")}>
      <div className="grid gap-3 px-4 py-3">
        <States
          tenantCode={tenantCode}
          jobId={jobId}
          chosen={filter.state}
          onChoose={(state) => setFilter({ outcome: "", state: state === filter.state ? "" : state })}
        />
        <FilterSelect
          label={t("job.outcome")}
          value={filter.outcome}
          onChange={(value) => setFilter({ outcome: outcomes.find((known) => known === value) ?? "", state: "" })}
          options={options}
          className="max-w-60"
        />
      </div>
      <DataList list={list} empty={<EmptyState title={t("state.noRecord")} />}>
        <DataTable name="job-items" label={t("job.results")} list={list} columns={columns} labelOf={(item) => item.key ?? item.id} />
      </DataList>
    </Card>
  );
}

type StatesProps = { tenantCode: string; jobId: number; chosen: MessageState | ""; onChoose: (state: MessageState) => void };

/** How many of the job's messages have arrived by now, and how many have not; each number lists its messages below. */
function States({ tenantCode, jobId, chosen, onChoose }: StatesProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data } = useQuery(jobStatesQuery(tenantCode, jobId));
  if (!data || data.counts.length === 0) return null;
  const { counts, counted, isExact } = data;
  const gone = counts.reduce((left, { count }) => left - count, counted);
  return (
    <div role="group" aria-label={t("job.now")} className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="text-xs text-muted">{t("job.now")}</span>
      {counts.map(({ state, count }) => (
        <Button key={state} aria-pressed={state === chosen} look={state === chosen ? "primary" : "quiet"} onClick={() => onChoose(state)}>
          {`${formatNumber(count)}${isExact ? "" : "+"} ${t(stateLabels[state])}`}
        </Button>
      ))}
      {gone > 0 && <span className="text-muted">{`${formatNumber(gone)} ${t("job.gone")}`}</span>}
      {!isExact && <span className="text-muted">{t("job.firstCounted", { count: counted })}</span>}
    </div>
  );
}

/** Where an item is seen; removed external items have no page. */
function addressOf(subject: JobSubject, item: JobItemRow): string {
  if (subject === "external-messages") return `/externalmessages/details/${item.id}`;
  if (subject === "external-items") return `/externalitems${writeTextSearch({ key: item.key ?? "" })}`;
  return `/queue${writeTextSearch({ message: item.successorId ?? item.id })}`;
}

function useItemColumns(subject: JobSubject, kind: JobKind | undefined): Column<JobItemRow>[] {
  const t = useText();
  return useMemo(
    () => [
      {
        id: "key",
        header: t("message.key"),
        minWidth: 112,
        grow: 1.4,
        isTitle: true,
        cell: (item) => (
          <RowLink href={addressOf(subject, item)} title={item.key ?? item.id}>
            {item.key ?? item.id}
          </RowLink>
        ),
      },
      {
        id: "queue",
        header: t("message.queue"),
        minWidth: 112,
        grow: 1,
        cell: (item) => item.queueName ?? "–",
      },
      {
        id: "outcome",
        header: t("job.outcome"),
        minWidth: 176,
        grow: 0.5,
        cell: ({ outcome }) => <Chip tone={outcomeTexts[outcome].tone}>{t(outcomeLabel(outcome, kind))}</Chip>,
      },
      {
        id: "why",
        header: t("job.why"),
        isWide: true,
        minWidth: 112,
        grow: 1.2,
        cell: (item) => (item.outcome === "skipped" || item.outcome === "failed" ? whyText(item, t) : "–"),
      },
    ],
    [subject, kind, t],
  );
}
