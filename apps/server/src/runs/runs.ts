import type { Run } from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";

/** A run in the hands of this process, until its lease is lost. */
export type ClaimedRun = {
  tenantId: number;
  id: number;
  kind: Run["kind"];
  scheduleId: number | null;
  pointId: number;
  entityType: string;
  epoch: number;
  done: number;
};

/** How a run ended; `fault` says why it failed. */
export type Ending = { state: "done" | "failed" | "cancelled"; fault: string | null };

/** Longer than one page takes; renewed while work goes on. */
const leaseSeconds = 60;
export const renewEveryMs = 20_000;

const claimSql = `
  update hub.run
  set state = 'running', lease_epoch = lease_epoch + 1, lease_until = clock_timestamp() + interval '${leaseSeconds} seconds',
    started_at = coalesce(started_at, clock_timestamp())
  where tenant_id = $1 and id = (
    select id from hub.run
    where tenant_id = $1 and state in ('waiting', 'running') and (lease_until is null or lease_until < clock_timestamp())
    order by id limit 1 for update skip locked
  )
  returning id, kind, schedule_id as "scheduleId", integration_point_id as "pointId", entity_type as "entityType", lease_epoch as epoch, done`;

/** A run of the tenant that waits, or whose worker is gone; null where there is none. */
export async function claimRun(pool: pg.Pool, tenantId: number): Promise<ClaimedRun | null> {
  const { rows } = await inTenant(pool, tenantId, (client) => client.query<Omit<ClaimedRun, "tenantId">>(claimSql, [tenantId]));
  return rows[0] ? { ...rows[0], tenantId } : null;
}

/** The lease is another's now, or the run was ended: whoever is told so stops. */
export class LeaseLost extends Error {}

const renewSql = `
  update hub.run set lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running' returning is_cancelling as "isCancelling"`;

/** Whether the run is to end. Throws LeaseLost. */
export async function renewRun(pool: pg.Pool, { tenantId, id, epoch }: ClaimedRun): Promise<{ isCancelling: boolean }> {
  const { rows } = await inTenant(pool, tenantId, (client) => client.query<{ isCancelling: boolean }>(renewSql, [tenantId, id, epoch]));
  if (!rows[0]) throw new LeaseLost();
  return rows[0];
}

export type Counts = { done: number; accepted: number; unchanged: number; rejected: number };

/** Consoles that are open hear of it. */
const tellSql = "select pg_notify('jobs_changed', $1::text)";

const advanceSql = `
  update hub.run
  set done = done + $4, accepted = accepted + $5, unchanged = unchanged + $6, rejected = rejected + $7,
    lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running' returning is_cancelling as "isCancelling"`;

/** Adds to the counters, in the caller's transaction. Throws LeaseLost, whereupon the transaction is to be given up. */
export async function advanceRun(
  client: pg.ClientBase,
  { tenantId, id, epoch }: ClaimedRun,
  { done, accepted, unchanged, rejected }: Counts,
): Promise<{ isCancelling: boolean }> {
  const values = [tenantId, id, epoch, done, accepted, unchanged, rejected];
  const { rows } = await client.query<{ isCancelling: boolean }>(advanceSql, values);
  if (!rows[0]) throw new LeaseLost();
  await client.query(tellSql, [tenantId]);
  return rows[0];
}

const finishSql = `
  update hub.run set state = $4, fault = $5, finished_at = clock_timestamp(), lease_until = null
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'`;

export async function finishRun(
  pool: pg.Pool,
  { tenantId, id, epoch }: ClaimedRun,
  state: "done" | "failed" | "cancelled",
  fault: string | null,
): Promise<void> {
  await inTenant(pool, tenantId, async (client) => {
    await client.query(finishSql, [tenantId, id, epoch, state, fault]);
    await client.query(tellSql, [tenantId]);
  });
}

const releaseSql = "update hub.run set lease_until = null where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'";

/** Gives the run back, for whoever comes next: this process ends. */
export async function releaseRun(pool: pg.Pool, { tenantId, id, epoch }: ClaimedRun): Promise<void> {
  await inTenant(pool, tenantId, (client) => client.query(releaseSql, [tenantId, id, epoch]));
}

export type Level = "info" | "warning" | "error";

/** A run that goes wrong at every line says so a thousand times at most. */
const linesSql = `
  insert into hub.run_line (tenant_id, run_id, level, text)
  select $1, $2, $3, text from unnest($4::text[]) as text
  where (select count(*) from (select from hub.run_line where tenant_id = $1 and run_id = $2 limit 1001) seen) <= 1000`;

export async function writeLines(
  client: pg.ClientBase,
  { tenantId, id }: Pick<ClaimedRun, "tenantId" | "id">,
  level: Level,
  ...texts: string[]
): Promise<void> {
  await client.query(linesSql, [tenantId, id, level, texts.map((text) => text.slice(0, 2_000))]);
}
