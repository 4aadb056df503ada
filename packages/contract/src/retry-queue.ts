import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { listFilter, messageColumns, operationResult, scanSearch } from "./messages.ts";
import { MessageIds, tenantParams } from "./fields.ts";
import { pageOf, pageQuery, scanAnswer } from "./paging.ts";

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
    summary: "Messages that wait for their next attempt, the next due first; found by a search, the newest first",
    params: tenantParams,
    query: z.object({ ...pageQuery, ...listFilter }),
    responses: { 200: pageOf(RetryQueueItem) },
  }),
  scanRetryQueue: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/retry-queue-scan",
    permission: "read",
    summary: "Messages of the retry queue that a slow filter matches, the newest first, as they are found",
    ...scanAnswer,
    params: tenantParams,
    query: z.object({ ...pageQuery, ...listFilter, ...scanSearch }),
    responses: { 200: z.string() },
  }),
  retryNow: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/retry-queue/retry-now",
    permission: "operate",
    summary: "Try these messages again at once",
    params: tenantParams,
    body: z.strictObject({ ids: MessageIds }),
    responses: { 200: z.object(operationResult) },
  }),
};
