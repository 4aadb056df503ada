import type { Run } from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";
import { storable } from "../delivery/recording.ts";
import { lineMax } from "./line-text.ts";

/** A run in the hands of this process, until its lease is lost. */
export type ClaimedRun = {
  tenantId: number;
  id: number;
  kind: Run["kind"];
  scheduleId: number | null;
  subtenantId: number;
  /** Null for an export, which concerns the whole subtenant. */
  pointId: number | null;
  entityType: string;
  epoch: number;
  done: number;
  /** What it is to do, and how far it is, in a form that its kind knows. */
  options: unknown;
  cursor: string | null;
  /** An earlier worker ended without giving it back. */
  wasLost: boolean;
  /** How many have, since it last came to a step. */
  losses: number;
};

/** How a run ended or was paused; `fault` says why it failed. */
export type Ending = { state: "done" | "failed" | "cancelled" | "paused"; fault: string | null };

export function failed(fault: string): Ending {
  return { state: "failed", fault: fault.slice(0, 500) };
}

/** Longer than one page takes; renewed while work goes on. */
const leaseSeconds = 60;
export const renewEveryMs = 20_000;

// It rests as hub.tenants_with_runs has it. As a subquery it could be planned as the inner side of a join, be read anew for each row, and lock and take another run each time.
const claimSql = `
  with free as materialized (
    select id, state = 'running' and lease_until is not null as was_lost from hub.run
    where tenant_id = $1 and state in ('waiting', 'running') and (lease_until is null or lease_until < clock_timestamp())
      and (rests_until is null or rests_until < clock_timestamp() or rests_until > clock_timestamp() + interval '1 minute')
    order by id limit 1 for update skip locked
  )
  update hub.run
  set state = 'running', lease_epoch = lease_epoch + 1, lease_until = clock_timestamp() + interval '${leaseSeconds} seconds',
    losses = losses + free.was_lost::integer, started_at = coalesce(started_at, clock_timestamp()), rests_until = null,
    system = coalesce(system, (select system from hub.integration_point point where point.tenant_id = $1 and point.id = run.integration_point_id))
  from free
  where tenant_id = $1 and run.id = free.id
  returning run.id, kind, schedule_id as "scheduleId", subtenant_id as "subtenantId", integration_point_id as "pointId", entity_type as "entityType",
    lease_epoch as epoch, done, options, cursor, was_lost as "wasLost", losses`;

/** A run of the tenant that waits, or whose worker is gone; null where there is none. */
export async function claimRun(pool: pg.Pool, tenantId: number): Promise<ClaimedRun | null> {
  const { rows } = await inTenant(pool, tenantId, (client) => client.query<Omit<ClaimedRun, "tenantId">>(claimSql, [tenantId]));
  return rows[0] ? { ...rows[0], tenantId } : null;
}

const elsewhereSql = `
  select from hub.run join hub.integration_point point on point.tenant_id = run.tenant_id and point.id = run.integration_point_id
  where run.tenant_id = $1 and run.id = $2 and run.system <> point.system`;

/** Whether the address leads to another system than when the run began: what was read of the former one tells nothing of this one. */
export async function leadsElsewhere(client: pg.ClientBase, { tenantId, id }: Pick<ClaimedRun, "tenantId" | "id">): Promise<boolean> {
  return (await client.query(elsewhereSql, [tenantId, id])).rowCount === 1;
}

/** The run waits for something, and goes on after this many seconds. */
export class RunRests extends Error {
  readonly seconds: number;
  constructor(seconds: number) {
    super("the run rests");
    this.seconds = seconds;
  }
}

/** Another process has the lease now, or the run was ended: work on it must stop. */
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

const cancellingSql = `
  select is_cancelling as "isCancelling" from hub.run where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'`;

/** Whether somebody wants the run to end; false where it is not this worker's any more. */
export async function isCancelled(pool: pg.Pool, { tenantId, id, epoch }: ClaimedRun): Promise<boolean> {
  const { rows } = await inTenant(pool, tenantId, (client) =>
    client.query<{ isCancelling: boolean }>(cancellingSql, [tenantId, id, epoch]),
  );
  return rows[0]?.isCancelling ?? false;
}

