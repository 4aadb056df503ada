import type pg from "pg";
import { inTenant } from "../db.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { batchSize, inBatches } from "../in-batches.ts";

// Ended first: from then on nobody can start what is about to lose its items.
const unstartedSql = `
  update hub.job set state = 'cancelled', finished_at = clock_timestamp()
  where tenant_id = $1 and state = 'ready' and created_at < now() - interval '1 hour'`;
// Never started, or ended so long ago that its messages have gone as well.
const expiredSql = `
  select id from hub.job
  where tenant_id = $1 and state in ('done', 'cancelled')
    and (started_at is null and created_at < now() - interval '1 hour' or finished_at < now() - $2::integer * interval '1 day')
  order by id`;
const itemsSql = `
  delete from hub.job_item
  where tenant_id = $1 and job_id = $2 and message_id in (
    select message_id from hub.job_item where tenant_id = $1 and job_id = $2 order by message_id limit ${batchSize}
  )`;
const jobSql =
  "delete from hub.job where tenant_id = $1 and id = $2 and not exists (select from hub.job_item where tenant_id = $1 and job_id = $2)";

/** Deletes jobs that nobody started, and those of times that are no longer kept. */
export async function pruneJobs(pool: pg.Pool, retentionDays: number, stop?: AbortSignal): Promise<void> {
  const prune = async (tenantId: number): Promise<void> => {
    await inTenant(pool, tenantId, (client) => client.query(unstartedSql, [tenantId]));
    const { rows: jobs } = await inTenant(pool, tenantId, (client) => client.query<{ id: number }>(expiredSql, [tenantId, retentionDays]));
    for (const { id } of jobs) {
      // A job may have a million items.
      await inBatches({ pool, tenantId, stop }, (client) => client.query(itemsSql, [tenantId, id]));
      if (stop?.aborted) return;
      await inTenant(pool, tenantId, (client) => client.query(jobSql, [tenantId, id]));
    }
  };
  await eachTenant(await allTenants(pool), prune, stop);
}
