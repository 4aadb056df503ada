import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { useIntl } from "react-intl";
import "./readable-language.ts";
import UPlot, { type AlignedData, type Options } from "uplot";
import "uplot/dist/uPlot.min.css";
import { useText } from "../i18n/i18n.tsx";
import { drawRunning, endOfWhole, restingValue } from "./running.ts";
import type { Series } from "./series.ts";

export type ChartProps = {
  title: string;
  timeLabel: string;
  /** Milliseconds since 1970. */
  times: number[];
  series: Series[];
  /** The last point stands for an interval that has not ended: it is drawn apart, so that it is not taken for a fall. */
  isRunning: boolean;
  /** What the legend tells while no moment is under the pointer. */
  atRest: "total" | "latest";
  /** A part was marked by dragging; absent, none can be. */
  onZoom?: (from: number, to: number) => void;
  /** A point was clicked; with the line, where one was hit. */
  onPick?: (at: number, line: Series | undefined) => void;
  /** Hands the picture out, or takes it back. */
  onCanvas: (canvas: HTMLCanvasElement | null) => void;
};

const height = 220;
/** On a phone the legend has the time in a line, and two names in each further one. */
const legendLineRem = 1.5625;
const legendLinesMax = 7;
/** A click this near to a line means the line. */
const hitPixels = 12;
/** All charts of the page show the same moment under the pointer. */
const crosshair = UPlot.sync("charts");

const forcedColours = matchMedia("(forced-colors: active)");

const linear = UPlot.paths.linear?.();

/** Another chart is made for other lines only; new values come into the present one, under the pointer and in the midst of a drag. */
export function Chart(props: ChartProps) {
  const lines = props.series.map(({ label, colour, dash, stacked }) => [label, colour, dash, Boolean(stacked)]);
  return <Lines key={JSON.stringify([props.times.length <= 1, lines])} {...props} />;
}

