import { z } from "zod";
import { EntityType } from "./canonical/index.ts";
import { defineRoute } from "./define-route.ts";
import type { Permission } from "./permissions.ts";
import { Code, RecordId, RecordIdText, Time, listOf, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { CircuitFault } from "./queues.ts";
import { reasons } from "./reasons.ts";
import { RunFailure } from "./schedules.ts";

/** `outage` is the installation's: one target that doesn't answer, of however many tenants. */
export const AlertKind = z.enum([
  "dead-letters",
  "dead-letters-rising",
  "queue-age",
  "circuit-open",
  "job-failed",
  "silence",
  "order-unshipped",
  "stock-stale",
  "outage",
]);
export type AlertKind = z.infer<typeof AlertKind>;

export const AlertState = z.enum(["firing", "acknowledged", "snoozed", "recovered"]);
export type AlertState = z.infer<typeof AlertState>;

const Named = z.object({ code: z.string(), name: z.string() });
const Person = z.object({ id: z.number().int(), name: z.string() });

/** What there is to say besides the figure; which of these depends on the kind. */
export const AlertDetails = z.object({
  name: z.string().optional().describe("Of the queue, target, job or order"),
  points: z.array(z.string()).optional().describe("Names of the integration points that deliver to the target"),
  tenants: z.array(Named).optional().describe("Whom an outage reaches"),
  pointId: z.number().int().optional().describe("Of the only one of these points"),
  circuitFault: CircuitFault.optional().describe("How the target fails"),
  waiting: z.number().int().optional(),
  oldest: z.string().optional().describe("Since when the oldest waits, the stream is silent, the order awaits its goods"),
  entityType: EntityType.optional(),
  usualPerHour: z.number().optional(),
  runId: z.number().int().optional(),
  jobId: z.number().int().optional(),
  fault: z.string().optional(),
  failure: RunFailure.optional().describe("What `fault` says, for whoever tells it in another language"),
});
export type AlertDetails = z.infer<typeof AlertDetails>;

/** A condition that needs a person. One is open per rule and object, whatever comes and goes meanwhile. */
export const Alert = z
  .object({
    id: z.number().int(),
    ruleId: z.number().int(),
    kind: AlertKind,
    state: AlertState,
    isQuiet: z.boolean().describe("The condition is over, but not for long enough to say so"),
    subtenant: Named.nullable(),
    queueId: z.number().int().nullable(),
    value: z.number().describe("What the rule's threshold is about: dead letters, minutes, messages missed, hours, tenants"),
    threshold: z.number().int(),
    details: AlertDetails,
    since: z.string().describe("When the condition began"),
    firedAt: z.string(),
    recoveredAt: z.string().nullable(),
    snoozedUntil: z.string().nullable(),
    owner: Person.nullable(),
    version: z.number().int(),
  })
  .meta({ id: "Alert" });
export type Alert = z.infer<typeof Alert>;

export const AlertEvent = z
  .object({
    id: z.string(),
    at: z.string(),
    kind: z.enum(["fired", "woken", "recovered", "acknowledged", "snoozed", "reopened", "assigned"]),
    actorName: z.string().nullable().describe("Null: the watch itself"),
    detail: z.string().nullable().describe("Until when it was snoozed, to whom it was given"),
  })
  .meta({ id: "AlertEvent" });
export type AlertEvent = z.infer<typeof AlertEvent>;

/** What the notifications popover lists: that something fired, fires still after a snooze, or is over. */
export const Notification = z
  .object({ id: z.string(), at: z.string(), kind: z.enum(["fired", "woken", "recovered"]), alert: Alert })
  .meta({ id: "Notification" });
export type Notification = z.infer<typeof Notification>;

const EventId = z.string().regex(/^[0-9]{1,18}$/);

/** Which alert of many was left as it is. */
export const SkippedAlert = z
  .object({ id: z.string(), state: AlertState.nullable().describe("What it is by now; null: there is no such alert") })
  .meta({ id: "SkippedAlert" });
export type SkippedAlert = z.infer<typeof SkippedAlert>;

/** The same routes for a tenant and for the installation itself, whose alerts are about several tenants. */
export function alertRoutesAt(isOfTenant: boolean, may: Record<"read" | "operate", Permission>) {
  const prefix = isOfTenant ? "/api/v1/tenants/:tenantCode" : "/api/v1/installation";
  const place = { ...(isOfTenant && tenantParams.shape) };
  const params = z.object(place);
  const alertParams = z.object({ ...place, alertId: RecordIdText });
  return {
    list: defineRoute({
      method: "GET",
      path: `${prefix}/alerts`,
      permission: may.read,
      summary: "Alerts, newest first",
      params,
      query: z.object({
        ...pageQuery,
        state: listOf(AlertState),
        kind: AlertKind.optional(),
        subtenant: Code.optional(),
        owner: RecordIdText.optional(),
        from: Time.optional().describe("Fired at or after it"),
        to: Time.optional().describe("Fired before it"),
      }),
      responses: { 200: pageOf(Alert).extend({ openCount: z.number().int().describe("Firing ones of all; at most 1,000") }) },
    }),
    get: defineRoute({
      method: "GET",
      path: `${prefix}/alerts/:alertId`,
      permission: may.read,
      summary: "One alert with its history",
      params: alertParams,
      hasETag: true,
      responses: { 200: Alert.extend({ events: z.array(AlertEvent) }).meta({ id: "AlertWithHistory" }) },
    }),
    update: defineRoute({
      method: "PATCH",
      path: `${prefix}/alerts/:alertId`,
      permission: may.operate,
      summary: "Acknowledge, snooze or reopen an alert, or give it to somebody",
      description:
        "`snoozed` wants `snoozedUntil`, in the future. Who acknowledges an alert without an owner owns it until it is reopened. One that has recovered stays as it is: conflict.",
      params: alertParams,
      body: z
        .strictObject({
          state: z.enum(["firing", "acknowledged", "snoozed"]).optional(),
          snoozedUntil: Time.optional(),
          ownerId: RecordId.nullable().optional(),
        })
        .refine(({ state, snoozedUntil }) => (state === "snoozed") === (snoozedUntil !== undefined), reasons["snoozed-until"]),
      hasETag: true,
      takesIfMatch: true,
      responses: { 200: Alert },
    }),
    updateMany: defineRoute({
      method: "POST",
      path: `${prefix}/alerts/update`,
      permission: may.operate,
      summary: "Acknowledge or reopen many alerts, or give them to somebody",
      description:
        "Only what fires is acknowledged, only what is acknowledged or snoozed is reopened, and what has recovered stays as it is. `ids` names those that were changed, `skipped` all others.",
      params,
      body: z.strictObject({
        ids: z.array(RecordId).min(1).max(1000),
        state: z.enum(["firing", "acknowledged"]).optional(),
        ownerId: RecordId.nullable().optional(),
      }),
      responses: { 200: z.object({ ids: z.array(z.number().int()), skipped: z.array(SkippedAlert) }) },
    }),
    listNotifications: defineRoute({
      method: "GET",
      path: `${prefix}/notifications`,
      permission: may.read,
      summary: "What fired and what is over, newest first, and how much of it the caller has not read",
      params,
      query: z.object({ limit: pageQuery.limit }),
      responses: {
        200: z.object({
          items: z.array(Notification),
          readUpTo: z.string(),
          unreadCount: z.number().int().describe("At most 100"),
        }),
      },
    }),
    markNotificationsRead: defineRoute({
      method: "PUT",
      path: `${prefix}/notifications/read`,
      permission: may.read,
      changes: false,
      summary: "Remember up to which notification the caller has read; never goes back",
      params,
      body: z.strictObject({ upTo: EventId }),
      responses: { 204: z.undefined() },
    }),
  };
}

/** What a subtenant usually gets of one entity type, and since when nothing came. */
export const Stream = z
  .object({
    subtenantCode: z.string(),
    entityType: EntityType,
    lastAt: z.string(),
    usualPerHour: z.number().describe("At this time of the week, of the last weeks"),
    missed: z.number().describe("Messages that would have come since"),
    isSilent: z.boolean(),
  })
  .meta({ id: "Stream" });
export type Stream = z.infer<typeof Stream>;

export const OldestOrder = z.object({ subtenantCode: z.string(), orderNumber: z.string(), orderedAt: z.string(), open: z.number().int() });
export type OldestOrder = z.infer<typeof OldestOrder>;

export const Delays = z
  .object({
    streams: z.array(Stream),
    orders: z.array(OldestOrder).describe("Of each subtenant the oldest order that has not been shipped; `open`: how many there are"),
    stock: z.array(z.object({ subtenantCode: z.string(), receivedAt: z.string() })).describe("When stock figures came last"),
  })
  .meta({ id: "Delays" });
export type Delays = z.infer<typeof Delays>;

const ofTenant = alertRoutesAt(true, { read: "read", operate: "operate" });
const ofInstallation = alertRoutesAt(false, { read: "administer", operate: "administer" });

export const alertRoutes = {
  listAlerts: ofTenant.list,
  getAlert: ofTenant.get,
  updateAlert: ofTenant.update,
  updateAlerts: ofTenant.updateMany,
  listNotifications: ofTenant.listNotifications,
  markNotificationsRead: ofTenant.markNotificationsRead,
  listInstallationAlerts: ofInstallation.list,
  getInstallationAlert: ofInstallation.get,
  updateInstallationAlert: ofInstallation.update,
  updateInstallationAlerts: ofInstallation.updateMany,
  listInstallationNotifications: ofInstallation.listNotifications,
  markInstallationNotificationsRead: ofInstallation.markNotificationsRead,
  getDelays: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/delays",
    permission: "read",
    summary: "Streams and their usual pace, the oldest unshipped orders, the age of stock figures",
    params: tenantParams,
    query: z.object({ subtenant: Code.optional() }),
    responses: { 200: Delays },
  }),
};
