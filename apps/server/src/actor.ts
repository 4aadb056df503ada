import type { Principal } from "./access.ts";

/** SQL of the name under which people know who acted: `$tenant`, `$user` and `$key` are the statement's placeholders. */
export function actorSql(tenant: string, user: string, key: string): string {
  return `coalesce((select coalesce(nullif(name, ''), email) from hub."user" where id = ${user}::integer),
    (select name from hub.api_key where tenant_id = ${tenant} and id = ${key}::integer), '–')`;
}

/** The values of `$user` and `$key`: one of the two is null. */
export function actorValues(principal: Principal): [userId: number | null, apiKeyId: number | null] {
  return principal.kind === "user" ? [principal.userId, null] : [null, principal.apiKeyId];
}
