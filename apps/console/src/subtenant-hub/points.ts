import type { AnswerOf, Metric, MetricGrain, MetricLatency, Routes } from "@crossdock/contract";
import type { Aggregate, RangeName, Span } from "./search.ts";

const minuteMs = 60_000;

/** How long each range is, and how many minutes each of its points stands for. */
const shapes: Record<RangeName, { minutes: number; step: number }> = {
  hour: { minutes: 60, step: 1 },
  day: { minutes: 24 * 60, step: 15 },
  week: { minutes: 7 * 24 * 60, step: 60 },
};

export type Metrics = AnswerOf<Routes["listMetrics"]>;

export type Axis = Span & { stepMs: number };

/** The range that ends with the point under way, or the part of it that was zoomed into, at whole points of the viewer's clock. */
export function axisOf(range: RangeName, zoom: Span | null, now: number): Axis {
  const { minutes, step } = shapes[range];
  if (zoom === null) {
    const to = pointOf(now, step) + step * minuteMs;
    return { from: to - minutes * minuteMs, to, stepMs: step * minuteMs };
  }
  const lengthMinutes = (zoom.to - zoom.from) / minuteMs;
  // As fine as the server has it for that length.
  const fine = lengthMinutes <= 6 * 60 ? 1 : lengthMinutes <= 36 * 60 ? 15 : 60;
  return { from: pointOf(zoom.from, fine), to: pointOf(zoom.to - 1, fine) + fine * minuteMs, stepMs: fine * minuteMs };
}

/** The same time of the week before by the viewer's clock, which traffic follows: over a daylight-saving change that is not a week of hours. */
export function weekEarlier(at: number): number {
  const moment = new Date(at);
  moment.setDate(moment.getDate() - 7);
  return moment.getTime();
}

/** What lies a week before an axis. */
export function weekBefore(axis: Axis): Axis {
  const starts = timesOf(axis).map(weekEarlier);
  return { from: Math.min(...starts), to: Math.max(...starts) + axis.stepMs, stepMs: axis.stepMs };
}

/** Rows by the point of the axis that they lie a week before. The hour that a clock has twice is compared with the same one both times. */
export function byPointAWeekLater<Row extends { at: string }>(rows: readonly Row[], axis: Axis): Row[][] {
  const before = weekBefore(axis);
  const points = byPoint(rows, before);
  return timesOf(axis).map((at) => points[Math.floor((weekEarlier(at) - before.from) / axis.stepMs)] ?? []);
}

/** The start of the point that a moment lies in. Hours begin where the viewer's do, which in some zones is a half or a quarter past. */
export function pointOf(at: number, stepMinutes: number): number {
  const offsetMs = new Date(at).getTimezoneOffset() * minuteMs;
  const stepMs = stepMinutes * minuteMs;
  return Math.floor((at - offsetMs) / stepMs) * stepMs + offsetMs;
}

export type Measure = "added" | "depth";

/** What is drawn of one point: rows of `grain` minutes become one number. Minutes without a row are nought. */
export function aggregateOf(rows: readonly Metric[], measure: Measure, aggregate: Aggregate, grain: MetricGrain, stepMs: number): number {
  const minutes = stepMs / minuteMs;
  const total = rows.reduce((sum, row) => sum + (measure === "added" ? row.added : row.depthMean * grain), 0);
  if (aggregate === "sum") return total;
  if (aggregate === "mean") return total / minutes;
  const extremes = rows.map((row) =>
    measure === "added" ? (aggregate === "max" ? row.addedMax : row.addedMin) : aggregate === "max" ? row.depthMax : row.depthMin,
  );
  if (aggregate === "max") return Math.max(0, ...extremes);
  return rows.length * grain < minutes ? 0 : Math.min(...extremes);
}

/** Starts of the axis' points. */
export function timesOf({ from, to, stepMs }: Axis): number[] {
  return Array.from({ length: Math.max(0, Math.round((to - from) / stepMs)) }, (_, index) => from + index * stepMs);
}

/** Rows by the point that they belong to. */
export function byPoint<Row extends { at: string }>(rows: readonly Row[], { from, to, stepMs }: Axis): Row[][] {
  const points: Row[][] = timesOf({ from, to, stepMs }).map(() => []);
  for (const row of rows) points[Math.floor((Date.parse(row.at) - from) / stepMs)]?.push(row);
  return points;
}

const paceMinutes = 5;
const inMinutes = (rows: readonly Metric[], key: "added" | "delivered" | "superseded" | "dead") =>
  rows.reduce((sum, row) => sum + row[key], 0) / paceMinutes;

/**
 * How long `waiting` messages last at the pace of the last whole minutes before `end`, milliseconds: Infinity when they don't become fewer, null
 * when no more wait than a minute takes away.
 */
export function drainMs(items: readonly Metric[], waiting: number, end: number): number | null {
  const recent = items.filter(({ at }) => Date.parse(at) < end && Date.parse(at) >= end - paceMinutes * minuteMs);
  const gone = inMinutes(recent, "delivered") + inMinutes(recent, "superseded") + inMinutes(recent, "dead");
  if (waiting <= gone) return null;
  const fewer = gone - inMinutes(recent, "added");
  return fewer > 0 ? (waiting / fewer) * minuteMs : Infinity;
}

/** The time below which a share of the deliveries (`count`) or attempts stayed, milliseconds; null without any. Within a bucket they count as evenly spread. */
export function quantile(buckets: readonly MetricLatency[], share: number, of: "count" | "attempts"): number | null {
  const counts = new Map<number, number>();
  for (const row of buckets) if (row[of] > 0) counts.set(row.bucket, (counts.get(row.bucket) ?? 0) + row[of]);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = total * share;
  for (const [bucket, count] of [...counts].toSorted(([one], [other]) => one - other)) {
    if (left <= count) return 2 ** bucket * (1 + left / count);
    left -= count;
  }
  return null;
}
