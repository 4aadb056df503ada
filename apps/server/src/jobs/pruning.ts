import type pg from "pg";
import { inTenant } from "../db.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { batchSize, inBatches } from "../in-batches.ts";

// Never started, or ended so long ago that its messages have gone as well. Made one that was cancelled before it started: from then on nobody can
// start, resume or take back what is about to lose its items.
const expireSql = `
  update hub.job set state = 'cancelled', started_at = null, finished_at = coalesce(finished_at, clock_timestamp())
  where tenant_id = $1
    and (state = 'ready' and created_at < now() - interval '1 hour' or started_at is not null and finished_at < now() - $2::integer * interval '1 day')`;
const expiredSql = `
  select id from hub.job
  where tenant_id = $1 and state = 'cancelled' and started_at is null and created_at < now() - interval '1 hour'
  order by id desc`;
const itemsSql = `
  delete from hub.job_item
  where tenant_id = $1 and job_id = $2 and message_id in (
    select message_id from hub.job_item where tenant_id = $1 and job_id = $2 order by message_id limit ${batchSize}
  )`;
// One that another takes back stays as long as that one, which goes by what it did.
const jobSql = `
  delete from hub.job where tenant_id = $1 and id = $2 and not exists (select from hub.job_item where tenant_id = $1 and job_id = $2)
    and not exists (select from hub.job undo where undo.tenant_id = $1 and undo.undo_of = $2)`;

/** Deletes jobs that nobody started, and those of times that are no longer kept. */
export async function pruneJobs(pool: pg.Pool, retentionDays: number, stop?: AbortSignal): Promise<void> {
  const prune = async (tenantId: number): Promise<void> => {
    await inTenant(pool, tenantId, (client) => client.query(expireSql, [tenantId, retentionDays]));
    const { rows: jobs } = await inTenant(pool, tenantId, (client) => client.query<{ id: number }>(expiredSql, [tenantId]));
    for (const { id } of jobs) {
      // A job may have a million items.
      await inBatches({ pool, tenantId, stop }, (client) => client.query(itemsSql, [tenantId, id]));
      if (stop?.aborted) return;
      await inTenant(pool, tenantId, (client) => client.query(jobSql, [tenantId, id]));
    }
  };
  await eachTenant(await allTenants(pool), prune, stop);
}
