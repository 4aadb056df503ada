import { useSyncExternalStore } from "react";
import { useIntl } from "react-intl";

/** One clock for all times on the screen; it ticks only while one is shown. */
const tickMs = 10_000;
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

const steps: [unit: "second" | "minute" | "hour" | "day", seconds: number][] = [
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
  const current = useSyncExternalStore(subscribe, () => now);
  const elapsed = (moment.getTime() - current) / 1000;
  const [unit, seconds] = steps.find((step) => Math.abs(elapsed) >= step[1]) ?? ["second", 1];
  return formatRelativeTime(Math.round(elapsed / seconds), unit, { numeric: "auto", style: "short" });
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
