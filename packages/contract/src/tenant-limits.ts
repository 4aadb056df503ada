import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { fromText, tenantParams } from "./fields.ts";
import { CappedCount } from "./paging.ts";

const WholeDays = z.number().int().min(1);
const Days = WholeDays.nullable().describe("Null: as long as the installation keeps it");

const limits = {
  historyDays: Days.describe("Finished messages with their documents, and replaced versions of objects. Null: as the installation"),
  attemptDays: Days.describe("Attempts with what was sent and answered. Null: as the history"),
  rawMessageDays: Days.describe("External messages as they came. Null: as the installation"),
  removedDays: Days.describe("What was removed and can be restored. Null: as the installation"),
  runDays: Days.describe("Runs with their logs, differences and exported files. Null: as the installation"),
  messageBytes: z.number().int().min(1024).nullable().describe("The largest message that is taken. Null: as the installation"),
};

export const TenantLimits = z
  .object({
    ...limits,
    bounds: z
      .object({ days: z.number().int(), messageBytes: z.number().int() })
      .describe("What the installation has, and nobody can exceed"),
    version: z.number().int().describe("0: nothing was ever set"),
  })
  .meta({ id: "TenantLimits" });
export type TenantLimits = z.infer<typeof TenantLimits>;

export const UsageCategory = z.enum(["messages", "attempts", "rawMessages", "removed", "runs", "versions"]);
export type UsageCategory = z.infer<typeof UsageCategory>;

export const TenantUsage = z
  .object({
    category: UsageCategory,
    rows: z.number().int(),
    isExact: z.boolean().describe("False: there are more than were counted, and `bytes` is of those counted"),
    bytes: z.number().int().describe("By the size of the newest thousand rows, without indexes"),
    rowsPerDay: z.number().int().describe("Of the last 24 hours"),
    bytesPerDay: z.number().int(),
  })
  .meta({ id: "TenantUsage" });
export type TenantUsage = z.infer<typeof TenantUsage>;

/** What would be too old under other limits, and is not under those that hold. */
export const ExpiredCount = z
  .object({
    category: UsageCategory,
    before: z.string().describe("What was finished, received, removed or replaced before this time would go"),
  })
  .extend(CappedCount.shape)
  .meta({ id: "ExpiredCount" });
export type ExpiredCount = z.infer<typeof ExpiredCount>;

const DaysText = fromText(WholeDays).optional();

export const tenantLimitRoutes = {
  getTenantLimits: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/limits",
    permission: "read",
    summary: "How long the tenant's things stay and how large a message may be",
    params: tenantParams,
    responses: { 200: TenantLimits },
  }),
  updateTenantLimits: defineRoute({
    method: "PUT",
    path: "/api/v1/tenants/:tenantCode/limits",
    permission: "configure",
    summary: "Keep the tenant's things for a shorter time, or take smaller messages only; within the installation's bounds",
    description: "What is older goes within the hour. A longer time brings nothing back.",
    params: tenantParams,
    body: z.strictObject({ ...limits, version: z.number().int().describe("The one that was shown; 0 when nothing was ever set") }),
    responses: { 200: TenantLimits },
  }),
  getExpired: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/limits/expired",
    permission: "read",
    summary: "How much would go if the tenant's things stayed for these days only",
    description: "Days that are left out are the installation's. Only what loses something is listed.",
    params: tenantParams,
    query: z.object({ historyDays: DaysText, attemptDays: DaysText, rawMessageDays: DaysText, removedDays: DaysText, runDays: DaysText }),
    responses: { 200: z.object({ items: z.array(ExpiredCount) }) },
  }),
  getTenantUsage: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/usage",
    permission: "read",
    summary: "What the tenant's things take up now, and what a day adds",
    params: tenantParams,
    responses: { 200: z.object({ items: z.array(TenantUsage) }) },
  }),
};
