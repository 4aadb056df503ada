import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { messageColumns, operationResult } from "./messages.ts";
import { Code, MessageIds, RecordId, listOf, pageOf, pageQuery, tenantParams } from "./paging.ts";

export const RetryQueueItem = z
  .object({
    ...messageColumns,
    nextAttemptAt: z.string(),
    errorClass: z.string().nullable(),
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
    body: z.object({ ids: MessageIds }),
    responses: { 200: z.object(operationResult) },
  }),
};
