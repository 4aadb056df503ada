import type UPlot from "uplot";
import { afterEach, expect, test, vi } from "vitest";
import { drawRunning, endOfWhole, restingValue } from "./running.ts";
import type { Series } from "./series.ts";

const line = (values: (number | null)[], isWeekBefore = false): Series => ({ label: "", values, isWeekBefore, colour: "", dash: [] });
const times = [0, 1, 2];

test("the lines end before the interval that is still running, and nowhere else", () => {
  expect(endOfWhole({ times, isRunning: true }, 2)).toBe(1);
  expect(endOfWhole({ times, isRunning: false }, 2)).toBe(2);
  expect(endOfWhole({ times: [0], isRunning: true }, 0)).toBe(0);
});

afterEach(() => vi.unstubAllGlobals());

test("in the interval that is still running each line keeps its own dashes, and is paler", () => {
  vi.stubGlobal("devicePixelRatio", 1);
  const drawn: object[] = [];
  const pen = {
    strokeStyle: "",
    globalAlpha: 1,
    dash: [] as number[],
    ...Object.fromEntries(["save", "restore", "beginPath", "rect", "clip", "moveTo", "lineTo"].map((name) => [name, () => undefined])),
    setLineDash: (dash: number[]) => (pen.dash = dash),
    stroke: () => drawn.push({ colour: pen.strokeStyle, dash: pen.dash, isPale: pen.globalAlpha < 1 }),
  };
  const chart = { ctx: pen, bbox: { left: 0, top: 0, width: 10, height: 10 }, valToPos: (value: number) => value } as unknown as UPlot;
  const style = { getPropertyValue: () => "grey" } as unknown as CSSStyleDeclaration;
  const series = [
    { ...line([4, 6, 1]), colour: "blue" },
    { ...line([2, 2, 1]), colour: "orange", dash: [6, 4] },
  ];
  const data = [times, ...series.map(({ values }) => values)] as UPlot.AlignedData;
  drawRunning(chart, { series, data, times, isRunning: true, atRest: "total" }, style);
  const [, ...lines] = drawn;
  expect(lines).toEqual([
    { colour: "blue", dash: [], isPale: true },
    { colour: "orange", dash: [6, 4], isPale: true },
  ]);
});

test("at rest a legend tells totals, or the newest value of an interval that has ended", () => {
  const series = [line([4, 6, 1]), line([4, null, 1]), line([4, 6, 8], true), line([null, null, 3])];
  const latest = { series, times, isRunning: true, atRest: "latest" } as const;
  expect(series.map((_, index) => restingValue(latest, index))).toEqual([6, 4, 8, null]);
  expect(restingValue({ ...latest, isRunning: false }, 0)).toBe(1);
  expect(restingValue({ ...latest, atRest: "total" }, 1)).toBe(5);
});
