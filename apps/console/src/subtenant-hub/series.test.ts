import { expect, test } from "vitest";
import { timesOf, type Axis, type Metrics } from "./points.ts";
import { queueSeries } from "./series.ts";

const axis: Axis = { from: 0, to: 120_000, stepMs: 60_000 };
const nought = { delivered: 0, failed: 0, dead: 0, superseded: 0, addedMax: 0, addedMin: 0, depthMean: 0, depthMax: 0, depthMin: 0 };
const row = (queueId: number, added: number): Metrics["items"][number] => ({
  ...nought,
  queueId,
  at: new Date(0).toISOString(),
  added,
  oldestSeconds: 0,
});

test("stacked lines stand on each other and still tell their own numbers, which the table and the file show", () => {
  const data: Metrics = { items: [row(1, 3), row(2, 4)], grain: 1, latency: [], from: "", to: "" };
  const queues = [
    { id: 1, name: "orders" },
    { id: 2, name: "items" },
  ];
  const [orders, items] = queueSeries(data, queues, axis, { measure: "added", aggregate: "sum", isStacked: true });
  expect(timesOf(axis)).toHaveLength(2);
  expect([orders?.values, items?.values]).toEqual([
    [3, 0],
    [4, 0],
  ]);
  expect([orders?.stacked, items?.stacked]).toEqual([
    [3, 0],
    [7, 0],
  ]);
  expect(items?.queueId).toBe(2);
});
