import type { PersonRole } from "@crossdock/contract";
import type { TextKey } from "./i18n/i18n.tsx";

/** What people can be, from the least rights to the most. */
export const personRoles = ["viewer", "user", "admin"] as const satisfies readonly PersonRole[];
export const roleTexts: Record<PersonRole, TextKey> = { viewer: "role.viewer", user: "role.user", admin: "role.admin" };
