import type UPlot from "uplot";
import type { AlignedData } from "uplot";
import type { Series } from "./series.ts";

type Shown = { times: number[]; series: Series[]; data: AlignedData; isRunning: boolean; atRest: "total" | "latest" };

/** In CSS pixels: how far apart the strokes of the hatching are. */
const hatchGap = 6;

/** Index of the last point that the lines are drawn to, of those up to `last`: what follows is drawn apart. */
export function endOfWhole({ times, isRunning }: Pick<Shown, "times" | "isRunning">, last: number): number {
  return isRunning && times.length > 1 ? Math.min(last, times.length - 2) : last;
}

/** What a line tells of the whole range: its total, or its newest value of an interval that has ended. */
export function restingValue({ series, times, isRunning, atRest }: Omit<Shown, "data">, line: number): number | null {
  const values = series[line]?.values ?? [];
  if (atRest === "total") return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const whole = series[line]?.isWeekBefore ? values : values.slice(0, endOfWhole({ times, isRunning }, times.length - 1) + 1);
  return whole.findLast((value) => value !== null) ?? null;
}

/** Hatches the interval that is still running, and draws the lines paler in it; dashes tell lines apart. */
export function drawRunning(chart: UPlot, { times, series, data, isRunning }: Shown, style: CSSStyleDeclaration): void {
  const last = times.length - 1;
  const [from, to] = [times[last - 1], times[last]];
  if (!isRunning || from === undefined || to === undefined) return;
  const { ctx: pen, bbox } = chart;
  const ratio = devicePixelRatio;
  const [left, right] = [from, to].map((at) => chart.valToPos(at / 1000, "x", true));
  if (left === undefined || right === undefined) return;
  pen.save();
  pen.beginPath();
  pen.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  pen.clip();
  hatch();
  pen.globalAlpha = 0.5;
  pen.lineWidth = 2 * ratio;
  series.forEach(({ colour, dash, isWeekBefore }, index) => {
    const [before, now] = [data[index + 1]?.[last - 1], data[index + 1]?.[last]];
    if (isWeekBefore || typeof before !== "number" || typeof now !== "number") return;
    pen.strokeStyle = colour;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(left, chart.valToPos(before, "y", true));
    pen.lineTo(right, chart.valToPos(now, "y", true));
    pen.stroke();
  });
  pen.restore();

  function hatch(): void {
    if (left === undefined || right === undefined) return;
    pen.save();
    pen.beginPath();
    pen.rect(left, bbox.top, right - left, bbox.height);
    pen.clip();
    pen.strokeStyle = style.getPropertyValue("--muted");
    pen.globalAlpha = 0.5;
    pen.lineWidth = ratio;
    pen.beginPath();
    for (let x = left - bbox.height; x < right; x += hatchGap * ratio) {
      pen.moveTo(x, bbox.top + bbox.height);
      pen.lineTo(x + bbox.height, bbox.top);
    }
    pen.stroke();
    pen.restore();
  }
}
