import { useDirection } from "@base-ui/react/direction-provider";
import type { ObjectTrace } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import type { Tone } from "../ui/chip.tsx";
import { wayTo } from "./event-way.ts";
import { actionOf, actionTexts, type TraceEvent } from "./object-trace.ts";

/** In pixels. Events stand at even distances, in their order: between two may lie a millisecond or a week, which the times below them tell. */
const step = 64;
const rowHeight = 52;
const letterWidth = 7;
const timesHeight = 40;
const radius = 8;

const colours: Record<Tone, string> = {
  ok: "fill-ok stroke-ok",
  warn: "fill-warn stroke-warn",
  bad: "fill-bad stroke-bad",
  info: "fill-info stroke-info",
  neutral: "fill-muted stroke-muted",
};

type TracePictureProps = { trace: ObjectTrace; events: TraceEvent[]; current: string };

/** What happened to an object, from the first event to the last, a row for each place; the list below says the same in words. */
export function TracePicture({ trace, events, current }: TracePictureProps) {
  const t = useText();
  const nameOf = useEventName(trace);
  const isMirrored = useDirection() === "rtl";
  const rows = [...new Set(["received", "version", ...events.map(({ row }) => row)])].filter((row) =>
    events.some((event) => event.row === row),
  );
  const label = (row: string): string => (row === "received" ? t("trace.received") : row === "version" ? t("trace.versions") : row);
  const labelWidth = Math.max(...rows.map((row) => label(row).length)) * letterWidth;
  const width = labelWidth + events.length * step + 16;
  const mirrored = (x: number): number => (isMirrored ? width - x : x);
  const place = new Map(events.map((event, index) => [event.id, placeOf(event, index)]));

  function placeOf(event: TraceEvent, index: number): { x: number; y: number } {
    return { x: mirrored(labelWidth + index * step + step / 2), y: rows.indexOf(event.row) * rowHeight + rowHeight / 2 };
  }

  return (
    <div tabIndex={0} role="group" aria-label={t("trace.title")} className="overflow-x-auto p-4">
      <svg
        role="group"
        aria-label={t("trace.picture", { events: events.length })}
        width={width}
        height={rows.length * rowHeight + timesHeight}
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
          const name = nameOf(event);
          return (
            // The list has the same ways for the keyboard, in words.
            <Link key={event.id} {...wayTo(trace, event)} tabIndex={-1} aria-label={name}>
              <title>{name}</title>
              <circle cx={x} cy={y} r={rowHeight / 2} className="fill-transparent" />
              {event.id === current && <circle cx={x} cy={y} r={radius + 5} className="fill-none stroke-primary-ink stroke-2" />}
              <Mark event={event} x={x} y={y} />
            </Link>
          );
        })}
        <Times events={events} xOf={(index) => mirrored(labelWidth + index * step + step / 2)} y={rows.length * rowHeight} />
      </svg>
    </div>
  );
}

/**
 * What came in and what was published is hollow, a try is full, a version is square, an id at a target stands on its tip. What somebody did
 * is a hollow square.
 */
function Mark({ event: { kind, tone }, x, y }: { event: TraceEvent; x: number; y: number }) {
  if (kind === "version" || kind === "external-id" || kind === "action") {
    return (
      <rect
        x={x - radius}
        y={y - radius}
        width={radius * 2}
        height={radius * 2}
        rx={3}
        transform={kind === "external-id" ? `rotate(45 ${x} ${y})` : undefined}
        className={`${colours[tone]} ${kind === "action" ? "fill-paper stroke-2" : ""}`}
      />
    );
  }
  const isHollow = kind === "message" || kind === "received";
  return <circle cx={x} cy={y} r={radius} className={`${colours[tone]} stroke-2 ${isHollow ? "fill-paper" : ""}`} />;
}

type TimesProps = { events: TraceEvent[]; xOf: (index: number) => number; y: number };

/** The time under each event that has another one than the event before it, and the day where it changes. */
function Times({ events, xOf, y }: TimesProps) {
  const { formatDate } = useIntl();
  const times = events.map(({ at }) => (at === null ? "" : formatDate(at, { timeStyle: "medium" })));
  const days = events.map(({ at }) => (at === null ? "" : formatDate(at, { month: "short", day: "numeric" })));
  return events.map(({ id }, index) => (
    <g key={id} aria-hidden className="fill-muted text-[10px]" textAnchor="middle">
      {(times[index] !== times[index - 1] || days[index] !== days[index - 1]) && (
        <text x={xOf(index)} y={y + 14}>
          {times[index]}
        </text>
      )}
      {days[index] !== days[index - 1] && (
        <text x={xOf(index)} y={y + 30}>
          {days[index]}
        </text>
      )}
    </g>
  ));
}

/** An event in a few words. */
function useEventName(trace: ObjectTrace): (event: TraceEvent) => string {
  const t = useText();
  const { formatDate } = useIntl();

  function whatOf({ id, kind, row }: TraceEvent): string {
    const [first = "", second = ""] = id.split(" ");
    if (kind === "received") return `${t("trace.externalMessage")} ${second}`;
    if (kind === "version") return t("compare.version", { version: second });
    if (kind === "message") return t("text.labelled", { label: t("trace.published"), value: row });
    if (kind === "external-id") {
      const item = trace.externalItems.find(({ integrationPointId }) => String(integrationPointId) === second);
      return t("text.labelled", { label: item?.integrationPointName ?? row, value: item?.externalId ?? "" });
    }
    if (kind === "action") {
      const action = actionOf(trace, { id });
      return action ? t("text.labelled", { label: t(actionTexts[action.verb], { by: action.by }), value: row }) : row;
    }
    const note = trace.messages.find((message) => message.id === first)?.attemptNotes.find(({ number }) => String(number) === second);
    const answer = note?.status ? `HTTP ${note.status}` : (note?.errorClass ?? t("attempts.noAnswer"));
    return t("text.labelled", { label: t("trace.attempt", { number: second }), value: `${row}, ${answer}` });
  }

  return (event) =>
    event.at === null ? whatOf(event) : `${whatOf(event)}, ${formatDate(event.at, { dateStyle: "medium", timeStyle: "medium" })}`;
}
