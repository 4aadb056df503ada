import type pg from "pg";
import { databaseNow } from "../clocks.ts";
import { inTenant } from "../db.ts";
import type { Timing } from "./rows.ts";
import { nextAt } from "./timing.ts";

// The process that fires a schedule has its row locked; other processes skip it. Not against the foreign keys of runs, as one that somebody is
// just starting would wait for this process, and this process for it. Due as hub.tenants_with_runs has it.
const dueSql = `
  select schedule.id, schedule.cron, schedule.every_seconds as "everySeconds",
    coalesce(point.is_active, true) and subtenant.is_active and tenant.is_active
      and not case schedule.kind when 'poll' then subtenant.incoming_paused when 'resync' then subtenant.outgoing_paused or point.is_paused
        when 'reconciliation' then point.is_paused else false end as "isOpen"
  from hub.schedule
  join hub.subtenant on subtenant.tenant_id = schedule.tenant_id and subtenant.id = schedule.subtenant_id
  left join hub.integration_point point on point.tenant_id = schedule.tenant_id and point.id = schedule.integration_point_id
  join hub.tenant on tenant.id = schedule.tenant_id
  where schedule.tenant_id = $1 and schedule.is_active and schedule.removed_at is null
    and (schedule.next_at <= clock_timestamp() or schedule.next_at > clock_timestamp() + interval '1 second' * schedule.every_seconds)
  order by schedule.id limit 100 for no key update of schedule skip locked`;
// An open run is looked for beforehand: the insert would wait for whoever works on it, and a poll then waits for its schedule.
const runSql = `
  insert into hub.run (tenant_id, kind, schedule_id, subtenant_id, integration_point_id, entity_type, options)
  select $1, kind, id, subtenant_id, integration_point_id, entity_type, options from hub.schedule
  where tenant_id = $1 and id = $2
    and not exists (select from hub.run where run.tenant_id = $1 and run.schedule_id = $2 and run.state in ('waiting', 'running', 'paused'))
  on conflict do nothing`;
const moveSql = "update hub.schedule set next_at = $3 where tenant_id = $1 and id = $2";

/**
 * Makes a run for each schedule that is due. A schedule whose run is still open gets no second one, and one whose way is paused is
 * skipped: a system that is sent nothing is asked all the same. Missed times are not made up for, as a run takes whatever has changed since
 * the last one.
 */
export async function fireDue(pool: pg.Pool, tenantId: number): Promise<void> {
  await inTenant(pool, tenantId, async (client) => {
    const { rows } = await client.query<Timing & { id: number; isOpen: boolean }>(dueSql, [tenantId]);
    if (rows.length === 0) return;
    const now = await databaseNow(client);
    for (const { id, isOpen, ...timing } of rows) {
      if (isOpen) await client.query(runSql, [tenantId, id]);
      await client.query(moveSql, [tenantId, id, nextAt(timing, now)]);
    }
  });
}
