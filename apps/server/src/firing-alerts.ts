import type pg from "pg";

const sql = "select count(*)::integer as count from hub.alert where tenant_id = $1 and state = 'firing'";

/** A tenant's alerts that nobody has taken on yet. */
export async function countFiring(client: pg.ClientBase, tenantId: number): Promise<number> {
  return (await client.query<{ count: number }>(sql, [tenantId])).rows[0]?.count ?? 0;
}
