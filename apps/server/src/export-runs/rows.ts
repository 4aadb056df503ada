import type pg from "pg";
import type { ClaimedRun } from "../runs/runs.ts";

const putSql = `
  insert into hub.export_part (tenant_id, run_id, number, content) values ($1, $2, $3, $4)
  on conflict (tenant_id, run_id, number) do update set content = excluded.content`;

export async function putPart(client: pg.ClientBase, { tenantId, id }: ClaimedRun, number: number, content: string): Promise<void> {
  await client.query(putSql, [tenantId, id, number, content]);
}

const getSql = "select content from hub.export_part where tenant_id = $1 and run_id = $2 and number = $3";

/** Null when the export's retention has ended. */
export async function readPart(client: pg.ClientBase, tenantId: number, runId: number, number: number): Promise<string | null> {
  return (await client.query<{ content: string }>(getSql, [tenantId, runId, number])).rows[0]?.content ?? null;
}

/** How far the run has come; null if there is no such run. */
export async function readState(client: pg.ClientBase, tenantId: number, runId: number): Promise<string | null> {
  const sql = "select cursor from hub.run where tenant_id = $1 and id = $2 and kind = 'export' and state = 'done'";
  return (await client.query<{ cursor: string | null }>(sql, [tenantId, runId])).rows[0]?.cursor ?? null;
}
