import type { CurrentUser, Role } from "@crossdock/contract";
import type { TextKey } from "./i18n/i18n.tsx";

/** Everybody, or those with one of these roles. */
export type Access = "public" | readonly Role[];
export type RouteRule = { access: Access; title: TextKey };

const everyRole: Access = ["admin", "user", "viewer"];

/** The route table of the product: who may open a path, and what its screen is called. A path without a screen yet is unknown to the router. */
export const routeTable = {
  "/signin": { access: "public", title: "signIn.title" },
  "/redirect": { access: "public", title: "signIn.title" },
  "/signup": { access: "public", title: "signUp.title" },
  "/confirm-signup": { access: "public", title: "confirmSignup.title" },
  "/reset-password": { access: "public", title: "resetPassword.title" },
  "/forget-password": { access: "public", title: "forgetPassword.title" },
  "/terms": { access: "public", title: "terms.title" },
  "/error-pages/error-404": { access: everyRole, title: "error.404.title" },
  "/error-pages/error-500": { access: everyRole, title: "error.500.title" },
  "/error-pages/coming-soon": { access: everyRole, title: "error.comingSoon.title" },
  "/error-pages/maintenance": { access: everyRole, title: "error.maintenance.title" },
  "/tenant-list": { access: everyRole, title: "menu.tenants" },
  "/tenant/$tenantCode": { access: everyRole, title: "sidebar.tenant" },
  "/brightcom-dashboard": { access: ["admin"], title: "menu.dashboard" },
  "/alerts": { access: everyRole, title: "menu.alerts" },
  "/queue": { access: everyRole, title: "menu.queue" },
  "/queue/details/$messageId": { access: everyRole, title: "details.title" },
  "/retryqueue": { access: everyRole, title: "menu.retryQueue" },
  "/deadletter-list": { access: everyRole, title: "menu.deadLetters" },
  "/deadletter/details/$queue/$id": { access: everyRole, title: "details.title" },
  "/jobstatus-list": { access: everyRole, title: "menu.jobStatus" },
  "/subtenant-list": { access: everyRole, title: "menu.subtenants" },
  "/subtenant/$subtenantCode/dashboard": { access: everyRole, title: "subtenantHub.title" },
  "/mapping-list": { access: everyRole, title: "menu.mappings" },
  "/configuration": { access: ["admin", "user"], title: "menu.configuration" },
  "/externalitems": { access: everyRole, title: "menu.externalItems" },
  "/externalmessages": { access: everyRole, title: "menu.externalMessages" },
  "/externalmessages/details/$messageId": { access: everyRole, title: "details.title" },
  "/entities": { access: everyRole, title: "menu.entities" },
  "/invitation": { access: "public", title: "invitation.title" },
  "/account": { access: everyRole, title: "account.title" },
  "/users": { access: ["admin"], title: "menu.users" },
  "/api-keys": { access: ["admin", "user"], title: "menu.apiKeys" },
  "/outbox": { access: ["admin"], title: "mails.title" },
  "/audit-log": { access: ["admin"], title: "menu.auditLog" },
  "/toolbox": { access: everyRole, title: "menu.toolbox" },
} satisfies Record<string, RouteRule>;

export type RoutePath = keyof typeof routeTable;

/** Where people land who have asked for no other screen. */
export const startPath = "/tenant-list";
export const notFoundPath = "/error-pages/error-404";

/** A person without roles has no rights. */
export function mayOpen(user: CurrentUser | null, { access }: RouteRule): boolean {
  return access === "public" || (user?.role.some((role) => access.includes(role)) ?? false);
}
