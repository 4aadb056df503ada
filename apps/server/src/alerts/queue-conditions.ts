import type pg from "pg";
import type { CircuitFault } from "@crossdock/contract";
import { targetName } from "../targets.ts";
import type { Finding, Rule } from "./rule.ts";

type Row = { pointId: number; name: string; subtenantId: number; queueId: number | null; value: number; oldest?: string };

// What is wrong with several queues of one integration point is one thing. $2 and $3 narrow to a subtenant or queue, $4 is the threshold.
const ofPoints = (figures: string): string => `
  select point.id as "pointId", point.name, point.subtenant_id as "subtenantId", sum(figures.value)::double precision as value,
    case when count(*) = 1 then max(figures.queue_id) end as "queueId"
  from (${figures}) figures
  join queue.queue on queue.tenant_id = $1 and queue.id = figures.queue_id
  join hub.integration_point point on point.tenant_id = $1 and point.id = queue.target_id
  where ($2::integer is null or point.subtenant_id = $2) and ($3::integer is null or queue.id = $3)
  group by point.id, point.name, point.subtenant_id having sum(figures.value) >= $4
  order by value desc`;

// As the engine keeps them: a count would go through all of them every time.
const deadSql = ofPoints(`
  select queue_id, sum(count) as value from (
    select queue_id, count from queue.dead_tally where tenant_id = $1 union all select queue_id, count from queue.dead_change where tenant_id = $1
  ) kept group by queue_id`);

const risingSql = ofPoints(`
  select queue_id, sum(dead) as value from hub.metric
  where tenant_id = $1 and grain = 1 and at > $5::timestamptz - make_interval(secs => $6) and at <= $5 and dead > 0 group by queue_id`);

// A queue whose target is away waits for it, which is another rule's business; one that somebody has paused waits for them.
const ageSql = `
  select point.id as "pointId", point.name, point.subtenant_id as "subtenantId", queue.id as "queueId",
    floor(seen.oldest_seconds / 60.0)::double precision as value,
    queue.iso($5::timestamptz - make_interval(secs => seen.oldest_seconds)) as oldest
  from queue.queue
  join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join queue.target on target.tenant_id = queue.tenant_id and target.id = queue.target_id and target.circuit = 'closed' and not target.is_paused
  cross join lateral (
    select oldest_seconds from hub.metric
    where metric.tenant_id = queue.tenant_id and metric.grain = 1 and metric.queue_id = queue.id and metric.at <= $5 and metric.at > $5::timestamptz - interval '3 minutes'
    order by metric.at desc limit 1
  ) seen
  where queue.tenant_id = $1 and ($2::integer is null or point.subtenant_id = $2) and ($3::integer is null or queue.id = $3)
    and seen.oldest_seconds >= $4::double precision * 60
  order by seen.oldest_seconds desc`;

/** Dead letters and old messages, by the integration point that they were meant for. */
export async function findInQueues(client: pg.ClientBase, tenantId: number, rule: Rule, now: Date): Promise<Finding[]> {
  const values = [tenantId, rule.subtenantId, rule.queueId, rule.threshold];
  const read = async (): Promise<Row[]> => {
    if (rule.kind === "dead-letters") return (await client.query<Row>(deadSql, values)).rows;
    if (rule.kind === "dead-letters-rising") return (await client.query<Row>(risingSql, [...values, now, rule.windowSeconds])).rows;
    return (await client.query<Row>(ageSql, [...values, now])).rows;
  };
  const findings = new Map<string, Finding>();
  for (const { pointId, name, subtenantId, queueId, value, oldest } of await read()) {
    const object = `point:${pointId}`;
    // The first is the worst.
    if (!findings.has(object))
      findings.set(object, { object, value, subtenantId, queueId, details: { name, ...(oldest !== undefined && { oldest }) } });
  }
  return [...findings.values()];
}

type CutOff = {
  id: number;
  subtenantId: number;
  code: string;
  name: string;
  url: string | null;
  waiting: number;
  circuitFault: CircuitFault | null;
};

const cutOffSql = `
  select id, subtenant_id as "subtenantId", code, name, url, waiting, circuit_fault as "circuitFault" from hub.cut_off_point
  where tenant_id = $1 and not is_paused and ($2::integer is null or subtenant_id = $2)
    and ($3::integer is null or id = (select target_id from queue.queue where tenant_id = $1 and id = $3))
  order by name, id`;

/**
 * Targets that don't answer, by their address: all of the tenant's points that deliver there are one outage. Of one that is paused nobody could tell that it
 * answers again.
 */
export async function findOutages(client: pg.ClientBase, tenantId: number, rule: Rule): Promise<Finding[]> {
  const { rows } = await client.query<CutOff>(cutOffSql, [tenantId, rule.subtenantId, rule.queueId]);
  return [...Map.groupBy(rows, targetName)].map(([target, points]) => {
    const subtenants = new Set(points.map(({ subtenantId }) => subtenantId));
    const [point] = points;
    return {
      object: `target:${target}`,
      value: points.length,
      subtenantId: subtenants.size === 1 ? (points[0]?.subtenantId ?? null) : null,
      queueId: null,
      details: { ...detailsOf(target, points), ...(points.length === 1 && point && { pointId: point.id }) },
    };
  });
}

/** Of several points the failures of one stand for all: their system is the same. */
function detailsOf(target: string, points: readonly Omit<CutOff, "id" | "subtenantId">[]) {
  const waiting = points.reduce((sum, point) => sum + point.waiting, 0);
  const fault = points.find(({ circuitFault }) => circuitFault)?.circuitFault;
  return { name: target, points: points.map(({ name }) => name), waiting, ...(fault && { circuitFault: fault }) };
}

type InstallationCutOff = Omit<CutOff, "id" | "subtenantId"> & { tenantCode: string; tenantName: string };

const allCutOffSql = `
  select tenant_code as "tenantCode", tenant_name as "tenantName", code, name, url, waiting, circuit_fault as "circuitFault"
  from hub.cut_off_points() where not is_paused`;

/** The same over all tenants, as the dashboard shows them. `worker` may see them all. */
export async function findOutagesOfAll(worker: pg.Pool, rule: Rule): Promise<Finding[]> {
  const { rows } = await worker.query<InstallationCutOff>(allCutOffSql);
  return [...Map.groupBy(rows, targetName)].flatMap(([target, points]) => {
    const tenants = [...new Map(points.map(({ tenantCode, tenantName }) => [tenantCode, { code: tenantCode, name: tenantName }])).values()];
    if (tenants.length < rule.threshold) return [];
    const details = { ...detailsOf(target, points), tenants };
    return [{ object: `target:${target}`, value: tenants.length, subtenantId: null, queueId: null, details }];
  });
}
