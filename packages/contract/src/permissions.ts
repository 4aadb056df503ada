import { z } from "zod";

/** Roles of people, and `gateway`: the role of an API key that only hands messages in or takes them out. */
export const Role = z.enum(["viewer", "user", "admin", "gateway"]);
export type Role = z.infer<typeof Role>;

/** What a route asks of its caller. `public` asks nothing, `signed-in` a person or key of whatever role. */
export type Permission = "public" | "signed-in" | "read" | "operate" | "reveal" | "configure" | "administer" | "gateway";

/**
 * What each role may do in the tenants granted to it. Only an admin reaches every tenant without a grant, since somebody who administers
 * grants could grant themselves any.
 */
const rolePermissions = {
  viewer: ["public", "signed-in", "read"],
  user: ["public", "signed-in", "read", "operate", "reveal", "gateway"],
  admin: ["public", "signed-in", "read", "operate", "reveal", "configure", "administer", "gateway"],
  gateway: ["public", "signed-in", "gateway"],
} as const satisfies Record<Role, readonly Permission[]>;

export type RolePermissions = typeof rolePermissions;

export function isPermitted(role: Role, permission: Permission): boolean {
  const permissions: readonly Permission[] = rolePermissions[role];
  return permissions.includes(permission);
}
