import type pg from "pg";
import type { AlertDetails } from "@crossdock/contract";

type FailedJob = { object: string; subtenantId: number | null; details: AlertDetails };

// A schedule has failed while its last run has, one of a whole subtenant (an export) too; an import for a day, unless a later one of the kind went through; a bulk operation while it
// is stopped.
const failedSql = `
  select 'schedule:' || schedule.id as object, schedule.subtenant_id as "subtenantId",
    json_build_object('name', coalesce(point.name, subtenant.name), 'entityType', schedule.entity_type, 'runId', run.id, 'fault', left(run.fault, 500)) as details
  from hub.schedule
  join hub.subtenant on subtenant.tenant_id = schedule.tenant_id and subtenant.id = schedule.subtenant_id
  left join hub.integration_point point on point.tenant_id = schedule.tenant_id and point.id = schedule.integration_point_id
  cross join lateral (
    select id, state, fault from hub.run
    where run.tenant_id = schedule.tenant_id and run.schedule_id = schedule.id and run.state in ('done', 'failed') order by id desc limit 1
  ) run
  where schedule.tenant_id = $1 and schedule.is_active and schedule.removed_at is null and run.state = 'failed' and ($2::integer is null or schedule.subtenant_id = $2)
  union all
  select 'import:' || run.id, run.subtenant_id,
    json_build_object('name', point.name, 'entityType', run.entity_type, 'runId', run.id, 'fault', left(run.fault, 500))
  from hub.run join hub.integration_point point on point.tenant_id = run.tenant_id and point.id = run.integration_point_id
  where run.tenant_id = $1 and run.kind = 'import' and run.state = 'failed' and run.finished_at > $3::timestamptz - interval '1 day'
    and ($2::integer is null or run.subtenant_id = $2)
    and not exists (
      select from hub.run later where later.tenant_id = $1 and later.kind = 'import' and later.state = 'done' and later.id > run.id
        and later.integration_point_id = run.integration_point_id and later.entity_type = run.entity_type)
  union all
  select 'job:' || job.id, null, json_build_object('name', job.kind || ' ' || job.id, 'jobId', job.id, 'fault', left(job.fault, 500))
  from hub.job
  where job.tenant_id = $1 and job.state = 'stopped' and $2::integer is null
  limit 200`;

/** Schedules and imports that failed, bulk operations that could not go on; of one subtenant, or of all. */
export async function readFailedJobs(client: pg.ClientBase, tenantId: number, subtenantId: number | null, now: Date): Promise<FailedJob[]> {
  return (await client.query<FailedJob>(failedSql, [tenantId, subtenantId, now])).rows;
}
