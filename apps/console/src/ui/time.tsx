import { useSyncExternalStore } from "react";
import { useIntl } from "react-intl";

/** A clock for all that show the time at its pace; it ticks only while somebody does. */
function createClock(tickMs: number) {
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    now = Date.now();
    timer ??= setInterval(() => {
      now = Date.now();
      for (const tell of listeners) tell();
    }, tickMs);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }
  return () => useSyncExternalStore(subscribe, () => now);
}

const tickMs = 10_000;
const useNow = createClock(tickMs);
const useNowBySecond = createClock(1000);

type Unit = "second" | "minute" | "hour" | "day";
const steps: [unit: Unit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** A moment, told relative to now; the exact time with its zone stands in the tooltip. */
export function Time({ at }: { at: string | Date }) {
  const { formatDate } = useIntl();
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={formatDate(moment, { dateStyle: "full", timeStyle: "long" })}>
      <Relative moment={moment} />
    </time>
  );
}

/** The bare words, e.g. `3 min. ago`. */
export function Relative({ moment }: { moment: Date }) {
  const { formatRelativeTime } = useIntl();
  const ticked = useNow();
  // What has happened since the last tick is no future.
  const ahead = moment.getTime() - ticked;
  const current = ahead > 0 && ahead <= tickMs ? moment.getTime() : ticked;
  return formatRelativeTime(...relativeParts(moment, current), { numeric: "auto", style: "short" });
}

/** How far a moment is away, in the largest unit of which that is one or more. */
export function relativeParts(moment: Date, now: number): [value: number, unit: Unit] {
  const elapsed = (moment.getTime() - now) / 1000;
  const [unit, seconds] = steps.find((step) => Math.abs(elapsed) >= step[1]) ?? ["second", 1];
  return [Math.round(elapsed / seconds), unit];
}

/** A moment to the second, in the operator's zone. */
export function ExactTime({ at }: { at: string | Date }) {
  const { formatDate } = useIntl();
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={formatDate(moment, { dateStyle: "full", timeStyle: "long" })}>
      {formatDate(moment, { dateStyle: "medium", timeStyle: "medium" })}
    </time>
  );
}

/** How long it is until a moment, to the second; `due` stands there once it has come. Only this text renders again with each tick. */
export function Countdown({ at, due }: { at: string | Date; due: string }) {
  const { formatDate, formatNumber } = useIntl();
  const moment = new Date(at);
  const now = useNowBySecond();
  const daysText = (days: number) => formatNumber(days, { style: "unit", unit: "day", unitDisplay: "narrow" });
  return (
    <time dateTime={moment.toISOString()} title={formatDate(moment, { dateStyle: "full", timeStyle: "long" })} className="tabular-nums">
      {moment.getTime() <= now ? due : clockText(Math.ceil((moment.getTime() - now) / 1000), daysText)}
    </time>
  );
}

/** `0:09`, `12:05`, `1:02:03`; days stand in front, in the reader's language. */
export function clockText(seconds: number, daysText: (days: number) => string): string {
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  const clock = `${two(minutes)}:${two(seconds % 60)}`;
  if (days > 0) return `${daysText(days)} ${two(hours)}:${clock}`;
  return hours > 0 ? `${hours}:${clock}` : clock.replace(/^0/, "");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
