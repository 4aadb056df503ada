import type pg from "pg";
import type { Metric, MetricGrain, MetricLatency } from "@crossdock/contract";

const hourMs = 3_600_000;

/** The finest rows that a range is answered with. */
export function grainOf(rangeMs: number): MetricGrain {
  if (rangeMs <= 6 * hourMs) return 1;
  if (rangeMs <= 9 * 24 * hourMs) return 15;
  return rangeMs <= 92 * 24 * hourMs ? 60 : 1440;
}

export type MetricRange = { grain: MetricGrain; from: Date; to: Date };

/** `queueIds` null: all of the tenant. */
export type MetricSelection = MetricRange & { queueIds: readonly number[] | null; isByQueue: boolean };

const where = `tenant_id = $1 and grain = $2 and at >= $3 and at < $4 and ($5::integer[] is null or queue_id = any ($5))`;

// Minutes without a row are nought in all: the fewest of the minutes are nought when one has none.
const metricsSql = (key: string): string => `
  select ${key} as "queueId", to_json(at)#>>'{}' as at, sum(added)::integer as added, sum(delivered)::integer as delivered, sum(failed)::integer as failed,
    sum(dead)::integer as dead, sum(superseded)::integer as superseded, max(added_max) as "addedMax",
    case when min(minutes) < $2 then 0 else min(added_min) end as "addedMin",
    sum(depth_total) / $2 as "depthMean", max(depth_max) as "depthMax",
    case when min(minutes) < $2 then 0 else min(depth_min) end as "depthMin", max(oldest_seconds) as "oldestSeconds"
  from hub.metric where ${where}
  group by 1, hub.metric.at order by hub.metric.at, 1`;

const latencySql = `
  select to_json(at)#>>'{}' as at, bucket, sum(count)::integer as count
  from hub.metric_latency where ${where}
  group by hub.metric_latency.at, bucket order by hub.metric_latency.at, bucket`;

export async function readMetrics(
  client: pg.ClientBase,
  tenantId: number,
  { grain, from, to, queueIds, isByQueue }: MetricSelection,
): Promise<{ items: Metric[]; latency: MetricLatency[] }> {
  const values = [tenantId, grain, from, to, queueIds];
  const { rows: items } = await client.query<Metric>(metricsSql(isByQueue ? "queue_id" : "null::integer"), values);
  const { rows: latency } = await client.query<MetricLatency>(latencySql, values);
  return { items, latency };
}

const queuesSql = `
  select queue.id
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where queue.tenant_id = $1 and subtenant.code = $2`;

/** The queues of a subtenant, null when there is no such one. */
export async function queuesOfSubtenant(client: pg.ClientBase, tenantId: number, code: string): Promise<number[] | null> {
  const known = await client.query("select from hub.subtenant where tenant_id = $1 and code = $2", [tenantId, code]);
  if (known.rowCount === 0) return null;
  return (await client.query<{ id: number }>(queuesSql, [tenantId, code])).rows.map(({ id }) => id);
}
