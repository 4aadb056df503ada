import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { MessageState } from "./messages.ts";
import { MessageId, fromText, jobParams } from "./fields.ts";
import { pageOf } from "./paging.ts";

/** Why a message cannot go to another target. */
export const RedirectFault = z.enum(["same-queue", "target-closed", "entity-type", "subtenant", "environment", "origin", "mapping"]);
export type RedirectFault = z.infer<typeof RedirectFault>;

/** `gone`: it does not wait any more; `superseded`: newer data of the same object has come, there or here. Both are left alone. */
export const RedirectVerdict = z.enum(["fits", "superseded", "gone", ...RedirectFault.options]);
export type RedirectVerdict = z.infer<typeof RedirectVerdict>;

/** What a redirect would make of one message. */
export const RedirectedMessage = z
  .object({
    messageId: z.string(),
    key: z.string().nullable().describe("Null when the message's retention has ended"),
    queueName: z.string(),
    verdict: RedirectVerdict,
    state: MessageState.nullable().describe("Of one that is gone: what became of it"),
    missing: z.string().nullable().describe("With `mapping`: the fields and values that the target lacks a mapping of"),
  })
  .meta({ id: "RedirectedMessage" });
export type RedirectedMessage = z.infer<typeof RedirectedMessage>;

export const RedirectCounts = z
  .object({
    counts: z.partialRecord(RedirectVerdict, z.number().int()),
    isExact: z.boolean().describe("False: of the first 10,000 messages only"),
  })
  .meta({ id: "RedirectCounts" });
export type RedirectCounts = z.infer<typeof RedirectCounts>;

export const redirectRoutes = {
  dryRunRedirect: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/redirect-dry-run",
    permission: "operate",
    summary: "Which messages of a counted redirect would go, and why others would not, one by one; changes nothing",
    params: jobParams,
    query: z.object({
      cursor: MessageId.optional(),
      limit: fromText(z.number().int().min(1).max(200)).prefault(50),
      verdict: RedirectVerdict.optional(),
    }),
    responses: { 200: pageOf(RedirectedMessage) },
  }),
  countRedirect: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/jobs/:jobId/redirect-dry-run-count",
    permission: "operate",
    summary: "How many messages of a counted redirect would go, and how many would not for which reason",
    params: jobParams,
    responses: { 200: RedirectCounts },
  }),
};
