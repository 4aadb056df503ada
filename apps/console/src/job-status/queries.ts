import type { BodyOf, Routes, Run, RunLine, Schedule } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api.ts";
import { exportOf } from "../exporting.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";

/** Rows of lists have ids in text. */
export type RunRow = Omit<Run, "id"> & { id: string };
export type ScheduleRow = Omit<Schedule, "id"> & { id: string };

const lookEveryMs = 2000;

function runPages(tenantCode: string, subtenant: string): PageReader<RunRow> {
  return async (cursor, limit, signal) => {
    const query = { ...(subtenant && { subtenant }), ...(cursor && { cursor }), limit };
    const page = await api<Routes["listRuns"]>("GET", "/tenants/:tenantCode/runs", { params: { tenantCode }, query, signal });
    return { items: page.items.map((run) => ({ ...run, id: String(run.id) })), nextCursor: page.nextCursor };
  };
}

export function runExport(tenantCode: string, subtenant: string) {
  return exportOf<Routes["exportRuns"]>("/tenants/:tenantCode/runs/export", {
    params: { tenantCode },
    query: { ...(subtenant && { subtenant }) },
  });
}

export function runsQuery(tenantCode: string, subtenant: string) {
  return listQuery(["tenant", tenantCode, "runs", subtenant], runPages(tenantCode, subtenant));
}

export function runQuery(tenantCode: string, runId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "run", runId],
    queryFn: ({ signal }) => api<Routes["getRun"]>("GET", "/tenants/:tenantCode/runs/:runId", { params: { tenantCode, runId }, signal }),
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? lookEveryMs : false),
  });
}

/** Its first lines: a run that has more to tell says the same over and over. */
export function runLinesQuery(tenantCode: string, runId: number) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "run", runId, "lines"],
    queryFn: ({ signal }) =>
      api<Routes["listRunLines"]>("GET", "/tenants/:tenantCode/runs/:runId/lines", {
        params: { tenantCode, runId },
        query: { limit: 500 },
        signal,
      }),
    select: ({ items }): RunLine[] => items,
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

/** Which entity types each connector can be asked for. */
export const connectorsQuery = queryOptions({
  queryKey: ["connectors"],
  queryFn: ({ signal }) => api<Routes["listConnectors"]>("GET", "/connectors", { signal }),
  select: ({ items }) => new Map(items.map(({ code, pulls }) => [code, pulls])),
  staleTime: Infinity,
});

export type NewSchedule = NonNullable<BodyOf<Routes["createSchedule"]>>;

export function createSchedule(tenantCode: string, body: NewSchedule): Promise<Schedule> {
  return api<Routes["createSchedule"]>("POST", "/tenants/:tenantCode/schedules", { params: { tenantCode }, body });
}

export function switchSchedule(tenantCode: string, id: string, isActive: boolean): Promise<Schedule> {
  const params = { tenantCode, scheduleId: Number(id) };
  return api<Routes["updateSchedule"]>("PATCH", "/tenants/:tenantCode/schedules/:scheduleId", { params, body: { isActive } });
}

export async function removeSchedule(tenantCode: string, id: string): Promise<void> {
  const params = { tenantCode, scheduleId: Number(id) };
  await api<Routes["removeSchedule"]>("DELETE", "/tenants/:tenantCode/schedules/:scheduleId", { params });
}

export function runSchedule(tenantCode: string, id: string): Promise<Run> {
  const params = { tenantCode, scheduleId: Number(id) };
  return api<Routes["runSchedule"]>("POST", "/tenants/:tenantCode/schedules/:scheduleId/run", { params });
}

export function cancelRun(tenantCode: string, runId: number): Promise<Run> {
  return api<Routes["cancelRun"]>("POST", "/tenants/:tenantCode/runs/:runId/cancel", { params: { tenantCode, runId } });
}
