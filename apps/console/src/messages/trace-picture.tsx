import { useDirection } from "@base-ui/react/direction-provider";
import { useText } from "../i18n/i18n.tsx";
import type { Tone } from "../ui/chip.tsx";
import type { TraceEvent } from "./object-trace.ts";

/** In pixels. Events stand at even distances, in their order: between two may lie a millisecond or a week. */
const step = 56;
const rowHeight = 52;
const labelWidth = 132;
const radius = 8;

const colours: Record<Tone, string> = {
  ok: "fill-ok stroke-ok",
  warn: "fill-warn stroke-warn",
  bad: "fill-bad stroke-bad",
  info: "fill-info stroke-info",
  neutral: "fill-muted stroke-muted",
};

/** What happened to an object, from the first event to the last, a row for each place; the list below says the same in words. */
export function TracePicture({ events, current }: { events: TraceEvent[]; current: string }) {
  const t = useText();
  const isMirrored = useDirection() === "rtl";
  const rows = [...new Set(["received", "version", ...events.map(({ row }) => row)])].filter((row) =>
    events.some((event) => event.row === row),
  );
  const width = labelWidth + events.length * step + 16;
  const mirrored = (x: number): number => (isMirrored ? width - x : x);
  const place = new Map(events.map((event, index) => [event.id, placeOf(event, index)]));
  const label = (row: string): string => (row === "received" ? t("trace.received") : row === "version" ? t("trace.versions") : row);

  function placeOf(event: TraceEvent, index: number): { x: number; y: number } {
    return { x: mirrored(labelWidth + index * step + step / 2), y: rows.indexOf(event.row) * rowHeight + rowHeight / 2 };
  }

  return (
    <div tabIndex={0} role="group" aria-label={t("trace.title")} className="overflow-x-auto p-4">
      <svg
        role="img"
        aria-label={t("trace.picture", { events: events.length })}
        width={width}
        height={rows.length * rowHeight}
        className="block"
      >
        {rows.map((row, index) => (
          <g key={row}>
            <text x={mirrored(0)} y={index * rowHeight + rowHeight / 2 + 4} className="fill-current text-xs">
              {label(row)}
            </text>
            <line
              x1={mirrored(labelWidth)}
              x2={mirrored(width)}
              y1={(index + 0.5) * rowHeight}
              y2={(index + 0.5) * rowHeight}
              className="stroke-line"
            />
          </g>
        ))}
        {events.map(({ id, cause }) => {
          const [from, to] = [place.get(cause ?? ""), place.get(id)];
          if (!from || !to) return null;
          const middle = (from.x + to.x) / 2;
          return (
            <path
              key={id}
              d={`M${from.x},${from.y} C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`}
              className="fill-none stroke-field-line stroke-2"
            />
          );
        })}
        {events.map((event, index) => {
          const { x, y } = placeOf(event, index);
          const isHollow = event.kind === "message" || event.kind === "received";
          return (
            <g key={event.id}>
              {event.id === current && <circle cx={x} cy={y} r={radius + 5} className="fill-none stroke-primary-ink stroke-2" />}
              {event.kind === "version" ? (
                <rect x={x - radius} y={y - radius} width={radius * 2} height={radius * 2} rx={3} className={colours[event.tone]} />
              ) : (
                <circle cx={x} cy={y} r={radius} className={`${colours[event.tone]} stroke-2 ${isHollow ? "fill-paper" : ""}`} />
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
