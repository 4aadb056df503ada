import { z } from "zod";
import { DocumentPatch, failureLimitDefault } from "./bulk-patch.ts";
import { defineRoute } from "./define-route.ts";
import { Fault } from "./errors.ts";
import { externalItemFilterInBody } from "./external-items.ts";
import { externalMessageFilterInBody } from "./external-messages.ts";
import { MessageState, messageFilterInBody } from "./messages.ts";
import { MessageId, RecordId, jobParams, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { reasons } from "./reasons.ts";
import { RedirectFault } from "./redirect.ts";

export const JobKind = z.enum(["retry-now", "requeue", "remove", "restore", "patch", "replay", "redirect"]);
export type JobKind = z.infer<typeof JobKind>;

/** What a job is about. */
export const JobSubject = z.enum(["messages", "external-messages", "external-items"]);
export type JobSubject = z.infer<typeof JobSubject>;

export const JobState = z.enum(["ready", "running", "paused", "done", "cancelled", "stopped"]);
export type JobState = z.infer<typeof JobState>;

/** The filters of the lists. */
const JobFilter = z.strictObject(messageFilterInBody);

/** Named messages, of these states if any are given, or all that match a filter but for some. */
export const JobSelection = z.union([
  z.strictObject({ ids: z.array(MessageId).min(1).max(10_000), state: z.array(MessageState).optional() }),
  z.strictObject({ filter: JobFilter, except: z.array(MessageId).max(10_000).optional() }),
]);
export type JobSelection = z.infer<typeof JobSelection>;

const RowIds = z.array(z.string().min(1).max(600)).max(10_000);
const externalSelection = <Filter extends z.ZodRawShape>(filter: Filter) =>
  z.union([z.strictObject({ ids: RowIds.min(1) }), z.strictObject({ filter: z.strictObject(filter), except: RowIds.optional() })]);

/** External messages or items for a bulk operation: named by the ids of their lists' rows, or all that match a filter but for some. */
export const ExternalJobRequest = z.discriminatedUnion("subject", [
  z.strictObject({
    subject: z.literal("external-messages"),
    kind: z.enum(["remove", "restore", "replay"]),
    selection: externalSelection(externalMessageFilterInBody),
  }),
  z.strictObject({
    subject: z.literal("external-items"),
    kind: z.enum(["remove", "restore"]),
    selection: externalSelection(externalItemFilterInBody),
  }),
]);
export type ExternalJobRequest = z.infer<typeof ExternalJobRequest>;

/** Above so many messages a job is confirmed by typing the tenant's code and giving a reason. */
export const unconfirmedMax = 100;
/** Messages of one job at most. */
export const jobItemsMax = 1_000_000;

export const Job = z
  .object({
    id: z.number().int(),
    subject: JobSubject,
    kind: JobKind,
    state: JobState.describe("`ready`: counted and not started; `stopped`: could not go on, see `fault`, and can be resumed"),
    total: z.number().int().describe("Messages selected, exact; they are the ones that were there when the job was created"),
    done: z.number().int(),
    skipped: z.number().int().describe("Left alone, as their state did not permit it any more"),
    failed: z.number().int(),
    inFlight: z.number().int().describe("Of a bulk patch: copies whose delivery is awaited"),
    patch: DocumentPatch.nullable().describe("Of a bulk patch, for those who may reveal masked values; null for the others"),
    stage: z
      .object({
        number: z.number().int().describe("From 1"),
        size: z.number().int().nullable().describe("Null: all that is left"),
        sent: z.number().int(),
        failed: z.number().int(),
      })
      .nullable()
      .describe("Of a bulk patch: each stage waits for the deliveries of the one before"),
    failureLimit: z.number().int().nullable().describe("Of a bulk patch: per cent of a stage's copies that may fail"),
    redirect: z
      .object({ queueId: z.number().int(), queueName: z.string(), integrationPointName: z.string() })
      .nullable()
      .describe("Of a redirect: where to; null of one that is taken back, as each copy returns to its message's queue"),
    isHalted: z.boolean().describe("Stopped by itself, as more failed; resuming accepts those failures and goes on"),
    mustConfirm: z.boolean().describe("Starting it takes the tenant's code and a reason"),
    perSecond: z.number().nullable(),
    secondsLeft: z.number().int().nullable().describe("At the present pace"),
    fault: z.string().nullable(),
    reason: z.string().nullable(),
    queueNames: z.array(z.string()).describe("Of its messages; none where it is about external messages or items"),
    filter: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        "What had to match, by the names of the list's filters, with the integration point's name and masked where documents were searched; null where each was named",
      ),
    createdByName: z.string(),
    stateBy: z.string().nullable().describe("Who started, paused, resumed or cancelled it last"),
    createdAt: z.string(),
    startedAt: z.string().nullable(),
    finishedAt: z.string().nullable(),
    undoOf: z.number().int().nullable().describe("The job whose work this one takes back"),
    undoneBy: z.number().int().nullable(),
    canResume: z.boolean().describe("It stands, or was cancelled with something left to do and not taken back"),
    canUndo: z.boolean(),
  })
  .meta({ id: "Job" });
export type Job = z.infer<typeof Job>;

export const JobOutcome = z.enum(["waiting", "sent", "done", "skipped", "failed"]);
export type JobOutcome = z.infer<typeof JobOutcome>;

