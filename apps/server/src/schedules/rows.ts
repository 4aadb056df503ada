import type { EntityType, Schedule, ScheduleKind } from "@crossdock/contract";
import type pg from "pg";
import type { Principal } from "../access/access.ts";
import { actorSql, actorValues } from "../access/actor.ts";
import { databaseNow } from "../clocks.ts";
import { ApiError, codeOf, notFound } from "../errors/errors.ts";
import { nextAt } from "./timing.ts";

const scheduleColumns = `
  schedule.id, schedule.kind, subtenant.code as "subtenantCode", (schedule.options->>'sourcePointId')::integer as "sourceIntegrationPointId", point.id as "integrationPointId", point.name as "integrationPointName", point.connector,
  schedule.entity_type as "entityType", schedule.cron, schedule.every_seconds as "everySeconds", schedule.is_active as "isActive", schedule.cursor,
  queue.iso(schedule.next_at) as "nextAt", schedule.version,
  (select json_build_object('id', run.id, 'state', run.state, 'done', run.done, 'rejected', run.rejected, 'finishedAt', queue.iso(run.finished_at), 'fault', run.fault)
   from hub.run where run.tenant_id = schedule.tenant_id and run.schedule_id = schedule.id order by run.id desc limit 1) as "lastRun"`;
const scheduleTables = `
  hub.schedule
  join hub.subtenant on subtenant.tenant_id = schedule.tenant_id and subtenant.id = schedule.subtenant_id
  left join hub.integration_point point on point.tenant_id = schedule.tenant_id and point.id = schedule.integration_point_id`;

const listSchedulesSql = `
  select ${scheduleColumns} from ${scheduleTables}
  where schedule.tenant_id = $1 and schedule.removed_at is null and ($2::text is null or subtenant.code = $2) order by subtenant.code, point.name, schedule.entity_type, schedule.kind`;
const getScheduleSql = `select ${scheduleColumns} from ${scheduleTables} where schedule.tenant_id = $1 and schedule.id = $2 and schedule.removed_at is null`;
const lockScheduleSql = "select from hub.schedule where tenant_id = $1 and id = $2 for update";

export async function listSchedules(client: pg.ClientBase, tenantId: number, subtenant: string | null): Promise<Schedule[]> {
  return (await client.query<Schedule>(listSchedulesSql, [tenantId, subtenant])).rows;
}

/** Throws not-found. */
export async function getSchedule(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<Schedule> {
  if (lock) await client.query(lockScheduleSql, [tenantId, id]);
  const [schedule] = (await client.query<Schedule>(getScheduleSql, [tenantId, id])).rows;
  if (!schedule) throw notFound();
  return schedule;
}

export type Timing = { cron: string | null; everySeconds: number | null };
type NewSchedule = Timing & {
  kind: ScheduleKind;
  integrationPointId: number | null;
  subtenantCode?: string | undefined;
  entityType: EntityType;
  options: object;
  nextAt: Date;
};

const insertScheduleSql = `
  insert into hub.schedule (tenant_id, kind, subtenant_id, integration_point_id, entity_type, options, cron, every_seconds, next_at)
  select $1, $2, subtenant.id, point.id, $5, $6, $7, $8, $9
  from hub.subtenant left join hub.integration_point point on point.tenant_id = $1 and point.id = $3
  where subtenant.tenant_id = $1 and ($3::integer is null and subtenant.code = $4 or subtenant.id = point.subtenant_id)
  on conflict do nothing returning id`;

/** Null if there is a schedule already that does the same. */
export async function insertSchedule(client: pg.ClientBase, tenantId: number, schedule: NewSchedule): Promise<number | null> {
  const { kind, integrationPointId, subtenantCode = null, entityType, options, cron, everySeconds, nextAt } = schedule;
  const what = [kind, integrationPointId, subtenantCode, entityType, JSON.stringify(options)];
  const values = [tenantId, ...what, cron, everySeconds, nextAt];
  return (await client.query<{ id: number }>(insertScheduleSql, values)).rows[0]?.id ?? null;
}

const updateScheduleSql = `
  update hub.schedule
  set cron = $3, every_seconds = $4, is_active = $5, next_at = $6, cursor = case when $7 then null else cursor end, version = version + 1
  where tenant_id = $1 and id = $2`;

export async function updateSchedule(
  client: pg.ClientBase,
  tenantId: number,
  id: number,
  { cron, everySeconds, isActive, nextAt, fromStart }: Timing & { isActive: boolean; nextAt: Date; fromStart: boolean },
): Promise<void> {
  await client.query(updateScheduleSql, [tenantId, id, cron, everySeconds, isActive, nextAt, fromStart]);
}

/** Answers what it was; its runs stay. Throws not-found. */
export async function removeSchedule(client: pg.ClientBase, tenantId: number, id: number): Promise<Schedule> {
  const stored = await getSchedule(client, tenantId, id, "lock");
  await client.query("update hub.schedule set removed_at = now() where tenant_id = $1 and id = $2", [tenantId, id]);
  return stored;
}

const lockRemovedSql = `
  select cron, every_seconds as "everySeconds" from hub.schedule where tenant_id = $1 and id = $2 and removed_at is not null for update`;
const restoreSql = "update hub.schedule set removed_at = null, next_at = $3, version = version + 1 where tenant_id = $1 and id = $2";

/** Throws not-found, and already-exists if another one does the same by now. */
export async function restoreSchedule(client: pg.ClientBase, tenantId: number, id: number): Promise<Schedule> {
  const [timing] = (await client.query<Timing>(lockRemovedSql, [tenantId, id])).rows;
  if (!timing) throw notFound();
  try {
    await client.query(restoreSql, [tenantId, id, nextAt(timing, await databaseNow(client))]);
  } catch (error) {
    throw codeOf(error) === "23505" ? new ApiError("already-exists") : error;
  }
  return getSchedule(client, tenantId, id);
}

// If a run of the schedule is open, or another run that does the same, that one is returned.
const startRunSql = `
  insert into hub.run (tenant_id, kind, schedule_id, subtenant_id, integration_point_id, entity_type, options, actor_name)
  select $1, kind, id, subtenant_id, integration_point_id, entity_type, options, ${actorSql("$1", "$3", "$4")}
  from hub.schedule where tenant_id = $1 and id = $2 and removed_at is null
  on conflict do nothing
  returning id`;
const openRunSql = `
  select run.id from hub.schedule join hub.run on run.tenant_id = schedule.tenant_id and run.state in ('waiting', 'running', 'paused')
    and (run.schedule_id = schedule.id
      or run.kind = schedule.kind and run.integration_point_id = schedule.integration_point_id and run.entity_type = schedule.entity_type)
  where schedule.tenant_id = $1 and schedule.id = $2 order by run.schedule_id is null, run.id limit 1`;

/** The open run of a schedule, which is begun where there is none. Throws not-found. */
export async function startRun(
  client: pg.ClientBase,
  tenantId: number,
  scheduleId: number,
  principal: Principal,
): Promise<{ runId: number; isNew: boolean }> {
  for (;;) {
    const [made] = (await client.query<{ id: number }>(startRunSql, [tenantId, scheduleId, ...actorValues(principal)])).rows;
    if (made) return { runId: made.id, isNew: true };
    const [open] = (await client.query<{ id: number }>(openRunSql, [tenantId, scheduleId])).rows;
    if (open) return { runId: open.id, isNew: false };
    // It has ended between the two statements, or the schedule is gone.
    await getSchedule(client, tenantId, scheduleId);
  }
}
