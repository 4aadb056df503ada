import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import type { Permission } from "./permissions.ts";
import { Line, RecordIdText, tenantParams } from "./fields.ts";
import { reasons } from "./reasons.ts";

/** The lists that have views, by the paths of their screens. Views of what is about all tenants belong to the installation. */
export const ViewedList = z.enum([
  "/queue",
  "/retryqueue",
  "/deadletter-list",
  "/externalmessages",
  "/externalitems",
  "/entities",
  "/mapping-list",
  "/alerts",
  "/jobstatus-list",
  "/audit-log",
]);
export type ViewedList = z.infer<typeof ViewedList>;

/** A list's filters under a name. */
export const SavedView = z
  .object({
    id: z.number().int(),
    list: ViewedList,
    name: z.string(),
    query: z.string().describe("The query part of the list's address"),
    isShared: z.boolean().describe("Everybody in the tenant sees it; otherwise only its owner does"),
    isOwn: z.boolean(),
    isDefault: z.boolean().describe("The caller's list opens with it"),
    ownerName: z.string().nullable(),
    version: z.number().int(),
    changedByName: z.string().nullable().describe("Who changed it last; null: nobody has since it was made"),
  })
  .meta({ id: "SavedView" });
export type SavedView = z.infer<typeof SavedView>;

const viewName = Line.min(1).max(100);
const query = z
  .string()
  .max(4000)
  .regex(/^[^?#]*$/, reasons["query-part"]);

/** The same routes for a tenant and for the installation itself. */
export function savedViewRoutesAt(isOfTenant: boolean, permission: Permission) {
  const path = `${isOfTenant ? "/api/v1/tenants/:tenantCode" : "/api/v1/installation"}/saved-views`;
  const place = { ...(isOfTenant && tenantParams.shape) };
  const params = z.object(place);
  const viewParams = z.object({ ...place, viewId: RecordIdText });
  return {
    list: defineRoute({
      method: "GET",
      path,
      permission,
      summary: "The caller's saved views of lists and the shared ones, by name",
      params,
      responses: { 200: z.object({ items: z.array(SavedView) }) },
    }),
    create: defineRoute({
      method: "POST",
      path,
      permission,
      summary: "Save a list's filters under a name; sharing them needs the permission `operate`",
      params,
      body: z.strictObject({ list: ViewedList, name: viewName, query, isShared: z.boolean().default(false) }),
      responses: { 201: SavedView },
    }),
    update: defineRoute({
      method: "PATCH",
      path: `${path}/:viewId`,
      permission,
      summary: "Rename or share a saved view, give it other filters, or open the list with it; a shared one needs the permission `operate`",
      description:
        "If-Match names the version that was read. Of an older one it is answered 412 `version-changed` with the present view as `current`.",
      params: viewParams,
      body: z.strictObject({ name: viewName, query, isShared: z.boolean(), isDefault: z.boolean() }).partial(),
      takesIfMatch: true,
      responses: { 200: SavedView },
    }),
    remove: defineRoute({
      method: "DELETE",
      path: `${path}/:viewId`,
      permission,
      summary: "Remove a saved view; a shared one needs the permission `operate`. If-Match names the version that was read",
      params: viewParams,
      takesIfMatch: true,
      responses: { 204: z.undefined() },
    }),
  };
}

const ofTenant = savedViewRoutesAt(true, "read");
const ofInstallation = savedViewRoutesAt(false, "administer");

export const savedViewRoutes = {
  listSavedViews: ofTenant.list,
  createSavedView: ofTenant.create,
  updateSavedView: ofTenant.update,
  removeSavedView: ofTenant.remove,
  listInstallationSavedViews: ofInstallation.list,
  createInstallationSavedView: ofInstallation.create,
  updateInstallationSavedView: ofInstallation.update,
  removeInstallationSavedView: ofInstallation.remove,
};
