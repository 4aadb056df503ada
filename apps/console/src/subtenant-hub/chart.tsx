import { useEffect, useEffectEvent, useRef } from "react";
import { useIntl } from "react-intl";
import UPlot, { type AlignedData, type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Series } from "./series.ts";

export type ChartProps = {
  title: string;
  timeLabel: string;
  /** Milliseconds since 1970. */
  times: number[];
  series: Series[];
  isFilled: boolean;
  /** A part was marked by dragging. */
  onZoom: (from: number, to: number) => void;
  /** A point was clicked. */
  onPick: (at: number) => void;
  /** Hands the picture out, or takes it back. */
  onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

const height = 220;
/** All charts of the page show the same moment under the pointer. */
const crosshair = UPlot.sync("subtenant-hub");

/** Lines over time. Time runs from left to right in every language, as in every chart. */
export default function Chart({ title, timeLabel, times, series, isFilled, onZoom, onPick, onCanvas }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const names = useRef<HTMLDivElement>(null);
  const { formatDate, formatNumber } = useIntl();
  const zoom = useEffectEvent(onZoom);
  const pick = useEffectEvent(onPick);
  const hand = useEffectEvent(onCanvas);

  useEffect(() => {
    const box = place.current;
    const legend = names.current;
    if (!box || !legend) return undefined;
    const style = getComputedStyle(box);
    const [ink, line] = [style.getPropertyValue("--muted"), style.getPropertyValue("--line")];
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `12px ${style.fontFamily}` };
    const options: Options = {
      width: box.clientWidth,
      height,
      legend: { show: true, live: true, mount: (_chart, table) => legend.append(table) },
      cursor: { sync: { key: crosshair.key, setSeries: false }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: true }, y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.08)] } },
      axes: [
        { ...axis, space: 96, values: (_chart, splits) => splits.map((at) => clock(at, times, formatDate)) },
        { ...axis, size: 64, values: (_chart, splits) => splits.map((value) => formatNumber(value, { notation: "compact" })) },
      ],
      series: [
        {
          label: timeLabel,
          value: (_chart, at) => (at === null ? "" : formatDate(at * 1000, { dateStyle: "medium", timeStyle: "short" })),
        },
        ...series.map(({ label, colour, dash }) => ({
          label,
          stroke: colour,
          width: 2,
          dash,
          points: { show: times.length <= 1 },
          ...(isFilled && { fill: `${colour}22` }),
          value: (_chart: UPlot, value: number | null) => (value === null ? "–" : formatNumber(value, { maximumFractionDigits: 2 })),
        })),
      ],
      hooks: {
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width < 4) return;
            zoom(chart.posToVal(left, "x") * 1000, chart.posToVal(left + width, "x") * 1000);
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
      },
    };
    const data: AlignedData = [times.map((at) => at / 1000), ...series.map(({ values }) => values)];
    const chart = new UPlot(options, data, box);
    let pressedAt = 0;
    chart.over.addEventListener("pointerdown", ({ clientX }) => (pressedAt = clientX));
    chart.over.addEventListener("click", ({ clientX }) => {
      const at = times[chart.cursor.idx ?? -1];
      // The end of a drag is a click, too.
      if (at !== undefined && Math.abs(clientX - pressedAt) < 4) pick(at);
    });
    hand(chart.ctx.canvas);
    const observer = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }));
    observer.observe(box);
    return () => {
      observer.disconnect();
      hand(null);
      chart.destroy();
    };
  }, [timeLabel, times, series, isFilled, formatDate, formatNumber]);

  return (
    <div dir="ltr" className="h-[16.75rem]">
      <div ref={place} role="img" aria-label={title} className="h-[13.75rem] overflow-hidden" />
      {/* However many lines it names, the legend has one height, so that nothing moves; whoever has no pointer scrolls it by the keyboard. */}
      <div
        ref={names}
        tabIndex={0}
        role="group"
        aria-label={title}
        // The chart's own sheet is in no layer, and would win.
        className="h-12 overflow-y-auto leading-normal [&_.u-legend]:font-sans! [&_.u-legend]:text-xs! [&_.u-legend]:text-muted [&_.u-legend]:tabular-nums [&_.u-legend_th]:font-normal!"
      />
    </div>
  );
}

/** Hours, and where the range is longer than a day the day with them. */
function clock(at: number, times: number[], formatDate: (moment: number, options: Intl.DateTimeFormatOptions) => string): string {
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 25 * 3_600_000;
  const options: Intl.DateTimeFormatOptions = isLong
    ? { weekday: "short", hour: "2-digit", minute: "2-digit" }
    : { hour: "2-digit", minute: "2-digit" };
  return formatDate(at * 1000, options);
}