/** Lines over time. Time runs from left to right in every language, as in every chart. */
function Lines({ title, timeLabel, times, series, isRunning, atRest, onZoom, onPick, onCanvas }: ChartProps) {
  const t = useText();
  const place = useRef<HTMLDivElement>(null);
  const names = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(null);
  const { formatDate, formatNumber } = useIntl();
  const data = useMemo<AlignedData>(
    () => [times.map((at) => at / 1000), ...series.map(({ values, stacked }) => stacked ?? values)],
    [times, series],
  );
  const newest = useEffectEvent(() => ({ times, series, data, isRunning, atRest }));
  const mayZoom = onZoom !== undefined;
  const zoom = useEffectEvent((from: number, to: number) => onZoom?.(from, to));
  const pick = useEffectEvent((at: number, line: Series | undefined) => onPick?.(at, line));
  const hand = useEffectEvent(onCanvas);

  useEffect(() => {
    const box = place.current;
    const legend = names.current;
    if (!box || !legend) return undefined;
    const style = getComputedStyle(box);
    // Asked at every drawing, as the theme may change meanwhile.
    const [ink, line] = [() => style.getPropertyValue("--muted"), () => style.getPropertyValue("--line")];
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `12px ${style.fontFamily}` };
    const known = newest();
    const options: Options = {
      width: box.clientWidth,
      height,
      legend: { show: true, live: true, mount: (_chart, table) => legend.append(table) },
      cursor: { sync: { key: crosshair.key, setSeries: false }, drag: { x: mayZoom, y: false, setScale: false } },
      scales: { x: { time: true }, y: { range: (_chart, _low, high) => [0, Math.max(1, high * 1.08)] } },
      axes: [
        { ...axis, space: 96, values: (_chart, splits) => splits.map((at) => clock(at, newest().times, formatDate)) },
        { ...axis, size: 64, values: (_chart, splits) => splits.map((value) => formatNumber(value, { notation: "compact" })) },
      ],
      series: [
        {
          label: timeLabel,
          value: (_chart, at) => {
            const { times: all, isRunning: isOpen, atRest: rest } = newest();
            if (at === null && rest === "total") return t("hub.total");
            const moment = at === null ? all.at(isOpen ? -2 : -1) : at * 1000;
            if (moment === undefined) return "";
            const time = formatDate(moment, { dateStyle: "medium", timeStyle: "short" });
            if (at === null) return isolated(t("hub.latest", { time }));
            return isolated(isOpen && moment === all.at(-1) ? t("hub.running", { time }) : time);
          },
        },
        ...known.series.map(({ label, colour, dash, stacked, isWeekBefore }, index) => ({
          label,
          stroke: colour,
          width: isWeekBefore ? 1 : 2,
          dash,
          points: { show: known.times.length <= 1 },
          ...(linear && {
            // The week before has no interval that is still running.
            paths: (chart: UPlot, line: number, first: number, last: number) =>
              linear(chart, line, first, isWeekBefore ? last : endOfWhole(newest(), last)),
          }),
          ...(stacked && !known.series[index - 1]?.stacked && { fill: `${colour}55` }),
          // A line that stands on others is named by its own number, not by where it is drawn.
          value: (_chart: UPlot, _value: number | null, place: number, at: number | null) => {
            const own = at === null ? restingValue(newest(), place - 1) : (newest().series[place - 1]?.values[at] ?? null);
            return own === null ? "–" : formatNumber(own, { maximumFractionDigits: 2 });
          },
        })),
      ],
      bands: bandsOf(known.series),
      hooks: {
        draw: [(chart) => drawRunning(chart, newest(), style)],
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
    const chart = new UPlot(options, known.data, box);
    drawn.current = chart;
    let pressedAt = 0;
    chart.over.addEventListener("pointerdown", ({ clientX }) => (pressedAt = clientX));
    chart.over.addEventListener("click", ({ clientX }) => {
      const index = chart.cursor.idx ?? -1;
      const { times: all, series: shown } = newest();
      const at = all[index];
      // The end of a drag is a click, too.
      if (at !== undefined && Math.abs(clientX - pressedAt) < 4) pick(at, lineAt(chart, shown, index));
    });
    hand(chart.ctx.canvas);
    // Told at the start, too, when there is nothing to draw anew.
    const sizes = new ResizeObserver(() => box.clientWidth !== chart.width && chart.setSize({ width: box.clientWidth, height }));
    sizes.observe(box);
    const redraw = () => chart.redraw(false, true);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributes: true });
    forcedColours.addEventListener("change", redraw);
    return () => {
      themes.disconnect();
      forcedColours.removeEventListener("change", redraw);
      sizes.disconnect();
      hand(null);
      drawn.current = null;
      chart.destroy();
    };
  }, [t, timeLabel, mayZoom, formatDate, formatNumber]);

  useEffect(() => {
    const chart = drawn.current;
    if (chart && chart.data !== data) chart.setData(data);
  }, [data]);

  return (
    <div dir="ltr">
      <div ref={place} role="img" aria-label={title} className="h-[13.75rem] overflow-hidden" />
      {/* The line is kept free where all is whole, so that nothing moves. */}
      <p dir="auto" className="flex h-5 items-center gap-2 px-1 text-xs text-muted">
        {isRunning && (
          <>
            <span aria-hidden className="h-3 w-6 bg-[repeating-linear-gradient(135deg,currentColor_0_1px,transparent_1px_4px)]" />
            {t("hub.runningHint")}
          </>
        )}
      </p>
      {/* Whatever it tells, the legend has one height, so that nothing moves; whoever has no pointer scrolls the longest by the keyboard. */}
      <div
        ref={names}
        tabIndex={0}
        role="group"
        aria-label={title}
        style={{ height: `${legendLineRem * Math.min(legendLinesMax, 1 + Math.ceil(series.length / 2))}rem` }}
        // The chart's own sheet is in no layer, and would win.
        className="overflow-y-auto leading-normal [&_.u-legend]:font-sans! [&_.u-legend]:text-xs! [&_.u-legend]:text-left! rtl:[&_.u-legend]:text-right! [&_.u-legend]:text-muted [&_.u-legend]:tabular-nums [&_.u-legend_th]:font-normal! [&_.u-marker]:forced-color-adjust-none [&_.u-series:first-child_.u-marker]:hidden!"
      />
    </div>
  );
}

/** In the direction of its own language, in a legend that runs from left to right. */
const isolated = (text: string): string => `\u2068${text}\u2069`;

/** What lies between a stacked line and the one that it stands on. */
function bandsOf(series: readonly Series[]): { series: [number, number]; fill: string }[] {
  return series.flatMap(({ stacked, colour }, index): { series: [number, number]; fill: string }[] =>
    stacked && series[index - 1]?.stacked ? [{ series: [index + 1, index], fill: `${colour}55` }] : [],
  );
}

/** The one line at the pointer, where it stands for something; none where several are as near. */
function lineAt(chart: UPlot, series: readonly Series[], index: number): Series | undefined {
  const top = chart.cursor.top ?? -1;
  const near = series.flatMap((line) => {
    const [own, at] = [line.values[index] ?? 0, (line.stacked ?? line.values)[index] ?? 0];
    const distance = Math.abs(chart.valToPos(at, "y") - top);
    return own > 0 && distance <= hitPixels ? [{ line, distance }] : [];
  });
  const [first, second] = near.toSorted((one, other) => one.distance - other.distance);
  return first && (!second || second.distance - first.distance >= 1) ? first.line : undefined;
}

/** Hours, and where the range is longer than a day the day with them. */
function clock(at: number, times: number[], formatDate: (moment: number, options: Intl.DateTimeFormatOptions) => string): string {
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 25 * 3_600_000;
  const options: Intl.DateTimeFormatOptions = isLong
    ? { weekday: "short", hour: "2-digit", minute: "2-digit" }
    : { hour: "2-digit", minute: "2-digit" };
  return formatDate(at * 1000, options);
}
