import type pg from "pg";
import { inTenant } from "../db.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { readRetention } from "../retention.ts";

/** Statements that delete for a tenant; `$2` is a number of days. What belongs to a run goes with it. */
const oldRunsSql = "delete from hub.run where tenant_id = $1 and finished_at < now() - make_interval(days => $2)";
const oldToolboxSql = "delete from hub.toolbox_run where tenant_id = $1 and created_at < now() - make_interval(days => $2)";

// An upload may take a day.
const abandonedSql = `
  update hub.run set state = 'cancelled', finished_at = clock_timestamp(), lease_until = null, fault = 'the file never came as a whole'
  where tenant_id = $1 and state = 'waiting' and lease_until = 'infinity' and created_at < now() - interval '1 day'`;
// The file is needed while its import may go on.
const readFilesSql = `
  delete from hub.import_part part using hub.run
  where part.tenant_id = $1 and run.tenant_id = part.tenant_id and run.id = part.run_id and run.finished_at < now() - interval '1 day'`;
const abandonedFilesSql = `
  delete from hub.import_part part using hub.run
  where part.tenant_id = $1 and run.tenant_id = part.tenant_id and run.id = part.run_id and run.state = 'cancelled' and run.started_at is null`;
// One that failed, or was cancelled while it waited, left them.
const leftObjectsSql = `
  delete from hub.run_object object using hub.run
  where object.tenant_id = $1 and run.tenant_id = object.tenant_id and run.id = object.run_id and run.finished_at is not null`;

/** Deletes every tenant's runs that are too old, and ends imports whose file never came as a whole. */
export async function pruneRuns(pool: pg.Pool, installationDays: number): Promise<void> {
  await eachTenant(await allTenants(pool), async (id) => {
    await inTenant(pool, id, async (client) => {
      const { runDays } = await readRetention(client, id, installationDays);
      await client.query(oldRunsSql, [id, runDays]);
      await client.query(oldToolboxSql, [id, runDays]);
    });
    await inTenant(pool, id, async (client) => {
      for (const sql of [abandonedSql, readFilesSql, abandonedFilesSql, leftObjectsSql]) await client.query(sql, [id]);
    });
  });
}
