import type pg from "pg";
import type { ClaimedRun } from "./runs.ts";

/** Of the differences that can be mended from here those named by $3; where it is null, all that nobody has mended. */
export const isWanted = "kind <> 'extra' and (id = any($3::bigint[]) or $3 is null and fixed_by is null)";

const wantedSql = `
  select id::text, business_key as key, kind from hub.run_difference
  where tenant_id = $1 and run_id = $2 and ${isWanted} and id > $4::bigint
  order by run_difference.id limit $5`;

/** Those behind the one named `after`. */
export async function wantedDifferences(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  ids: readonly string[] | null,
  after: string,
  limit: number,
): Promise<{ id: string; key: string; kind: string }[]> {
  return (await client.query<{ id: string; key: string; kind: string }>(wantedSql, [tenantId, runId, ids, after, limit])).rows;
}

const markSql = "update hub.run_difference set fixed_by = $4 where tenant_id = $1 and run_id = $2 and business_key = any($3::text[])";

export async function markSent(client: pg.ClientBase, { tenantId, id }: ClaimedRun, ofRun: number, keys: readonly string[]): Promise<void> {
  await client.query(markSql, [tenantId, ofRun, keys, id]);
}
