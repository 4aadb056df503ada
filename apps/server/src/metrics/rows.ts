import type pg from "pg";
import type { Metric, MetricGrain, MetricLatency } from "@crossdock/contract";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Range = { from: Date; to: Date };

/** The finest rows that a range is answered with by themselves. */
export function grainOf({ from, to }: Range): MetricGrain {
  const rangeMs = to.getTime() - from.getTime();
  if (rangeMs <= 6 * hourMs) return 1;
  if (rangeMs <= 9 * 24 * hourMs) return 15;
  return rangeMs <= 92 * 24 * hourMs ? 60 : 1440;
}

/**
 * The coarsest rows of which those of `grain` minutes from `from` on can be made, as in some zones hours begin at a half or a quarter of UTC's.
 * Null when no row begins there.
 */
export function sourceOf(grain: MetricGrain, from: Date): MetricGrain | null {
  const isWhole = (minutes: number): boolean => from.getTime() % (minutes * minuteMs) === 0;
  if (isWhole(grain)) return grain;
  return grain === 60 && isWhole(15) ? 15 : null;
}

type MetricSelection = Range & {
  grain: MetricGrain;
  /** The rows that are read; where they are finer, a row of the answer begins at `from` and every `grain` minutes after it. */
  source: MetricGrain;
  /** Null: all of the tenant. */
  queueIds: readonly number[] | null;
  isByQueue: boolean;
};

const where = "tenant_id = $1 and grain = $2 and at >= $3 and at < $4 and ($5::integer[] is null or queue_id = any ($5))";
/** Where the row of the answer begins to which a kept one belongs. */
const binned = "date_bin(make_interval(mins => $6), metric.at, $3)";

// A queue's rows as they are kept, in the order of the primary key, so that there is nothing to add up or to sort. Minutes without a row are nought
// in all, so the fewest of the minutes are nought when there are less of them.
const ownRowsSql = `
  select queue_id as "queueId", queue.iso(metric.at) as at, added, delivered, failed, dead, superseded, added_max as "addedMax",
    case when minutes < $6::integer then 0 else added_min end as "addedMin", depth_total / $6::integer as "depthMean", depth_max as "depthMax",
    case when minutes < $6::integer then 0 else depth_min end as "depthMin", oldest_seconds as "oldestSeconds"
  from hub.metric metric where ${where} order by queue_id, metric.at`;

const addedUpSql = ({ key, begin, minutes }: { key: string; begin: string; minutes: string }): string => `
  select ${key} as "queueId", queue.iso(${begin}) as at, sum(added)::integer as added, sum(delivered)::integer as delivered,
    sum(failed)::integer as failed, sum(dead)::integer as dead, sum(superseded)::integer as superseded, max(added_max) as "addedMax",
    case when sum(minutes) < ${minutes} then 0 else min(added_min) end as "addedMin", sum(depth_total) / $6::integer as "depthMean",
    max(depth_max) as "depthMax", case when sum(minutes) < ${minutes} then 0 else min(depth_min) end as "depthMin",
    max(oldest_seconds) as "oldestSeconds"
  from hub.metric metric where ${where}
  group by 1, ${begin} order by 1, ${begin}`;

const latencySql = (begin: string): string => `
  select queue.iso(${begin}) as at, bucket, sum(count)::integer as count, sum(attempts)::integer as attempts
  from hub.metric_latency metric where ${where} and $6::integer > 0
  group by ${begin}, bucket order by ${begin}, bucket`;

export async function readMetrics(
  client: pg.ClientBase,
  tenantId: number,
  { from, to, grain, source, queueIds, isByQueue }: MetricSelection,
): Promise<{ items: Metric[]; latency: MetricLatency[] }> {
  const values = [tenantId, source, from, to, queueIds, grain];
  const begin = source === grain ? "metric.at" : binned;
  const minutes = isByQueue ? "$6::integer" : "$6::integer * count(distinct queue_id)";
  const sql = isByQueue && source === grain ? ownRowsSql : addedUpSql({ key: isByQueue ? "queue_id" : "null::integer", begin, minutes });
  const { rows: items } = await client.query<Metric>(sql, values);
  const { rows: latency } = await client.query<MetricLatency>(latencySql(begin), values);
  return { items, latency };
}
