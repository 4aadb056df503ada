import type { Metric } from "@crossdock/contract";
import { expect, test } from "vitest";
import { aggregateOf, axisOf, byPoint, byPointAWeekLater, drainMs, pointOf, quantile, timesOf, weekBefore } from "./points.ts";

const minuteMs = 60_000;
const nought = { added: 0, delivered: 0, failed: 0, dead: 0, superseded: 0, addedMax: 0, addedMin: 0 };
const row = (more: Partial<Metric>): Metric => ({
  ...nought,
  queueId: 1,
  at: "2026-03-29T00:00:00Z",
  depthMean: 0,
  depthMax: 0,
  depthMin: 0,
  oldestSeconds: 0,
  ...more,
});

test("a point is the sum, the mean, the most and the fewest of its minutes, those without a row being nought", () => {
  const rows = [row({ added: 30, addedMax: 9, addedMin: 1 }), row({ added: 15, addedMax: 15, addedMin: 0 })];
  const of = (aggregate: "sum" | "mean" | "max" | "min") => aggregateOf(rows, "added", aggregate, 15, 60 * minuteMs);
  expect([of("sum"), of("mean"), of("max"), of("min")]).toEqual([45, 0.75, 15, 0]);
  const whole = Array.from({ length: 4 }, () => row({ addedMin: 2 }));
  expect(aggregateOf(whole, "added", "min", 15, 60 * minuteMs)).toBe(2);
});

test("depth is averaged over all minutes, also those in which nothing waited", () => {
  expect(aggregateOf([row({ depthMean: 40, depthMax: 90 })], "depth", "mean", 15, 60 * minuteMs)).toBe(10);
  expect(aggregateOf([row({ depthMean: 40, depthMax: 90 })], "depth", "max", 15, 60 * minuteMs)).toBe(90);
  expect(aggregateOf([], "depth", "max", 15, 60 * minuteMs)).toBe(0);
});

test("every row belongs to exactly one point, also in the week of a daylight-saving change", () => {
  // In Europe and in America clocks change in these weeks; what the zone of the test is does not matter.
  for (const now of ["2026-03-30T12:34:56Z", "2026-03-09T12:34:56Z", "2026-10-26T00:30:00Z", "2026-11-02T05:10:00Z"]) {
    const axis = axisOf("week", null, Date.parse(now));
    const quarters = Array.from({ length: 7 * 96 }, (_, index) =>
      row({ at: new Date(axis.from + index * 15 * minuteMs).toISOString(), added: 1 }),
    );
    const points = byPoint(quarters, axis);
    expect(points).toHaveLength(168);
    expect(new Set(points.map(({ length }) => length))).toEqual(new Set([4]));
    expect(axis.to).toBeGreaterThan(Date.parse(now));
  }
});

test("the week before is the same time by the clock, also when clocks changed in between", () => {
  const zone = process.env["TZ"];
  process.env["TZ"] = "Europe/Stockholm";
  // Clocks went back on 25 October: half past nine is 7:30 UTC before it and 8:30 after.
  const axis = axisOf("day", null, Date.parse("2026-10-28T08:31:00Z"));
  const rows = [row({ at: "2026-10-21T07:30:00Z", added: 5 })];
  const points = byPointAWeekLater(rows, axis);
  const at = timesOf(axis).findIndex((time) => time === Date.parse("2026-10-28T08:30:00Z"));
  expect(points).toHaveLength(96);
  expect(points.flatMap((found, index) => (found.length > 0 ? [index] : []))).toEqual([at]);
  expect(new Date(weekBefore(axis).to).toISOString()).toBe("2026-10-21T07:45:00.000Z");
  process.env["TZ"] = zone ?? "UTC";
});

test("hours begin where the viewer's clock has them", () => {
  const at = Date.parse("2026-06-01T10:20:30Z");
  expect(new Date(pointOf(at, 60)).getMinutes()).toBe(0);
  expect(pointOf(at, 60)).toBeLessThanOrEqual(at);
  expect(at - pointOf(at, 60)).toBeLessThan(60 * minuteMs);
});

test("a zoomed range has finer points and holds what was chosen", () => {
  const zoom = { from: Date.parse("2026-06-01T10:20:30Z"), to: Date.parse("2026-06-01T12:00:00Z") };
  const axis = axisOf("week", zoom, zoom.to);
  expect(axis.stepMs).toBe(minuteMs);
  expect(axis.from).toBeLessThanOrEqual(zoom.from);
  expect(axis.to).toBeGreaterThanOrEqual(zoom.to);
});

test("a quantile lies in the bucket that its share of the deliveries, or of the attempts, reaches", () => {
  const at = "2026-06-01T10:00:00Z";
  const buckets = [
    { at, bucket: 1, count: 0, attempts: 8 },
    { at, bucket: 3, count: 50, attempts: 0 },
    { at, bucket: 5, count: 50, attempts: 0 },
  ];
  expect(quantile(buckets, 0.5, "count")).toBe(16);
  expect(quantile(buckets, 0.75, "count")).toBe(48);
  expect(quantile(buckets, 0.5, "attempts")).toBe(3);
  expect(quantile([], 0.5, "count")).toBeNull();
});

test("a backlog lasts as long as the pace of the last five whole minutes says, what still comes included", () => {
  const end = Date.parse("2026-03-29T00:10:00Z");
  const at = (minute: number) => new Date(end - minute * minuteMs).toISOString();
  const rows = [
    row({ at: at(1), delivered: 600, superseded: 100, added: 200 }),
    row({ at: at(5), delivered: 200, dead: 100, queueId: 2 }),
    // Before the five minutes, and in the one that goes on.
    row({ at: at(6), delivered: 9_000 }),
    row({ at: at(0), added: 9_000 }),
  ];
  // Two hundred a minute go, forty come.
  expect(drainMs(rows, 1600, end)).toBe(10 * minuteMs);
  expect(drainMs(rows, 200, end)).toBeNull();
  expect(drainMs([...rows, row({ at: at(5), added: 800 })], 1600, end)).toBe(Infinity);
  expect(drainMs([], 1, end)).toBe(Infinity);
  expect(drainMs([], 0, end)).toBeNull();
});
