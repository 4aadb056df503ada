import type pg from "pg";
import { inTenant } from "../db.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { because } from "../errors/faults.ts";
import { readRetention } from "../retention.ts";

/** Statements that delete for a tenant; `$2` is a number of days. What belongs to a run goes with it. */
const oldRunsSql = "delete from hub.run where tenant_id = $1 and finished_at < now() - make_interval(days => $2)";
const oldToolboxSql = "delete from hub.toolbox_run where tenant_id = $1 and created_at < now() - make_interval(days => $2)";

// While a file arrives, its run rests until the next part has to be there.
const abandonedSql = `
  update hub.run set state = 'cancelled', finished_at = clock_timestamp(), lease_until = null, rests_until = null, fault = $2
  where tenant_id = $1 and state = 'waiting' and lease_until = 'infinity' and rests_until < clock_timestamp()`;
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

/** Ends every tenant's imports whose file has stopped arriving. */
export async function giveUpUploads(pool: pg.Pool): Promise<void> {
  const { detail: fault } = because("import-given-up");
  await eachTenant(await allTenants(pool), async (id) => {
    await inTenant(pool, id, (client) => client.query(abandonedSql, [id, fault]));
  });
}

/** Deletes every tenant's runs that are too old, and what ended runs needed. */
export async function pruneRuns(pool: pg.Pool, installationDays: number): Promise<void> {
  await eachTenant(await allTenants(pool), async (id) => {
    await inTenant(pool, id, async (client) => {
      const { runDays } = await readRetention(client, id, installationDays);
      await client.query(oldRunsSql, [id, runDays]);
      await client.query(oldToolboxSql, [id, runDays]);
    });
    await inTenant(pool, id, async (client) => {
      for (const sql of [readFilesSql, abandonedFilesSql, leftObjectsSql]) await client.query(sql, [id]);
    });
  });
}
