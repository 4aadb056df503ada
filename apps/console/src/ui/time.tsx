import { useSyncExternalStore } from "react";
import { useIntl } from "react-intl";
import { Tooltip } from "./tooltip.tsx";
import { useCopy } from "./copy-button.tsx";
import { useText } from "../i18n/i18n.tsx";

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

function Relative({ moment }: { moment: Date }) {
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

/** A moment whose exact time and zone show on hover and focus; a click copies it as ISO 8601. */
export function CopyableTime({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const t = useText();
  const { formatDate } = useIntl();
  const { isCopied, copy } = useCopy();
  const moment = new Date(at);
  const exact = formatDate(moment, { dateStyle: "full", timeStyle: "long" });
  return (
    <Tooltip text={isCopied ? t("action.copied") : `${exact} · ${t("time.copy")}`}>
      <button
        type="button"
        onClick={() => copy(moment.toISOString())}
        className="rounded-button text-start underline decoration-dotted underline-offset-4"
      >
        {isRelative ? <Relative moment={moment} /> : formatDate(moment, { dateStyle: "medium", timeStyle: "medium" })}
      </button>
    </Tooltip>
  );
}