export const JobItem = z
  .object({
    messageId: z.string().describe("Of a job about external items: the item's number in this job, or in the list of removed ones"),
    key: z.string().nullable().describe("Null when the message's retention has ended, or it has none"),
    queueName: z.string().nullable().describe("Null for what is in no queue: external messages and items"),
    outcome: JobOutcome,
    foundIn: MessageState.nullable().describe("Of a skipped one: the state it was found in; null when it was gone"),
    isUnchanged: z.boolean().describe("Skipped, as the patch found nothing to change"),
    unfit: RedirectFault.nullable().describe("Of a redirect: why it can't go to the target; `error` names the values that lack a mapping"),
    successorId: z.string().nullable().describe("The copy that a bulk patch or a redirect put in its place"),
    error: z.string().nullable(),
    faults: z.array(Fault).describe("What `error` says, each with its name where it has one, for whoever tells it in another language"),
  })
  .meta({ id: "JobItem" });
export type JobItem = z.infer<typeof JobItem>;

/** Of so many messages that a job changed it is counted what they are now, from the oldest on. */
export const jobStatesMax = 5_000;

/** Done is not arrived: what the messages of a job are by now. */
export const JobStates = z
  .object({
    counts: z.array(z.object({ state: MessageState, count: z.number().int() })),
    counted: z.number().int().describe("Of the messages that the job changed; those whose retention has ended are in no state"),
    isExact: z.boolean().describe("All that the job changed were counted; else there are at least so many"),
  })
  .meta({ id: "JobStates" });
export type JobStates = z.infer<typeof JobStates>;

export const jobRoutes = {
  listJobs: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs",
    permission: "read",
    summary: "Jobs that were started, newest first",
    params: tenantParams,
    query: z.object(pageQuery),
    responses: { 200: pageOf(Job) },
  }),
  createJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs",
    permission: "operate",
    changes: false,
    summary: "Select messages for a bulk operation and count them exactly; nothing is changed until it is started",
    description:
      "The messages selected are those of this moment whose state permits the operation: what is published or changes its state later is not touched. A job that is not started within an hour is dropped.",
    params: tenantParams,
    body: z
      .strictObject({
        kind: JobKind.exclude(["replay"]),
        selection: JobSelection,
        patch: DocumentPatch.optional().describe("Goes with the kind `patch`, and with no other"),
        failureLimit: z.number().int().min(0).max(100).default(failureLimitDefault).describe("Of the kind `patch`"),
        queueId: RecordId.optional().describe("Where to; goes with the kind `redirect`, and with no other"),
        isFromToolbox: z.boolean().default(false).describe("Whether the toolbox's history shall have it"),
      })
      .refine(({ kind, patch }) => (kind === "patch") === (patch !== undefined), {
        path: ["patch"],
        message: reasons["patch-kind"],
      })
      .refine(({ kind, queueId }) => (kind === "redirect") === (queueId !== undefined), {
        path: ["queueId"],
        message: reasons["redirect-kind"],
      }),
    responses: { 201: Job },
  }),
  createExternalJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/external-jobs",
    permission: "operate",
    changes: false,
    summary: "Select external messages or items for a bulk operation and count them exactly; nothing is changed until it is started",
    description: "The job is like those about messages: started, watched, paused, cancelled and taken back under /jobs.",
    params: tenantParams,
    body: ExternalJobRequest,
    responses: { 201: Job },
  }),
  getJob: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId",
    permission: "read",
    summary: "One job with its progress",
    params: jobParams,
    responses: { 200: Job },
  }),
  getJobStates: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/states",
    permission: "read",
    summary: "What the messages that a job changed are by now, such as delivered or dead again",
    description: `Of a job that put copies in their places, the copies. Counted are the first ${String(jobStatesMax)} that it changed. External messages and items are in no state.`,
    params: jobParams,
    responses: { 200: JobStates },
  }),
  listJobItems: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/items",
    permission: "read",
    summary: "The messages of a job, oldest first, and what became of each",
    params: jobParams,
    query: z.object({
      ...pageQuery,
      outcome: JobOutcome.optional(),
      state: MessageState.optional().describe("What it is by now, of those that the job's states count"),
    }),
    responses: { 200: pageOf(JobItem) },
  }),
  startJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/start",
    permission: "operate",
    summary: "Confirm a counted job: it runs from now on",
    params: jobParams,
    body: z.strictObject({
      total: z.number().int().describe("The count that was confirmed"),
      confirmation: z.string().max(100).optional().describe("The tenant's code, where `mustConfirm` asks for it"),
      reason: z.string().trim().min(1).max(500).optional().describe("Needed where `mustConfirm` is, and by a bulk patch or a redirect"),
    }),
    responses: { 200: Job },
  }),
  pauseJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/pause",
    permission: "operate",
    summary: "Stop a running job after the batch in hand; it can be resumed",
    params: jobParams,
    responses: { 200: Job },
  }),
  resumeJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/resume",
    permission: "operate",
    summary: "Let a paused, stopped or cancelled job go on where it was",
    params: jobParams,
    responses: { 200: Job },
  }),
  cancelJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/cancel",
    permission: "operate",
    summary: "End a job after the batch in hand; what was done stays done, and it can be resumed",
    params: jobParams,
    responses: { 200: Job },
  }),
  undoJob: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/undo",
    permission: "operate",
    summary:
      "Take back what an ended job did: a job that restores what it removed, removes what it restored, or redirects back what still waits",
    description: "Asked again, it answers the job that it made.",
    params: jobParams,
    responses: { 200: Job },
  }),
};
