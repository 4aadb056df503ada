import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, MessageId, RecordId, listOf, pageOf, pageQuery, tenantParams } from "./paging.ts";

export const RetryQueueItem = z
  .object({
    id: z.string(),
    queueId: z.number().int(),
    queueName: z.string(),
    integrationPointId: z.number().int(),
    subtenantCode: z.string().nullable(),
    key: z.string(),
    entityType: z.string(),
    attempts: z.number().int(),
    nextAttemptAt: z.string(),
    errorClass: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "RetryQueueItem" });
export type RetryQueueItem = z.infer<typeof RetryQueueItem>;

export const retryQueueRoutes = {
  listRetryQueue: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/retry-queue",
    permission: "read",
    summary: "Messages that wait for their next attempt, the next due first",
    params: tenantParams,
    query: z.object({ ...pageQuery, subtenant: Code.optional(), queueId: listOf(RecordId) }),
    responses: { 200: pageOf(RetryQueueItem) },
  }),
  retryNow: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/retry-queue/retry-now",
    permission: "operate",
    summary: "Try these messages again at once",
    params: tenantParams,
    body: z.object({ ids: z.array(MessageId).min(1).max(1000) }),
    responses: { 200: z.object({ ids: z.array(z.string()) }) },
  }),
};
