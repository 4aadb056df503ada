import { expect, test } from "vitest";
import { byPointAWeekLater, timesOf, type Axis, type Metrics } from "./points.ts";
import { asWeekBefore, latencySeries, namedQueues, queueSeries, sumSeries } from "./series.ts";

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

const label = (line: string) => `${line} then`;

test("outcomes and times of the week before stand at the same time of the week, beside the line of the same colour", () => {
  const at = new Date(60_000);
  at.setDate(at.getDate() - 7);
  const before: Metrics = {
    items: [{ ...row(1, 0), at: at.toISOString(), delivered: 9 }],
    latency: [
      { at: at.toISOString(), bucket: 10, count: 1, attempts: 0 },
      { at: at.toISOString(), bucket: 5, count: 0, attempts: 1 },
    ],
    grain: 1,
    from: "",
    to: "",
  };
  const today = sumSeries(before, axis, [{ key: "delivered", label: "Delivered" }]);
  const [then] = asWeekBefore(sumSeries(before, axis, [{ key: "delivered", label: "Delivered" }], byPointAWeekLater), label);
  expect([then?.label, then?.values, then?.isWeekBefore]).toEqual(["Delivered then", [0, 9], true]);
  expect(today[0]?.values).toEqual([0, 0]);
  expect([then?.colour, then?.dash === today[0]?.dash]).toEqual([today[0]?.colour, false]);
  const times = asWeekBefore(latencySeries(before, axis, "Attempt", byPointAWeekLater), label);
  expect(times.map(({ values }) => values.map((value) => value !== null))).toEqual(times.map(() => [false, true]));
  expect(times.at(-1)).toMatchObject({ label: "Attempt then", values: [null, (32 * 1.95) / 1000] });
  expect(times).toHaveLength(4);
});

test("queues that share a name are told apart by their integration points, the others by their names alone", () => {
  const [north, south] = ["North", "South"].map((name, id) => ({ id, code: name, name }));
  if (!north || !south) throw new Error("no points");
  const named = namedQueues([
    { id: 1, name: "litium.item", integrationPoint: north },
    { id: 2, name: "litium.item", integrationPoint: south },
    { id: 3, name: "litium.order", integrationPoint: north },
  ]);
  expect(named.map(({ name }) => name)).toEqual(["litium.item · North", "litium.item · South", "litium.order"]);
});
