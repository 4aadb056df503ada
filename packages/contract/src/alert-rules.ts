import { z } from "zod";
import { AlertKind } from "./alerts.ts";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import { RecordId, RecordIdText, tenantParams } from "./fields.ts";
import type { Permission } from "./permissions.ts";

const fields = {
  threshold: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .describe("Dead letters; minutes of age; messages that would have come; hours without shipment or stock; tenants of an outage"),
  windowSeconds: z.number().int().min(60).max(86_400).describe("Of dead-letters-rising: the time in which so many died"),
  forSeconds: z.number().int().min(0).max(86_400).describe("The condition holds for so long before it is an alert"),
  recoverSeconds: z.number().int().min(0).max(86_400).describe("It is over for so long before the alert is"),
  subtenantCode: z.string().nullable().describe("Null: all"),
  queueId: RecordId.nullable().describe("Null: all"),
  entityType: EntityType.nullable().describe("Of silence; null: all"),
  ownerId: RecordId.nullable().describe("Whose the alerts are at first"),
  channelIds: z.array(RecordId).max(50).nullable().describe("Null: all channels"),
  isActive: z.boolean(),
};

export const AlertRule = z
  .object({ id: z.number().int(), kind: AlertKind, ...fields, openCount: z.number().int(), version: z.number().int() })
  .meta({ id: "AlertRule" });
export type AlertRule = z.infer<typeof AlertRule>;

const Changes = z.strictObject(fields).partial();
export type RuleChanges = z.infer<typeof Changes>;

export function alertRuleRoutesAt(isOfTenant: boolean, may: Record<"read" | "configure", Permission>) {
  const prefix = isOfTenant ? "/api/v1/tenants/:tenantCode" : "/api/v1/installation";
  const place = { ...(isOfTenant && tenantParams.shape) };
  return {
    list: defineRoute({
      method: "GET",
      path: `${prefix}/alert-rules`,
      permission: may.read,
      summary: "What is watched for",
      params: z.object(place),
      responses: { 200: z.object({ items: z.array(AlertRule) }) },
    }),
    update: defineRoute({
      method: "PATCH",
      path: `${prefix}/alert-rules/:ruleId`,
      permission: may.configure,
      summary: "Change a rule, or switch it on or off; switched off, its open alerts recover",
      params: z.object({ ...place, ruleId: RecordIdText }),
      body: Changes,
      hasETag: true,
      takesIfMatch: true,
      responses: { 200: AlertRule },
    }),
  };
}

const ofTenant = alertRuleRoutesAt(true, { read: "read", configure: "configure" });
const ofInstallation = alertRuleRoutesAt(false, { read: "administer", configure: "administer" });

export const alertRuleRoutes = {
  listAlertRules: ofTenant.list,
  updateAlertRule: ofTenant.update,
  listInstallationAlertRules: ofInstallation.list,
  updateInstallationAlertRule: ofInstallation.update,
  createAlertRule: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/alert-rules",
    permission: "configure",
    summary: "Watch for something more",
    params: tenantParams,
    body: Changes.extend({ kind: AlertKind.exclude(["outage"]), threshold: fields.threshold }),
    responses: { 201: AlertRule },
  }),
  removeAlertRule: defineRoute({
    method: "DELETE",
    path: "/api/v1/tenants/:tenantCode/alert-rules/:ruleId",
    permission: "configure",
    summary: "Remove a rule; its alerts stay in the history",
    params: tenantParams.extend({ ruleId: RecordIdText }),
    responses: { 204: z.undefined() },
  }),
};
