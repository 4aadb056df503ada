import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Failure } from "./errors.ts";
import { HttpAddress } from "./http-address.ts";
import { Name, RecordId, RecordIdText, tenantParams } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";
import type { Permission } from "./permissions.ts";
import { reasons } from "./reasons.ts";

const Url = HttpAddress.max(2_000).describe("Who may not change channels sees its host alone, as a path may be a secret");

const DeliveryState = z.enum(["waiting", "sent", "failed"]);

/** Where alerts are told besides the notifications popover, which has them all. */
export const AlertChannel = z
  .object({
    id: z.number().int(),
    kind: z.enum(["email", "webhook"]),
    name: z.string(),
    isActive: z.boolean(),
    userIds: z
      .array(z.number().int())
      .describe("For e-mail: who is written to, each in their own language, as long as they may see the tenant"),
    url: z.string().nullable(),
    intervalSeconds: z.number().int().describe("What happens within it is told together"),
    hasTwoSecrets: z.boolean().describe("The secret before the rotation signs as well, for a day"),
    lastDelivery: z.object({ state: DeliveryState, at: z.string(), failure: Failure.nullable() }).nullable(),
    version: z.number().int(),
  })
  .meta({ id: "AlertChannel" });
export type AlertChannel = z.infer<typeof AlertChannel>;

export const AlertDelivery = z
  .object({
    id: z.number().int(),
    isTest: z.boolean(),
    alertIds: z.array(z.number().int()),
    recipients: z.number().int().nullable(),
    state: DeliveryState,
    attempts: z.number().int(),
    nextAt: z.string().nullable(),
    status: z.number().int().nullable().describe("HTTP status of the last answer"),
    failure: Failure.nullable().describe("Of the last attempt"),
    createdAt: z.string(),
    finishedAt: z.string().nullable(),
  })
  .meta({ id: "AlertDelivery" });
export type AlertDelivery = z.infer<typeof AlertDelivery>;

const WithSecret = AlertChannel.extend({
  secret: z.string().nullable().describe("Of webhooks, to verify their signature with; shown this once"),
}).meta({ id: "AlertChannelWithSecret" });

const fields = {
  name: Name,
  isActive: z.boolean(),
  userIds: z.array(RecordId).max(100),
  url: Url.optional(),
  intervalSeconds: z.number().int().min(0).max(86_400),
};

export function alertChannelRoutesAt(isOfTenant: boolean, may: Record<"read" | "configure", Permission>) {
  const prefix = isOfTenant ? "/api/v1/tenants/:tenantCode" : "/api/v1/installation";
  const place = { ...(isOfTenant && tenantParams.shape) };
  const params = z.object(place);
  const channelParams = z.object({ ...place, channelId: RecordIdText });
  return {
    list: defineRoute({
      method: "GET",
      path: `${prefix}/alert-channels`,
      permission: may.read,
      summary: "Where alerts are told",
      params,
      responses: { 200: z.object({ items: z.array(AlertChannel) }) },
    }),
    create: defineRoute({
      method: "POST",
      path: `${prefix}/alert-channels`,
      permission: may.configure,
      summary: "Tell alerts by e-mail or by webhook",
      params,
      body: z
        .strictObject({ kind: AlertChannel.shape.kind, ...fields })
        .partial({ isActive: true, userIds: true, url: true, intervalSeconds: true })
        .refine(({ kind, url }) => (kind === "webhook") === (url !== undefined), reasons["channel-address"]),
      responses: { 201: WithSecret },
    }),
    update: defineRoute({
      method: "PATCH",
      path: `${prefix}/alert-channels/:channelId`,
      permission: may.configure,
      summary: "Change a channel, or switch it on or off",
      params: channelParams,
      body: z.strictObject(fields).partial(),
      hasETag: true,
      takesIfMatch: true,
      responses: { 200: AlertChannel },
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${prefix}/alert-channels/:channelId`,
      permission: may.configure,
      summary: "Remove a channel; what waits for it is not sent",
      params: channelParams,
      responses: { 204: z.undefined() },
    }),
    rotate: defineRoute({
      method: "POST",
      path: `${prefix}/alert-channels/:channelId/rotate`,
      permission: may.configure,
      summary: "Make a new secret; for a day both sign",
      params: channelParams,
      responses: { 200: WithSecret },
    }),
    test: defineRoute({
      method: "POST",
      path: `${prefix}/alert-channels/:channelId/test`,
      permission: may.configure,
      summary: "Tell the channel something now, and answer how that went",
      params: channelParams,
      responses: { 200: AlertDelivery },
    }),
    listDeliveries: defineRoute({
      method: "GET",
      path: `${prefix}/alert-channels/:channelId/deliveries`,
      permission: may.read,
      summary: "What a channel was told, newest first",
      params: channelParams,
      query: z.object(pageQuery),
      responses: { 200: pageOf(AlertDelivery) },
    }),
  };
}

const ofTenant = alertChannelRoutesAt(true, { read: "read", configure: "configure" });
const ofInstallation = alertChannelRoutesAt(false, { read: "administer", configure: "administer" });

export const alertChannelRoutes = {
  listAlertChannels: ofTenant.list,
  createAlertChannel: ofTenant.create,
  updateAlertChannel: ofTenant.update,
  removeAlertChannel: ofTenant.remove,
  rotateAlertChannel: ofTenant.rotate,
  testAlertChannel: ofTenant.test,
  listAlertDeliveries: ofTenant.listDeliveries,
  listInstallationAlertChannels: ofInstallation.list,
  createInstallationAlertChannel: ofInstallation.create,
  updateInstallationAlertChannel: ofInstallation.update,
  removeInstallationAlertChannel: ofInstallation.remove,
  rotateInstallationAlertChannel: ofInstallation.rotate,
  testInstallationAlertChannel: ofInstallation.test,
  listInstallationAlertDeliveries: ofInstallation.listDeliveries,
};
