import type pg from "pg";
import { inTenant } from "../db.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { because } from "../errors/faults.ts";
import { batchSize, inBatches } from "../in-batches.ts";
import { readRetention } from "../retention.ts";

/** Each has a thousand lines at most, and whatever else it found: what belongs to a run goes with it. */
const runsAtOnce = 2_000;
/** Of files, each of up to 600,000 characters. */
const partsAtOnce = 100;

/** Statements that delete for a tenant; `$2` is a number of days. */
const oldRunsSql = `
  delete from hub.run
  where tenant_id = $1 and id in (
    select id from hub.run where tenant_id = $1 and finished_at < now() - make_interval(days => $2) order by id limit ${runsAtOnce}
  )`;
const oldToolboxSql = `
  delete from hub.toolbox_run
  where tenant_id = $1 and id in (
    select id from hub.toolbox_run where tenant_id = $1 and created_at < now() - make_interval(days => $2) order by id limit ${batchSize}
  )`;
// Its runs name it for as long as they are kept.
const oldSchedulesSql = `
  delete from hub.schedule
  where tenant_id = $1 and removed_at < now() - make_interval(days => $2)
    and not exists (select from hub.run where run.tenant_id = $1 and run.schedule_id = schedule.id)`;

// While a file arrives, its run rests until the next part has to be there.
const abandonedSql = `
  update hub.run set state = 'cancelled', finished_at = clock_timestamp(), lease_until = null, rests_until = null, fault = $2
  where tenant_id = $1 and state = 'waiting' and lease_until = 'infinity' and rests_until < clock_timestamp()`;
// A file is needed while its import may go on; one that was given up before it was whole never will.
const readFilesSql = (table: "import_part" | "import_rejection", place: "number" | "row_count"): string => `
  delete from hub.${table}
  where tenant_id = $1 and (run_id, ${place}) in (
    select part.run_id, part.${place} from hub.${table} part
    join hub.run on run.tenant_id = part.tenant_id and run.id = part.run_id
    where part.tenant_id = $1 and (run.finished_at < now() - interval '1 day' or run.state = 'cancelled' and run.started_at is null)
    limit ${partsAtOnce}
  )`;
// Those first that say what of the files can be had.
const readFilesSqls = [readFilesSql("import_rejection", "row_count"), readFilesSql("import_part", "number")];
// One that failed, or was cancelled while it waited, left them.
const leftObjectsSql = `
  delete from hub.run_object
  where tenant_id = $1 and (run_id, side, business_key) in (
    select object.run_id, object.side, object.business_key from hub.run_object object
    join hub.run on run.tenant_id = object.tenant_id and run.id = object.run_id
    where object.tenant_id = $1 and run.finished_at is not null limit ${batchSize}
  )`;

/** Ends every tenant's imports whose file has stopped arriving. */
export async function giveUpUploads(pool: pg.Pool): Promise<void> {
  const { detail: fault } = because("import-given-up");
  await eachTenant(await allTenants(pool), async (id) => {
    await inTenant(pool, id, (client) => client.query(abandonedSql, [id, fault]));
  });
}

/** Deletes every tenant's runs that are too old with the removed schedules that they were the last of, and what ended runs needed. */
export async function pruneRuns(pool: pg.Pool, installationDays: number, stop?: AbortSignal): Promise<void> {
  const prune = async (tenantId: number): Promise<void> => {
    const round = { pool, tenantId, stop };
    const { runDays, removedDays } = await inTenant(pool, tenantId, (client) => readRetention(client, tenantId, installationDays));
    await inBatches(round, (client) => client.query(oldRunsSql, [tenantId, runDays]), runsAtOnce);
    await inBatches(round, (client) => client.query(oldToolboxSql, [tenantId, runDays]));
    await inTenant(pool, tenantId, (client) => client.query(oldSchedulesSql, [tenantId, removedDays]));
    for (const sql of readFilesSqls) await inBatches(round, (client) => client.query(sql, [tenantId]), partsAtOnce);
    await inBatches(round, (client) => client.query(leftObjectsSql, [tenantId]));
  };
  await eachTenant(await allTenants(pool), prune, stop);
}
