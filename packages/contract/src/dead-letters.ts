import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { messageColumns } from "./messages.ts";
import { Code, MessageIds, RecordId, listOf, pageOf, pageQuery, tenantParams } from "./paging.ts";

export const DeadLetter = z
  .object({
    ...messageColumns,
    publishedAt: z.string(),
    deadAt: z.string(),
    errorClass: z.string().nullable(),
    fingerprint: z.string().nullable(),
  })
  .meta({ id: "DeadLetter" });
export type DeadLetter = z.infer<typeof DeadLetter>;

/** Dead letters that died of the same error. */
export const DeadLetterGroup = z
  .object({
    fingerprint: z.string(),
    errorClass: z.string().nullable(),
    error: z.string().nullable(),
    queueIds: z.array(z.number().int()),
    count: z.number().int(),
    firstAt: z.string(),
    lastAt: z.string(),
  })
  .meta({ id: "DeadLetterGroup" });
export type DeadLetterGroup = z.infer<typeof DeadLetterGroup>;

const filter = { subtenant: Code.optional(), queueId: listOf(RecordId), fingerprint: z.string().max(200).optional() };

/** Either ids, or one error's whole group. */
export const DeadLetterSelection = z.union([
  z.strictObject({ ids: MessageIds }),
  z.strictObject({ fingerprint: z.string().min(1).max(200) }),
]);

export const deadLetterRoutes = {
  listDeadLetters: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letters",
    permission: "read",
    summary: "Dead letters, newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...filter }),
    responses: { 200: pageOf(DeadLetter) },
  }),
  listDeadLetterGroups: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/dead-letter-groups",
    permission: "read",
    summary: "Dead letters grouped by error",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional(), queueId: listOf(RecordId) }),
    responses: { 200: z.object({ items: z.array(DeadLetterGroup) }) },
  }),
  requeueDeadLetters: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/dead-letters/requeue",
    permission: "operate",
    summary: "Deliver dead letters again, with a fresh count of attempts; at most 1,000 a call",
    params: tenantParams,
    body: DeadLetterSelection,
    responses: { 200: z.object({ ids: z.array(z.string()), hasMore: z.boolean() }) },
  }),
  removeDeadLetters: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/dead-letters/remove",
    permission: "operate",
    summary: "Remove dead letters; they can be restored until the retention period ends; at most 1,000 a call",
    params: tenantParams,
    body: DeadLetterSelection,
    responses: { 200: z.object({ ids: z.array(z.string()), hasMore: z.boolean() }) },
  }),
};
