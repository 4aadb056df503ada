import type pg from "pg";
import type { Missing } from "@crossdock/contract";
import { queueDepths, targets } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import { readFailedJobs } from "../failed-jobs.ts";
import { targetName } from "../targets.ts";

export type CutOff = { target: string; retryAt: Date | null; code: string; name: string; waiting: number };
export type Cause = { fingerprint: string; errorClass: string | null; errorMessage: string | null; count: number };
export type Counts = { added: number; delivered: number; failed: number; died: number };
type MissingState = Omit<Missing, "tenantCode" | "tenantName">;
export type TenantState = Counts & {
  waiting: number;
  dead: number;
  oldestWaitingAt: string | null;
  failingJobs: number;
  alerts: number;
  missing: MissingState[];
  cutOff: CutOff[];
  causes: Cause[];
};

const countsSql = `
  select coalesce(sum(added), 0)::integer as added, coalesce(sum(delivered), 0)::integer as delivered, coalesce(sum(failed), 0)::integer as failed,
    coalesce(sum(dead), 0)::integer as died
  from hub.metric where tenant_id = $1 and grain = 1 and at > now() - interval '1 hour'`;

// Those that stopped are told by readFailedJobs.
const jobsSql = `
  select count(*)::integer as count, now() from hub.job
  where tenant_id = $1 and created_at > now() - interval '1 day' and state <> 'stopped' and failed > 0`;

// By count, so that what is left out is the least of it.
const causesSql = `
  select coalesce(fingerprint, '') as fingerprint, max(error_class) as "errorClass", max(error_message) as "errorMessage", count(*)::integer as count
  from (select fingerprint, error_class, error_message from queue.dead where tenant_id = $1 limit 100000) died
  group by 1 order by count desc limit 50`;

const pointsSql = `select id, code, name, settings ->> 'url' as url from hub.integration_point where tenant_id = $1 and id = any ($2)`;

const alertsSql = "select count(*)::integer as count from hub.alert where tenant_id = $1 and state = 'firing'";

const missingSql = `
  select alert.id as "alertId", alert.kind, subtenant.name as "subtenantName", alert.value, alert.details
  from hub.alert join hub.subtenant on subtenant.tenant_id = alert.tenant_id and subtenant.id = alert.subtenant_id
  where alert.tenant_id = $1 and alert.kind in ('silence', 'order-unshipped', 'stock-stale') and alert.state in ('firing', 'acknowledged')
  order by alert.id desc limit 20`;

/** What is to be seen of one tenant from above. */
export function readTenant(pool: pg.Pool, tenantId: number): Promise<TenantState> {
  return inTenant(pool, tenantId, async (client) => {
    const depths = await queueDepths(client, { tenantId, isIdleOmitted: true });
    const open = (await targets(client, { tenantId })).filter(({ circuit }) => circuit.state === "open");
    const points = await client.query<{ id: number; code: string; name: string; url: string | null }>(pointsSql, [
      tenantId,
      open.map(({ targetId }) => targetId),
    ]);
    const counts = await client.query<Counts>(countsSql, [tenantId]);
    const jobs = await client.query<{ count: number; now: Date }>(jobsSql, [tenantId]);
    const failedJobs = await readFailedJobs(client, tenantId, null, jobs.rows[0]?.now ?? new Date());
    const alerts = await client.query<{ count: number }>(alertsSql, [tenantId]);
    const missing = await client.query<MissingState>(missingSql, [tenantId]);
    const causes = await client.query<Cause>(causesSql, [tenantId]);
    const waitingOf = (of: typeof depths) =>
      of.reduce((sum, { ready, inHand, retrying, parked }) => sum + ready + inHand + retrying + parked, 0);
    const oldest = depths.flatMap(({ oldestWaitingAt }) => oldestWaitingAt?.getTime() ?? []);
    return {
      ...(counts.rows[0] ?? { added: 0, delivered: 0, failed: 0, died: 0 }),
      waiting: waitingOf(depths),
      dead: depths.reduce((sum, { dead }) => sum + dead, 0),
      oldestWaitingAt: oldest.length === 0 ? null : new Date(Math.min(...oldest)).toISOString(),
      failingJobs: failedJobs.length + (jobs.rows[0]?.count ?? 0),
      alerts: alerts.rows[0]?.count ?? 0,
      missing: missing.rows,
      causes: causes.rows,
      cutOff: points.rows.map(({ id, code, name, url }) => ({
        target: targetName({ url, name, code }),
        retryAt: open.find(({ targetId }) => targetId === id)?.circuit.openUntil ?? null,
        code,
        name,
        waiting: waitingOf(depths.filter(({ targetId }) => targetId === id)),
      })),
    };
  });
}
