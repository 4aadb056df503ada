import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { Code, RecordId, pageOf, pageQuery, tenantParams } from "./paging.ts";

const Cron = z.string().trim().min(9).max(100).describe("Five fields in UTC: minute, hour, day of month, month, day of week");
const EverySeconds = z.number().int().min(10).max(604_800);

/** When a source is asked for what has changed. */
export const Schedule = z
  .object({
    id: z.number().int(),
    subtenantCode: z.string(),
    integrationPointId: z.number().int(),
    integrationPointName: z.string(),
    connector: z.string(),
    entityType: EntityType,
    cron: z.string().nullable(),
    everySeconds: z.number().int().nullable(),
    isActive: z.boolean(),
    cursor: z.string().nullable().describe("Where the next page begins; only the connector reads it"),
    nextAt: z.string(),
    lastRun: z
      .object({ id: z.number().int(), state: z.string(), finishedAt: z.string().nullable(), fault: z.string().nullable() })
      .nullable(),
    version: z.number().int(),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

const Timing = z
  .object({ cron: Cron.nullish(), everySeconds: EverySeconds.nullish() })
  .refine(({ cron, everySeconds }) => (cron == null) !== (everySeconds == null), "either cron or everySeconds");

export const RunState = z.enum(["waiting", "running", "done", "failed", "cancelled"]);
export type RunState = z.infer<typeof RunState>;

/** One run of something long. */
export const Run = z
  .object({
    id: z.number().int(),
    kind: z.enum(["poll", "import", "rebuild"]),
    scheduleId: z.number().int().nullable(),
    subtenantCode: z.string(),
    integrationPointName: z.string(),
    entityType: z.string(),
    state: RunState,
    isCancelling: z.boolean(),
    startedBy: z.string().nullable().describe("Null: its schedule"),
    total: z.number().int().nullable(),
    done: z.number().int(),
    accepted: z.number().int(),
    unchanged: z.number().int(),
    rejected: z.number().int(),
    fault: z.string().nullable(),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

export const RunLine = z
  .object({ id: z.string(), at: z.string(), level: z.enum(["info", "warning", "error"]), text: z.string() })
  .meta({ id: "RunLine" });
export type RunLine = z.infer<typeof RunLine>;

const scheduleParams = tenantParams.extend({ scheduleId: RecordId });
const runParams = tenantParams.extend({ runId: RecordId });

export const scheduleRoutes = {
  listSchedules: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/schedules",
    permission: "read",
    summary: "When which source is asked, and how the last run went",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: { 200: z.object({ items: z.array(Schedule) }) },
  }),
  createSchedule: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/schedules",
    permission: "configure",
    summary: "Ask a source for one entity type, by cron or by interval",
    params: tenantParams,
    body: Timing.and(z.object({ integrationPointId: RecordId, entityType: EntityType })),
    responses: { 201: Schedule },
  }),
  updateSchedule: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/schedules/:scheduleId",
    permission: "configure",
    summary: "Change a schedule's time, switch it on or off, or begin from the start",
    params: scheduleParams,
    body: z.object({
      cron: Cron.optional(),
      everySeconds: EverySeconds.optional(),
      isActive: z.boolean().optional(),
      fromStart: z.literal(true).optional().describe("Forgets where the last page ended"),
    }),
    responses: { 200: Schedule },
  }),
  removeSchedule: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/schedules/:scheduleId",
    permission: "configure",
    summary: "Remove a schedule; its runs stay in the history",
    params: scheduleParams,
    responses: { 204: z.undefined() },
  }),
  runSchedule: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/schedules/:scheduleId/run",
    permission: "operate",
    summary: "Run now, whatever the time; while a run is open, that one is answered",
    params: scheduleParams,
    responses: { 200: Run },
  }),
  listRuns: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs",
    permission: "read",
    summary: "Runs, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, subtenant: Code.optional(), schedule: RecordId.optional(), state: RunState.optional() }),
    responses: { 200: pageOf(Run) },
  }),
  getRun: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs/:runId",
    permission: "read",
    summary: "One run with its progress",
    params: runParams,
    responses: { 200: Run },
  }),
  listRunLines: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/lines",
    permission: "read",
    summary: "What a run has to tell, oldest first",
    params: runParams,
    query: z.object(pageQuery),
    responses: { 200: pageOf(RunLine) },
  }),
  cancelRun: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/cancel",
    permission: "operate",
    summary: "End a run after the page in hand; what was taken stays",
    params: runParams,
    responses: { 200: Run },
  }),
};
