import type pg from "pg";
import type { Principal } from "./access.ts";
import { ApiError } from "./errors.ts";

const personSql = `select coalesce(nullif(name, ''), email) as name from hub."user" where id = $1`;
const apiKeySql = "select name from hub.api_key where tenant_id = $1 and id = $2";

/** Under which name the tenant's operators know who calls. */
export async function actorName(client: pg.ClientBase, tenantId: number, principal: Principal): Promise<string> {
  const { rows } =
    principal.kind === "api-key"
      ? await client.query<{ name: string }>(apiKeySql, [tenantId, principal.apiKeyId])
      : await client.query<{ name: string }>(personSql, [principal.userId]);
  // Gone since the request was let in.
  if (!rows[0]) throw new ApiError("not-signed-in");
  return rows[0].name;
}
