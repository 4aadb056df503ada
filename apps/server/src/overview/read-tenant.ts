import type pg from "pg";
import type { Missing } from "@crossdock/contract";
import { queueDepths, targets } from "@crossdock/queue";
import { countFiring } from "../firing-alerts.ts";
import { inTenant } from "../db.ts";
import { readFailedJobs } from "../failed-jobs.ts";
import { targetName } from "../targets.ts";
import { waitingIn, worstOf, type BadQueue } from "./worst-queues.ts";

type CutOff = { target: string; retryAt: Date | null; code: string; name: string; waiting: number };
type Cause = { fingerprint: string; errorClass: string | null; errorMessage: string | null; count: number };
type Counts = { added: number; delivered: number; failed: number; died: number };
type Minute = Counts & { at: Date };
type MissingState = Omit<Missing, "tenantCode" | "tenantName">;
export type TenantState = Counts & {
  waiting: number;
  dead: number;
  oldestWaitingAt: string | null;
  failingJobs: number;
  alerts: number;
  missing: MissingState[];
  minutes: Minute[];
  cutOff: CutOff[];
  queues: BadQueue[];
  causes: Cause[];
};

const minutesSql = `
  select at, sum(added)::integer as added, sum(delivered)::integer as delivered, sum(failed)::integer as failed, sum(dead)::integer as died
  from hub.metric where tenant_id = $1 and grain = 1 and at > now() - interval '1 hour' group by at`;

// Those that stopped are told by readFailedJobs.
const jobsSql = `
  select count(*)::integer as count, now() from hub.job
  where tenant_id = $1 and created_at > now() - interval '1 day' and state <> 'stopped' and failed > 0`;

// By count, so that what is left out is the least of it.
const causesSql = `
  select coalesce(fingerprint, '') as fingerprint, max(error_class) as "errorClass", max(error_message) as "errorMessage", count(*)::integer as count
  from (select fingerprint, error_class, error_message from queue.dead where tenant_id = $1 limit 100000) died
  group by 1 order by count desc limit 50`;

const pointsSql = `
  select point.id, point.code, point.name, point.settings ->> 'url' as url, subtenant.code as "subtenantCode", subtenant.name as "subtenantName"
  from hub.integration_point point join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1 and point.id = any ($2)`;

const missingSql = `
  select alert.id as "alertId", alert.kind, subtenant.name as "subtenantName", alert.value, alert.details
  from hub.alert join hub.subtenant on subtenant.tenant_id = alert.tenant_id and subtenant.id = alert.subtenant_id
  where alert.tenant_id = $1 and alert.kind in ('silence', 'order-unshipped', 'stock-stale') and alert.state in ('firing', 'acknowledged')
  order by alert.id desc limit 20`;

type Point = { id: number; code: string; name: string; url: string | null; subtenantCode: string; subtenantName: string };

/** What is to be seen of one tenant from above. */
export function readTenant(pool: pg.Pool, tenantId: number): Promise<TenantState> {
  return inTenant(pool, tenantId, async (client) => {
    const depths = await queueDepths(client, { tenantId, isIdleOmitted: true });
    const open = (await targets(client, { tenantId })).filter(({ circuit }) => circuit.state === "open");
    const { rows: minutes } = await client.query<Minute>(minutesSql, [tenantId]);
    const jobs = await client.query<{ count: number; now: Date }>(jobsSql, [tenantId]);
    const now = jobs.rows[0]?.now ?? new Date();
    const failedJobs = await readFailedJobs(client, tenantId, null, now);
    const alerts = await countFiring(client, tenantId);
    const missing = await client.query<MissingState>(missingSql, [tenantId]);
    const causes = await client.query<Cause>(causesSql, [tenantId]);
    const worst = worstOf(depths, now);
    const targetIds = [...open, ...worst].map(({ targetId }) => targetId);
    const points = await client.query<Point>(pointsSql, [tenantId, targetIds]);
    const pointById = new Map(points.rows.map((point) => [point.id, point]));
    const oldest = depths.flatMap(({ oldestWaitingAt }) => oldestWaitingAt?.getTime() ?? []);
    const sum = (key: keyof Counts) => minutes.reduce((all, minute) => all + minute[key], 0);
    return {
      added: sum("added"),
      delivered: sum("delivered"),
      failed: sum("failed"),
      died: sum("died"),
      waiting: waitingIn(depths),
      dead: depths.reduce((all, { dead }) => all + dead, 0),
      oldestWaitingAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
      failingJobs: failedJobs.length + (jobs.rows[0]?.count ?? 0),
      alerts,
      missing: missing.rows,
      causes: causes.rows,
      minutes,
      cutOff: open.flatMap(({ targetId, circuit, isPaused }) => {
        const point = pointById.get(targetId);
        if (!point) return [];
        const waiting = waitingIn(depths.filter((depth) => depth.targetId === targetId));
        // What is paused is not tried either.
        return [{ target: targetName(point), retryAt: isPaused ? null : circuit.openUntil, code: point.code, name: point.name, waiting }];
      }),
      queues: worst.flatMap((queue) => {
        const point = pointById.get(queue.targetId);
        return point ? [badQueue(queue, point)] : [];
      }),
    };
  });
}

function badQueue(
  { queueId, name, dead, waiting, oldestWaitingAt, weight }: ReturnType<typeof worstOf>[number],
  { name: integrationPointName, subtenantCode, subtenantName }: Point,
): BadQueue {
  const oldest = oldestWaitingAt?.toISOString() ?? null;
  return { subtenantCode, subtenantName, queueId, queueName: name, integrationPointName, dead, waiting, oldestWaitingAt: oldest, weight };
}
