import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { Failure, Fault } from "./errors.ts";
import { BusinessKey, Code, RecordId, RecordIdText, runParams, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { reasons } from "./reasons.ts";

const Cron = z.string().trim().max(100).describe("Five fields in UTC: minute, hour, day of month, month, day of week");
const EverySeconds = z.number().int().min(10).max(604_800);

/** What a schedule does each time. Files are imported once, so there is no schedule of that. */
export const ScheduleKind = z.enum(["poll", "deletions", "reconciliation", "resync", "export"]);
export type ScheduleKind = z.infer<typeof ScheduleKind>;

/** When a source is asked for what has changed or is gone, a target compared or sent to anew, or an entity type exported. */
export const Schedule = z
  .object({
    id: z.number().int(),
    kind: ScheduleKind,
    subtenantCode: z.string(),
    integrationPointId: z.number().int().nullable().describe("Null of an export, which is of the subtenant"),
    integrationPointName: z.string().nullable(),
    connector: z.string().nullable(),
    sourceIntegrationPointId: z.number().int().nullable().describe("Of a reconciliation: the source system that is asked"),
    entityType: EntityType,
    cron: z.string().nullable(),
    everySeconds: z.number().int().nullable(),
    isActive: z.boolean(),
    cursor: z.string().nullable().describe("Where the next page begins; only the connector reads it"),
    nextAt: z.string(),
    lastRun: z
      .object({
        id: z.number().int(),
        state: z.string(),
        done: z.number().int(),
        rejected: z.number().int(),
        finishedAt: z.string().nullable(),
        fault: z.string().nullable(),
      })
      .nullable(),
    version: z.number().int(),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

const what = {
  integrationPointId: RecordId.optional().describe(
    "The source of a poll or of a look for deletions, the target of everything else; of an export none",
  ),
  subtenantCode: Code.optional().describe("Of an export"),
  entityType: EntityType,
  sourceIntegrationPointId: RecordId.optional().describe(
    "Of a reconciliation: this source system is asked for its objects. Without one they are compared as Crossdock knows them",
  ),
};
const isOfOne = ({
  kind,
  integrationPointId,
  subtenantCode,
}: {
  kind: string;
  integrationPointId?: unknown;
  subtenantCode?: unknown;
}): boolean =>
  kind === "export"
    ? integrationPointId === undefined && subtenantCode !== undefined
    : integrationPointId !== undefined && subtenantCode === undefined;
const ofOne = { path: ["integrationPointId"], message: reasons["run-subject"] };

const timing = { cron: Cron.nullish(), everySeconds: EverySeconds.nullish() };
const isOneTiming = ({ cron, everySeconds }: { cron?: unknown; everySeconds?: unknown }): boolean =>
  (cron == null) !== (everySeconds == null);

export const RunState = z.enum(["waiting", "running", "paused", "done", "failed", "cancelled"]);
export type RunState = z.infer<typeof RunState>;

/** How much of what a run read was rejected. */
export const Rejected = z.enum(["none", "some", "all"]);
export type Rejected = z.infer<typeof Rejected>;

/** One run of something long. */
export const Run = z
  .object({
    id: z.number().int(),
    kind: z.enum(["poll", "deletions", "import", "rebuild", "reconciliation", "resync", "export"]),
    scheduleId: z.number().int().nullable(),
    subtenantCode: z.string(),
    integrationPointId: z.number().int().nullable().describe("Null of an export"),
    integrationPointName: z.string().nullable(),
    entityType: z.string(),
    state: RunState,
    isCancelling: z.boolean(),
    isPausing: z.boolean(),
    ofRun: z
      .number()
      .int()
      .nullable()
      .describe("The run whose differences this one mends: by a resync, or by handing on as deleted what the source has no more"),
    startedBy: z.string().nullable().describe("Null: its schedule"),
    reason: z.string().nullable().describe("Given by whoever started it"),
    total: z.number().int().nullable(),
    done: z.number().int(),
    accepted: z.number().int(),
    unchanged: z.number().int(),
    rejected: z.number().int(),
    differing: z.number().int().describe("Of a reconciliation or a look for deletions: the differences found"),
    fault: z.string().nullable(),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof Run>;

/** Why a run failed, with its name where it has one. */
export const RunFailure = Failure.extend({ line: z.number().int().optional().describe("Of the imported file") }).meta({ id: "RunFailure" });
export type RunFailure = z.infer<typeof RunFailure>;

const RunDetails = Run.extend({
  file: z
    .object({
      name: z.string(),
      format: z.enum(["csv", "ndjson", "xml"]),
      element: z.string(),
      mapping: z.record(z.string(), z.string()),
      hasRejectedRows: z.boolean().describe("Whether its rows that did not fit can be had as a file"),
    })
    .nullable()
    .describe("Of an import: its file, and how that was read"),
  failure: RunFailure.nullable().describe("What `fault` says, for whoever tells it in another language"),
}).meta({ id: "RunDetails" });

export const RunLine = z
  .object({
    id: z.string(),
    at: z.string(),
    level: z.enum(["info", "warning", "error"]),
    text: z.string(),
    line: z.number().int().optional().describe("Of the imported file"),
    faults: z.array(Fault).describe("What `text` says, each with its name where it has one, for whoever tells it in another language"),
  })
  .meta({ id: "RunLine" });
export type RunLine = z.infer<typeof RunLine>;

const scheduleParams = tenantParams.extend({ scheduleId: RecordIdText });
export const scheduleRoutes = {
  listSchedules: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/schedules",
    permission: "read",
    summary: "What is done when, and how the last run went",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: { 200: z.object({ items: z.array(Schedule) }) },
  }),
  createSchedule: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/schedules",
    permission: "configure",
    summary:
      "Poll a source or look for what it deleted, compare or send to a target anew, or export one entity type, by cron or by interval",
    params: tenantParams,
    body: z
      .strictObject({ kind: ScheduleKind.default("poll"), ...what, ...timing })
      .refine(isOneTiming, reasons["timing-one"])
      .refine(isOfOne, ofOne),
    hasETag: true,
    responses: { 201: Schedule },
  }),
  updateSchedule: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/schedules/:scheduleId",
    permission: "configure",
    summary: "Change a schedule's time, switch it on or off, or begin from the start",
    params: scheduleParams,
    body: z.strictObject({
      cron: Cron.optional(),
      everySeconds: EverySeconds.optional(),
      isActive: z.boolean().optional(),
      fromStart: z.literal(true).optional().describe("Forgets where the last page ended"),
    }),
    hasETag: true,
    takesIfMatch: true,
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
  restoreSchedule: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/schedules/:scheduleId/restore",
    permission: "configure",
    summary: "Bring back a removed schedule: it goes on from its place, at its next time",
    params: scheduleParams,
    hasETag: true,
    responses: { 200: Schedule },
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
    query: z.object({
      ...pageQuery,
      subtenant: Code.optional(),
      schedule: RecordIdText.optional(),
      state: RunState.optional(),
      rejected: Rejected.optional().describe("Of what the run read so far"),
    }),
    responses: { 200: pageOf(Run) },
  }),
  createRun: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/runs",
    permission: "operate",
    summary: "Compare a target, send to it anew, look for what a source deleted, or export an entity type, now and once",
    description:
      "A resync publishes the objects named by `keys`, or all of the type, through the target's queue and at its pace. One reconciliation and one resync are open per target and entity type. Deletions are looked for by asking a source for all its items; what is known from it and not among them is listed, and handed on as deleted only when somebody says so (`fixes`).",
    params: tenantParams,
    body: z
      .strictObject({
        kind: z.enum(["reconciliation", "resync", "deletions", "export"]),
        ...what,
        keys: z.array(BusinessKey).min(1).max(10_000).optional().describe("Of a resync: business keys"),
        reason: z.string().trim().max(500).optional().describe("Shown with the run, and kept in the audit log"),
        isFromToolbox: z.boolean().default(false).describe("Whether the toolbox's history shall have it"),
      })
      .refine(isOfOne, ofOne),
    responses: { 201: Run },
  }),
  getRun: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/runs/:runId",
    permission: "read",
    summary: "One run with its progress",
    params: runParams,
    responses: { 200: RunDetails },
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
    summary: "End a run at once, giving up what it waits for; what was taken stays",
    params: runParams,
    responses: { 200: Run },
  }),
  pauseRun: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/pause",
    permission: "operate",
    summary: "Put a run aside after the page in hand; it can be resumed",
    params: runParams,
    responses: { 200: Run },
  }),
  resumeRun: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/runs/:runId/resume",
    permission: "operate",
    summary: "Let a paused run go on where it was",
    params: runParams,
    responses: { 200: Run },
  }),
};
