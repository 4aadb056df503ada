import type { MessageState, Queue } from "@crossdock/contract";
import { styleOf, type Series } from "../charts/series.ts";
import { aggregateOf, byPoint, quantile, type Axis, type Measure, type Metrics } from "./points.ts";
import type { Aggregate } from "./search.ts";

/** Of every line of the week before, which is thin, too; those that stand for one of today's have its colour. */
const weekBeforeDash = [2, 2];

/** Which rows belong to each point: those of its time, or of the same time a week before. */
type ByTime = typeof byPoint;

/** Names for queues, with the integration point where two have the same. */
export function namedQueues(queues: readonly Pick<Queue, "id" | "name" | "integrationPoint">[]): { id: number; name: string }[] {
  const counts = Map.groupBy(queues, ({ name }) => name);
  return queues.map(({ id, name, integrationPoint }) => ({
    id,
    name: (counts.get(name)?.length ?? 0) > 1 ? `${name} · ${integrationPoint.name}` : name,
  }));
}

/** A line for each queue. Stacked, each stands on the one before it. */
export function queueSeries(
  { items, grain }: Metrics,
  queues: readonly Pick<Queue, "id" | "name">[],
  axis: Axis,
  { measure, aggregate, isStacked }: { measure: Measure; aggregate: Aggregate; isStacked: boolean },
  byTime: ByTime = byPoint,
): Series[] {
  let under: number[] = [];
  return queues.map(({ id, name }, index) => {
    const points = byTime(
      items.filter(({ queueId }) => queueId === id),
      axis,
    );
    const own = points.map((rows) => aggregateOf(rows, measure, aggregate, grain, axis.stepMs));
    if (isStacked) under = own.map((value, at) => value + (under[at] ?? 0));
    return { label: name, values: own, queueId: id, ...(isStacked && { stacked: under }), ...styleOf(index) };
  });
}

/** All of these together, as what is stacked ends at the top. */
export function together(lines: readonly Series[], label: string): Series[] {
  const values = (lines[0]?.values ?? []).map((_, at) => lines.reduce((sum, line) => sum + (line.values[at] ?? 0), 0));
  return [{ label, values, colour: "#8a8f98", dash: weekBeforeDash, isWeekBefore: true }];
}

/** Lines of the same kind as today's, of what was a week earlier. */
export function asWeekBefore(lines: readonly Series[], label: (line: string) => string): Series[] {
  return lines.map((line) => ({ ...line, label: label(line.label), isWeekBefore: true, dash: weekBeforeDash }));
}

type Outcome = { key: "delivered" | "failed" | "dead"; label: string; state?: MessageState };

export function sumSeries({ items }: Metrics, axis: Axis, what: Outcome[], byTime: ByTime = byPoint): Series[] {
  const points = byTime(items, axis);
  return what.map(({ key, ...line }, index) => ({
    ...line,
    values: points.map((rows) => rows.reduce((sum, row) => sum + row[key], 0)),
    ...styleOf([2, 3, 4][index] ?? index),
  }));
}

export const shares = [0.5, 0.95, 0.99];

/** Of the attempts, as slow targets show in the slower ones. */
export const attemptShare = 0.95;

/** Seconds from arrival to delivery, and beside them the part of it that an attempt takes, which the target answers for. */
export function latencySeries({ latency }: Metrics, axis: Axis, attemptLabel: string, byTime: ByTime = byPoint): Series[] {
  const points = byTime(latency, axis);
  const seconds = (share: number, of: "count" | "attempts") =>
    points.map((buckets) => {
      const ms = quantile(buckets, share, of);
      return ms === null ? null : ms / 1000;
    });
  return [
    ...shares.map((share, index) => ({
      label: `p${share * 100}`,
      state: "delivered" as const,
      values: seconds(share, "count"),
      ...styleOf(index),
    })),
    { label: attemptLabel, values: seconds(attemptShare, "attempts"), ...styleOf(shares.length) },
  ];
}
