import type pg from "pg";
import { ApiError } from "../errors/errors.ts";

/** Codes of the tenant's subtenants by id, for rows that carry the id only. */
export async function readSubtenantCodes(client: pg.ClientBase, tenantId: number): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ id: number; code: string }>("select id, code from hub.subtenant where tenant_id = $1", [tenantId]);
  return new Map(rows.map((row) => [row.id, row.code]));
}

/** The id of the subtenant of this code. Throws unknown-subtenant. */
export async function findSubtenantId(client: pg.ClientBase, tenantId: number, code: string): Promise<number> {
  const { rows } = await client.query<{ id: number }>("select id from hub.subtenant where tenant_id = $1 and code = $2", [tenantId, code]);
  if (!rows[0]) throw new ApiError("unknown-subtenant");
  return rows[0].id;
}
