import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, Name, tenantParams } from "./fields.ts";

export const Subtenant = z
  .object({
    id: z.number().int(),
    code: z.string(),
    name: z.string(),
    isActive: z.boolean(),
    debugMode: z.boolean(),
    incomingPaused: z.boolean(),
    outgoingPaused: z.boolean(),
    version: z.number().int(),
  })
  .meta({ id: "Subtenant" });
export type Subtenant = z.infer<typeof Subtenant>;

export const SubtenantWithActivity = Subtenant.extend({
  integrationPoints: z.number().int(),
  incoming: z.number().int().describe("External messages received in the last hour"),
  outgoing: z.number().int().describe("Messages delivered in the last hour"),
}).meta({ id: "SubtenantWithActivity" });
export type SubtenantWithActivity = z.infer<typeof SubtenantWithActivity>;

export const subtenantRoutes = {
  listSubtenants: defineRoute({
    method: "GET",
    path: "/api/v1/tenants/:tenantCode/subtenants",
    permission: "read",
    summary: "Subtenants with the number of their integration points and the last hour's traffic",
    params: tenantParams,
    query: z.object({}),
    responses: { 200: z.object({ items: z.array(SubtenantWithActivity) }) },
  }),
  createSubtenant: defineRoute({
    method: "POST",
    path: "/api/v1/tenants/:tenantCode/subtenants",
    permission: "administer",
    summary: "Create a subtenant",
    params: tenantParams,
    body: z.strictObject({ code: Code, name: Name }),
    hasETag: true,
    responses: { 201: Subtenant },
  }),
  updateSubtenant: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/subtenants/:subtenantCode",
    permission: "administer",
    summary: "Rename, activate or deactivate a subtenant",
    params: tenantParams.extend({ subtenantCode: Code }),
    body: z.strictObject({ name: Name.optional(), isActive: z.boolean().optional() }),
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: Subtenant },
  }),
  switchSubtenant: defineRoute({
    method: "PATCH",
    path: "/api/v1/tenants/:tenantCode/subtenants/:subtenantCode/switches",
    permission: "operate",
    summary: "Pause or resume incoming and outgoing traffic; turn debug mode on or off",
    params: tenantParams.extend({ subtenantCode: Code }),
    body: z.strictObject({
      incomingPaused: z.boolean().optional(),
      outgoingPaused: z.boolean().optional(),
      debugMode: z.boolean().optional(),
    }),
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: Subtenant },
  }),
};
