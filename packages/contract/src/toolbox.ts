import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { Fault } from "./errors.ts";
import { ConnectionTest } from "./integration-points.ts";
import { JobState } from "./jobs.ts";
import { MessageState } from "./messages.ts";
import { MessageId, RecordId, keyFilter, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { RunState } from "./schedules.ts";

/** What the toolbox offers. The last six are carried out by routes of their own, which note it here. */
export const ToolboxOperation = z.enum([
  "fetch-next",
  "resend",
  "publish-test",
  "validate",
  "test-connection",
  "rebuild-external-items",
  "redrive",
  "retry-now",
  "purge",
  "restore",
  "resync",
  "reconcile",
]);
export type ToolboxOperation = z.infer<typeof ToolboxOperation>;

const handedIn = {
  integrationPointId: RecordId.describe("A source: where the message would have come in"),
  entityType: EntityType.optional().describe("Left out: the connector finds it out, as for a webhook. Needed for canonical documents"),
  payload: z.string().min(1).max(400_000),
  isCanonical: z.boolean().default(true).describe("False: as the source system writes it"),
};

const leaseSeconds = z.number().int().min(5).max(3_600).default(300);

export const ToolboxRequest = z.discriminatedUnion("operation", [
  z.strictObject({
    operation: z.literal("fetch-next"),
    queueId: RecordId,
    isDryRun: z.boolean().default(true).describe("Only look: nothing is leased"),
    leaseSeconds,
  }),
  z.strictObject({ operation: z.literal("resend"), messageId: MessageId, isDryRun: z.boolean().default(true), leaseSeconds }),
  z.strictObject({ operation: z.literal("publish-test"), ...handedIn, isDryRun: z.boolean().default(true) }),
  z.strictObject({ operation: z.literal("validate"), ...handedIn }),
  z.strictObject({ operation: z.literal("test-connection"), integrationPointId: RecordId }),
  z.strictObject({
    operation: z.literal("rebuild-external-items"),
    integrationPointId: RecordId.describe("A target"),
    entityType: EntityType,
    keyPrefix: keyFilter.keyPrefix,
    isDryRun: z.boolean().default(true).describe("Only count what would be rebuilt"),
  }),
]);
export type ToolboxRequest = z.infer<typeof ToolboxRequest>;

const FetchedMessage = z.object({
  id: z.string(),
  key: z.string(),
  entityType: z.string(),
  queueId: z.number().int(),
  document: z.string().describe("JSON text, personal values masked; of a pull queue in the words that the mappings have for the target"),
  attempt: z.number().int(),
  publishedAt: z.string(),
});

/** Held for the operator, who settles it by the gateway's paths or lets the lease run out. */
const HeldLease = z.object({ token: z.string(), until: z.string() });

const HandedDocument = z.object({
  entityType: EntityType,
  key: z.string(),
  document: z.string().describe("Canonical JSON text, personal values masked"),
  targets: z.array(
    z.object({
      integrationPointId: z.number().int(),
      name: z.string(),
      queueName: z.string(),
      error: z
        .string()
        .nullable()
        .describe("Why it could not be delivered as things stand: a mapping that is missing, a value that does not fit"),
      request: z
        .object({ method: z.string(), url: z.string(), body: z.string().nullable() })
        .nullable()
        .describe("The delivery's first request; of a target that is pulled from the worker's, with the document that it is handed"),
    }),
  ),
});
export type HandedDocument = z.infer<typeof HandedDocument>;

export const ToolboxResult = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("message"), message: FetchedMessage.nullable(), lease: HeldLease.nullable() }),
  z.object({
    kind: z.literal("resent"),
    way: z.enum(["leased", "requeued", "retried", "restored", "copied"]).describe("What is, or of a dry run would be, done with it"),
    state: MessageState.describe("Which it was in"),
    messageId: z.string().describe("The message that is on its way: itself, or its copy"),
    message: FetchedMessage.nullable(),
    lease: HeldLease.nullable(),
  }),
  z.object({
    kind: z.literal("handed-in"),
    state: z.enum(["accepted", "unchanged", "rejected", "ignored"]),
    reasons: z.array(Fault),
    documents: z.array(HandedDocument).describe("The first 20"),
    externalMessageId: z.string().nullable(),
    messageIds: z.array(z.string()),
  }),
  z.object({ kind: z.literal("connection"), test: ConnectionTest }),
  z.object({ kind: z.literal("run"), runId: z.number().int() }),
]);
export type ToolboxResult = z.infer<typeof ToolboxResult>;

/** One use of the toolbox, as its history keeps it. */
export const ToolboxRun = z
  .object({
    id: z.number().int(),
    operation: ToolboxOperation,
    parameters: z.record(z.string(), z.unknown()).describe("Secrets and personal values masked, long texts cut"),
    isDryRun: z.boolean(),
    result: z.record(z.string(), z.unknown()).nullable().describe("What came of it, without documents"),
    job: z
      .object({
        id: z.number().int(),
        state: JobState,
        total: z.number().int(),
        done: z.number().int(),
        skipped: z.number().int(),
        failed: z.number().int(),
      })
      .nullable(),
    run: z
      .object({
        id: z.number().int(),
        state: RunState,
        done: z.number().int(),
        accepted: z.number().int(),
        unchanged: z.number().int(),
        rejected: z.number().int(),
        differing: z.number().int(),
        fault: z.string().nullable(),
      })
      .nullable(),
    startedBy: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: "ToolboxRun" });
export type ToolboxRun = z.infer<typeof ToolboxRun>;

export const toolboxRoutes = {
  listToolboxRuns: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/toolbox-runs",
    permission: "read",
    summary: "What was run from the toolbox, by whom and with what result, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, operation: ToolboxOperation.optional() }),
    responses: { 200: pageOf(ToolboxRun) },
  }),
  runOperation: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/toolbox-runs",
    permission: "operate",
    summary: "Run an operation of the toolbox, or with `isDryRun` only say what it would do",
    params: tenantParams,
    body: ToolboxRequest,
    responses: { 201: z.object({ id: z.number().int(), result: ToolboxResult }).meta({ id: "ToolboxOutcome" }) },
  }),
};
