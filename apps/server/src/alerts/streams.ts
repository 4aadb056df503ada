import type pg from "pg";
import { EntityType } from "@crossdock/contract";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const weekMs = 7 * 24 * hourMs;
/** How many past weeks say what is usual. */
const weeksMax = 8;
/** With fewer weeks of history nothing can be said. */
const weeksMin = 2;
/** A silence is measured no further back: a stream that brings little in three days is never missed by its count. */
const gapMsMax = 72 * hourMs;

/** The messages of one entity type for a subtenant. */
type Stream = {
  subtenantId: number;
  subtenantCode: string;
  entityType: EntityType;
  lastAt: Date;
  /** How many are usual at this time of the week. */
  usualPerHour: number;
  /** How many would have come since the last one, but for while the hub was away. With so many expected, the chance that none came is e^-missed. */
  missed: number;
  /** The time in which these would have come, of the last three days. */
  missedHours: number;
};

const awaySql = `
  select greatest(away_from, 'epoch') as "awayFrom", greatest(away_to, 'epoch') as "awayTo" from hub.alert_watch where tenant_id = $1`;

type Row = { subtenantId: number; subtenantCode: string; entityType: string; queueIds: number[]; lastAt: Date; firstAt: Date };

// Each look goes down the index of one queue from its newest row. Minutes are kept for eight days, hours for longer.
const streamsSql = `
  select "subtenantId", "subtenantCode", "entityType", array_agg(queue_id) as "queueIds", max(last_at) as "lastAt", min(first_at) as "firstAt"
  from (
    select subtenant.id as "subtenantId", subtenant.code as "subtenantCode", split_part(queue.name, '.', 2) as "entityType", queue.id as queue_id,
      coalesce(
        (select at + interval '1 minute' from hub.metric where metric.tenant_id = queue.tenant_id and metric.grain = 1 and metric.queue_id = queue.id
          and metric.added > 0 and metric.at <= $2 order by metric.at desc limit 1),
        (select at + interval '1 hour' from hub.metric where metric.tenant_id = queue.tenant_id and metric.grain = 60 and metric.queue_id = queue.id
          and metric.added > 0 and metric.at <= $2 order by metric.at desc limit 1)) as last_at,
      (select at from hub.metric where metric.tenant_id = queue.tenant_id and metric.grain = 60 and metric.queue_id = queue.id
        and metric.added > 0 order by metric.at limit 1) as first_at
    from queue.queue
    join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
    join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
    where queue.tenant_id = $1 and point.is_active and point.environment = 'production' and subtenant.is_active and not subtenant.incoming_paused
      and ($3::integer is null or subtenant.id = $3) and ($4::text is null or split_part(queue.name, '.', 2) = $4)
  ) seen
  where last_at is not null and first_at is not null
  group by 1, 2, 3 order by 2, 3`;

// A message goes to each of the subtenant's targets: the busiest queue tells how many there were, not all of them together.
const hoursSql = `
  select at, max(added)::integer as added from hub.metric
  where tenant_id = $1 and grain = 60 and queue_id = any ($2) and at = any ($3::timestamptz[]) group by at`;

type Wanted = { now: Date; subtenantId?: number | null; entityType?: EntityType | null };

/** The streams that there are, each with what is usual for it and what it misses. One without a history of some weeks is left out. */
export async function readStreams(
  client: pg.ClientBase,
  tenantId: number,
  { now, subtenantId = null, entityType = null }: Wanted,
): Promise<Stream[]> {
  const { rows } = await client.query<Row>(streamsSql, [tenantId, now, subtenantId, entityType]);
  const [away] = (await client.query<{ awayFrom: Date; awayTo: Date }>(awaySql, [tenantId])).rows;
  const [awayFrom, awayTo] = [away?.awayFrom.getTime() ?? 0, away?.awayTo.getTime() ?? 0];
  const streams: Stream[] = [];
  for (const row of rows) {
    const type = EntityType.safeParse(row.entityType);
    const last = Math.min(row.lastAt.getTime(), now.getTime());
    const weeks = Math.min(weeksMax, Math.floor((now.getTime() - row.firstAt.getTime()) / weekMs));
    if (!type.success || weeks < weeksMin) continue;
    const from = Math.max(last, now.getTime() - gapMsMax);
    const spans: Span[] = [
      { from, to: Math.max(from, awayFrom) },
      { from: Math.max(from, awayTo), to: now.getTime() },
    ];
    const usual = await readUsual(client, tenantId, row.queueIds, { from, to: now.getTime(), weeks });
    streams.push({
      subtenantId: row.subtenantId,
      subtenantCode: row.subtenantCode,
      entityType: type.data,
      lastAt: new Date(last),
      usualPerHour: usual(hourOf(now.getTime())),
      missed: sum(spans.map((span) => missedIn(span, usual))),
      missedHours: sum(spans.map((span) => span.to - span.from)) / hourMs,
    });
  }
  return streams;
}

const hourOf = (at: number): number => Math.floor(at / hourMs) * hourMs;

type Usual = (hour: number) => number;

/** How many usually come in an hour of the week, judged by the same hours of earlier weeks. */
async function readUsual(
  client: pg.ClientBase,
  tenantId: number,
  queueIds: number[],
  { from, to, weeks }: { from: number; to: number; weeks: number },
): Promise<Usual> {
  const asked: Date[] = [];
  for (let hour = hourOf(from) - hourMs; hour <= hourOf(to) + hourMs; hour += hourMs)
    for (let week = 1; week <= weeks; week += 1) asked.push(new Date(hour - week * weekMs));
  const { rows } = await client.query<{ at: Date; added: number }>(hoursSql, [tenantId, queueIds, asked]);
  const known = new Map(rows.map(({ at, added }) => [at.getTime(), added]));
  return (hour) => trimmedMean(Array.from({ length: weeks }, (_, index) => known.get(hour - (index + 1) * weekMs) ?? 0));
}

/** Without the highest and the lowest, where there are enough: a campaign or a holiday is not what is usual. */
function trimmedMean(counts: readonly number[]): number {
  const sorted = counts.toSorted((one, other) => one - other);
  const kept = sorted.length >= 4 ? sorted.slice(1, -1) : sorted;
  return sum(kept) / Math.max(1, kept.length);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type Span = { from: number; to: number };

/**
 * The number expected between two moments. An hour counts as the calmest of itself and its neighbours: a day that begins an hour later,
 * as after a change of the clocks, is no silence.
 */
function missedIn({ from, to }: Span, usual: Usual): number {
  let missed = 0;
  for (let hour = hourOf(from); hour < to; hour += hourMs) {
    const part = (Math.min(to, hour + hourMs) - Math.max(from, hour)) / hourMs;
    missed += part * Math.min(usual(hour - hourMs), usual(hour), usual(hour + hourMs));
  }
  return missed;
}