export type Counts = { done: number; accepted: number; unchanged: number; rejected: number; differing: number };
/** What an operator has asked of a run. */
export type Wish = { isCancelling: boolean; isPausing: boolean };

/** Open consoles are told. */
const tellSql = "select pg_notify('jobs_changed', $1::text)";

// What came in since it was counted is done, too.
const advanceSql = `
  update hub.run
  set total = case when total < done + $4 then done + $4 else total end,
    done = done + $4, accepted = accepted + $5, unchanged = unchanged + $6, rejected = rejected + $7, differing = differing + $8,
    cursor = coalesce($9, cursor), faults = 0, losses = 0,
    lease_until = clock_timestamp() + interval '${leaseSeconds} seconds'
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'
  returning is_cancelling as "isCancelling", is_pausing as "isPausing"`;

/** Adds to the counters and writes where the run stands, in the caller's transaction. Throws LeaseLost; the transaction must then be rolled back. */
export async function advanceRun(
  client: pg.ClientBase,
  { tenantId, id, epoch }: ClaimedRun,
  { done = 0, accepted = 0, unchanged = 0, rejected = 0, differing = 0 }: Partial<Counts>,
  cursor: string | null = null,
): Promise<Wish> {
  const values = [tenantId, id, epoch, done, accepted, unchanged, rejected, differing, cursor];
  const { rows } = await client.query<Wish>(advanceSql, values);
  if (!rows[0]) throw new LeaseLost();
  await client.query(tellSql, [tenantId]);
  return rows[0];
}

// Who has resumed or cancelled it since it was told to pause is heard: it goes on, or ends.
const finishSql = `
  update hub.run
  set state = case when $4::text <> 'paused' then $4 when is_cancelling then 'cancelled' when is_pausing then 'paused' else state end,
    fault = $5, finished_at = case when $4::text <> 'paused' or is_cancelling then clock_timestamp() end, lease_until = null, is_pausing = false
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'`;

export async function finishRun(
  pool: pg.Pool,
  { tenantId, id, epoch }: ClaimedRun,
  state: Ending["state"],
  fault: string | null,
): Promise<void> {
  await inTenant(pool, tenantId, async (client) => {
    await client.query(finishSql, [tenantId, id, epoch, state, fault && storable(fault)]);
    await client.query(tellSql, [tenantId]);
  });
}

const releaseSql = "update hub.run set lease_until = null where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running'";

/** Gives the run back to whoever comes next, because this process ends. */
export async function releaseRun(pool: pg.Pool, { tenantId, id, epoch }: ClaimedRun): Promise<void> {
  await inTenant(pool, tenantId, (client) => client.query(releaseSql, [tenantId, id, epoch]));
}

/** How often in a row a run rests because something is in its way: for five minutes, and what that takes. */
const faultsMax = 60;

// What somebody wants of it is done at once: it may never come to the end of a step, where it would see to it itself.
const restSql = `
  update hub.run
  set state = case when is_cancelling then 'cancelled' when is_pausing then 'paused' else state end,
    finished_at = case when is_cancelling then clock_timestamp() end, is_pausing = false, lease_until = null,
    rests_until = clock_timestamp() + make_interval(secs => $4), faults = faults + $5
  where tenant_id = $1 and id = $2 and lease_epoch = $3 and state = 'running' and faults + $5 <= ${faultsMax}
  returning state = 'running' as "isResting"`;

/**
 * Gives the run back for a while: it waits for something, and would keep a worker from the others. One that is to end or to be put aside is. `faults`: 1 where
 * something failed. False: that is not to be waited for any more, or the run is another's.
 */
export async function restRun(pool: pg.Pool, { tenantId, id, epoch }: ClaimedRun, seconds: number, faults = 0): Promise<boolean> {
  return inTenant(pool, tenantId, async (client) => {
    const { rows } = await client.query<{ isResting: boolean }>(restSql, [tenantId, id, epoch, seconds, faults]);
    if (rows[0]?.isResting === false) await client.query(tellSql, [tenantId]);
    return rows.length > 0;
  });
}

type Level = "info" | "warning" | "error";

/** How many lines a run's log may have: one that goes wrong at every line need not say so more often. */
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
  await client.query(linesSql, [tenantId, id, level, texts.map((text) => storable(text).slice(0, lineMax))]);
}
