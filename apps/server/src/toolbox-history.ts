import type { ToolboxOperation } from "@crossdock/contract";
import type pg from "pg";
import type { Principal } from "./access/access.ts";
import { actorSql, actorValues } from "./access/actor.ts";
import { withoutSecrets } from "./api/audit-event.ts";

type ToolboxNote = {
  operation: ToolboxOperation;
  parameters: Record<string, unknown>;
  isDryRun?: boolean;
  result?: Record<string, unknown>;
  /** What goes on with it in the background. */
  jobId?: number;
  runId?: number;
};

const insertSql = `
  insert into hub.toolbox_run (tenant_id, operation, parameters, is_dry_run, result, job_id, run_id, actor_name)
  values ($1, $4, $5, $6, $7, $8, $9, ${actorSql("$1", "$2", "$3")}) returning id`;

/** Notes in the toolbox's history what was run, in the transaction that ran it. Personal values are masked by the caller, secrets here. */
export async function noteToolboxRun(client: pg.ClientBase, tenantId: number, principal: Principal, note: ToolboxNote): Promise<number> {
  const { operation, parameters, isDryRun = false, result, jobId = null, runId = null } = note;
  const values = [
    JSON.stringify(withoutSecrets(parameters)),
    isDryRun,
    result ? JSON.stringify(withoutSecrets(result)) : null,
    jobId,
    runId,
  ];
  const [row] = (await client.query<{ id: number }>(insertSql, [tenantId, ...actorValues(principal), operation, ...values])).rows;
  if (!row) throw new Error("the toolbox's history kept nothing");
  return row.id;
}
