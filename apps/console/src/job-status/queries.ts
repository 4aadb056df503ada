import type { BodyOf, Difference, QueryOf, Routes, Run, RunLine, Schedule } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { exportOf } from "../exporting.ts";
import { isRunOutcome, type RunOutcome } from "../runs/run-labels.tsx";
import type { ExportSource } from "../ui/export/use-export.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import type { JobStatusSearch } from "./search.ts";

/** Rows of lists have ids in text. */
export type RunRow = Omit<Run, "id"> & { id: string };
export type ScheduleRow = Omit<Schedule, "id"> & { id: string };

/** The runs' filters as the API takes them. */
export function runFilterOf({ subtenant, state }: JobStatusSearch) {
  return { ...(subtenant && { subtenant }), ...(state && isRunOutcome(state) && outcomeFilterOf(state)) };
}

function outcomeFilterOf(outcome: RunOutcome): Pick<NonNullable<QueryOf<Routes["listRuns"]>>, "state" | "rejected"> {
  if (outcome === "some-rejected") return { state: "done", rejected: "some" };
  if (outcome === "all-rejected") return { state: "done", rejected: "all" };
  return outcome === "done" ? { state: "done", rejected: "none" } : { state: outcome };
}

type RunFilter = ReturnType<typeof runFilterOf>;

function runPages(tenantCode: string, filter: RunFilter): PageReader<RunRow> {
  return async (cursor, limit, signal) => {
    const query = { ...filter, ...(cursor && { cursor }), limit };
    const page = await api<Routes["listRuns"]>("GET", "/tenants/:tenantCode/runs", { params: { tenantCode }, query, signal });
    return { items: page.items.map((run) => ({ ...run, id: String(run.id) })), nextCursor: page.nextCursor };
  };
}

export function runExport(tenantCode: string, query: RunFilter) {
  return exportOf<Routes["exportRuns"]>("/tenants/:tenantCode/runs/export", { params: { tenantCode }, query });
}

export function runsQuery(tenantCode: string, filter: RunFilter) {
  return listQuery(["tenant", tenantCode, "runs", filter], runPages(tenantCode, filter));
}

/** Its first lines: a run that has more to tell says the same over and over. */
export function runLinesQuery(tenantCode: string, runId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "run", runId, "lines"],
    queryFn: async ({ signal }): Promise<RunLine[]> => {
      const { items } = await api<Routes["listRunLines"]>("GET", "/tenants/:tenantCode/runs/:runId/lines", {
        params: { tenantCode, runId },
        query: { limit: 500 },
        signal,
      });
      const told = await toldFaults(items.flatMap(({ id, faults }) => faults.map((fault) => ({ ...fault, id }))));
      const faultsOf = Map.groupBy(told, ({ id }) => id);
      return items.map((line) => ({ ...line, faults: faultsOf.get(line.id) ?? [] }));
    },
  });
}

export function schedulesQuery(tenantCode: string, subtenant: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "schedules", subtenant],
    queryFn: ({ signal }) =>
      api<Routes["listSchedules"]>("GET", "/tenants/:tenantCode/schedules", {
        params: { tenantCode },
        query: { ...(subtenant && { subtenant }) },
        signal,
      }),
    select: ({ items }): ScheduleRow[] => items.map((schedule) => ({ ...schedule, id: String(schedule.id) })),
  });
}

type NewSchedule = NonNullable<BodyOf<Routes["createSchedule"]>>;

export function createSchedule(tenantCode: string, body: NewSchedule): Promise<Schedule> {
  return api<Routes["createSchedule"]>("POST", "/tenants/:tenantCode/schedules", { params: { tenantCode }, body });
}

type ScheduleChange = NonNullable<BodyOf<Routes["updateSchedule"]>>;

/** Its version goes along with every change: who switches a schedule on means the time that stands beside the switch. */
export function updateSchedule(tenantCode: string, { id, version: ifVersion }: ScheduleRow, body: ScheduleChange): Promise<Schedule> {
  return api<Routes["updateSchedule"]>("PATCH", "/tenants/:tenantCode/schedules/:scheduleId", {
    params: { tenantCode, scheduleId: Number(id) },
    body,
    ifVersion,
  });
}

export async function removeSchedule(tenantCode: string, id: string): Promise<void> {
  const params = { tenantCode, scheduleId: Number(id) };
  await api<Routes["removeSchedule"]>("DELETE", "/tenants/:tenantCode/schedules/:scheduleId", { params });
}

export function restoreSchedule(tenantCode: string, id: string): Promise<Schedule> {
  const params = { tenantCode, scheduleId: Number(id) };
  return api<Routes["restoreSchedule"]>("POST", "/tenants/:tenantCode/schedules/:scheduleId/restore", { params });
}

export function runSchedule(tenantCode: string, id: string): Promise<Run> {
  const params = { tenantCode, scheduleId: Number(id) };
  return api<Routes["runSchedule"]>("POST", "/tenants/:tenantCode/schedules/:scheduleId/run", { params });
}

export function createRun(tenantCode: string, body: NonNullable<BodyOf<Routes["createRun"]>>): Promise<Run> {
  return api<Routes["createRun"]>("POST", "/tenants/:tenantCode/runs", { params: { tenantCode }, body });
}

export type RunChange = "cancel" | "pause" | "resume";

export function changeRun(tenantCode: string, runId: number, change: RunChange): Promise<Run> {
  return api<Routes["cancelRun"]>("POST", `/tenants/:tenantCode/runs/:runId/${change}`, { params: { tenantCode, runId } });
}

/** The content of an export. With a reason, values are not masked. */
export function runContent(tenantCode: string, runId: number): ExportSource {
  const path = "/tenants/:tenantCode/runs/:runId/export";
  return { ...exportOf<Routes["downloadExport"]>(path, { params: { tenantCode, runId }, query: {} }), isMasked: true };
}

function filterOf(kind: string, key: string): { kind?: Difference["kind"]; keyPrefix?: string } {
  const known = (["missing", "differing", "extra"] as const).find((one) => one === kind);
  return { ...(known && { kind: known }), ...(key && { keyPrefix: key }) };
}

export function differencePages(tenantCode: string, runId: number, kind: string, key: string): PageReader<Difference> {
  return (cursor, limit, signal) => {
    const query = { ...filterOf(kind, key), ...(cursor && { cursor }), limit };
    return api<Routes["listDifferences"]>("GET", "/tenants/:tenantCode/runs/:runId/differences", {
      params: { tenantCode, runId },
      query,
      signal,
    });
  };
}

export function differencesQuery(tenantCode: string, runId: number, kind: string, key: string) {
  return listQuery(["tenant", tenantCode, "run", runId, "differences", kind, key], differencePages(tenantCode, runId, kind, key));
}

export function differenceCountsQuery(tenantCode: string, runId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "run", runId, "difference-counts"],
    queryFn: ({ signal }) => {
      const input = { params: { tenantCode, runId }, query: { limit: 1 }, signal };
      return api<Routes["listDifferences"]>("GET", "/tenants/:tenantCode/runs/:runId/differences", input);
    },
    select: ({ counts }) => counts,
  });
}

export function differenceExport(tenantCode: string, runId: number, kind: string, key: string) {
  return exportOf<Routes["exportDifferences"]>("/tenants/:tenantCode/runs/:runId/differences/export", {
    params: { tenantCode, runId },
    query: filterOf(kind, key),
  });
}
