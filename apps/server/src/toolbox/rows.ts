import type { ToolboxOperation, ToolboxRun } from "@crossdock/contract";
import type pg from "pg";

const listSql = `
  select noted.id, noted.operation, noted.parameters, noted.is_dry_run as "isDryRun", noted.result, noted.actor_name as "startedBy",
    queue.iso(noted.created_at) as "createdAt",
    case when job.id is not null then json_build_object('id', job.id, 'state', job.state, 'total', job.total, 'done', job.done,
      'skipped', job.skipped, 'failed', job.failed) end as job,
    case when run.id is not null then json_build_object('id', run.id, 'state', run.state, 'done', run.done, 'accepted', run.accepted,
      'unchanged', run.unchanged, 'rejected', run.rejected, 'differing', run.differing, 'fault', run.fault) end as run
  from hub.toolbox_run noted
  left join hub.job on job.tenant_id = noted.tenant_id and job.id = noted.job_id
  left join hub.run on run.tenant_id = noted.tenant_id and run.id = noted.run_id
  where noted.tenant_id = $1 and ($2::text is null or noted.operation = $2) and ($3::integer is null or noted.id < $3)
  order by noted.id desc limit $4`;

type Request = { operation: ToolboxOperation | undefined; before: number | null; limit: number };

/** Newest first. */
export async function listToolboxRuns(client: pg.ClientBase, tenantId: number, request: Request): Promise<ToolboxRun[]> {
  const { operation = null, before, limit } = request;
  return (await client.query<ToolboxRun>(listSql, [tenantId, operation, before, limit])).rows;
}
