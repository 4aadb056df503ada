import type { Permission, PersonRole } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useIsPermitted } from "./session.ts";

/** What people can be, from the least rights to the most. */
export const personRoles = allOf<PersonRole>()(["viewer", "user", "admin"]);
export const roleTexts: Record<PersonRole, TextKey> = { viewer: "role.viewer", user: "role.user", admin: "role.admin" };
export const roleHints: Record<PersonRole, TextKey> = { viewer: "role.viewerHint", user: "role.userHint", admin: "role.adminHint" };

const reasons = {
  operate: "role.operatorOnly",
  gateway: "role.operatorOnly",
  configure: "role.adminOnly",
  administer: "role.adminOnly",
} as const satisfies Partial<Record<Permission, TextKey>>;

/** Why the person may not do it, for a control that is shown disabled; null where they may. */
export function useRoleReason(permission: keyof typeof reasons): string | null {
  const t = useText();
  return useIsPermitted(permission) ? null : t(reasons[permission]);
}
