import type pg from "pg";
import type { Principal } from "./access.ts";
import { ApiError } from "../errors/errors.ts";

/** The name under which people know the row `person` of hub."user". */
export const personNameSql = (person: string): string => `coalesce(nullif(${person}.name, ''), ${person}.email)`;

const personSql = `select ${personNameSql("person")} as name from hub."user" person where id = $1`;
const apiKeySql = "select name from hub.api_key where tenant_id = $1 and id = $2";

/** The name under which the tenant's operators know the caller. */
export async function actorName(client: pg.ClientBase, tenantId: number, principal: Principal): Promise<string> {
  const { rows } =
    principal.kind === "api-key"
      ? await client.query<{ name: string }>(apiKeySql, [tenantId, principal.apiKeyId])
      : await client.query<{ name: string }>(personSql, [principal.userId]);
  // Deleted since the request was let in.
  if (!rows[0]) throw new ApiError("not-signed-in");
  return rows[0].name;
}

/** The same as an SQL expression, for a statement that has the ids: `tenant`, `user` and `key` are its placeholders for them. Null for nobody. */
export function actorOrNullSql(tenant: string, user: string, key: string): string {
  return `coalesce((select ${personNameSql("person")} from hub."user" person where id = ${user}::integer),
    (select name from hub.api_key where tenant_id = ${tenant} and id = ${key}::integer))`;
}

/** The same where a name has to stand. */
export function actorSql(tenant: string, user: string, key: string): string {
  return `coalesce(${actorOrNullSql(tenant, user, key)}, '–')`;
}

/** The values for the placeholders `user` and `key` of `actorSql`: one of the two is null. */
export function actorValues(principal: Principal): [userId: number | null, apiKeyId: number | null] {
  return principal.kind === "user" ? [principal.userId, null] : [null, principal.apiKeyId];
}
