import { useId, useLayoutEffect, useRef, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { control, type InputProps } from "./field.tsx";
import { firstMomentOf, lastMomentOf, localTextOf, startOfDay } from "./local-time.ts";

/** Browsers take years of six digits, which no ISO 8601 of ours has. */
const lastMinute = "9999-12-31T23:59";

/** Moments as ISO 8601 in UTC; absent where the range is open. */
export type TimeRange = { from?: string; to?: string };

type TimeRangeFieldProps = { label: string; value: TimeRange; onChange: (range: TimeRange) => void };

/** From when to when, in the operator's zone, each end to the minute or open. */
export function TimeRangeField({ label, value, onChange }: TimeRangeFieldProps) {
  const t = useText();
  const id = useId();
  const { from, to } = value;
  const isWrong = from !== undefined && to !== undefined && to < from;
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ends = [
    { name: t("field.from"), text: from, momentOf: firstMomentOf, set: (next: string | undefined) => onChange(rangeOf(next, to)) },
    { name: t("field.to"), text: to, momentOf: lastMomentOf, set: (next: string | undefined) => onChange(rangeOf(from, next)) },
  ];
  const presets = [
    { name: t("period.today"), rangeAt: (now: Date) => ({ from: startOfDay(now, 0) }) },
    { name: t("period.yesterday"), rangeAt: (now: Date) => ({ from: startOfDay(now, 1), to: startOfDay(now, 0) }) },
  ];
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 flex flex-wrap items-center gap-x-4 text-xs text-muted">
        <span>
          {label} <span dir="ltr">({zone})</span>
        </span>
        {presets.map(({ name, rangeAt }) => (
          <button
            key={name}
            type="button"
            className="min-h-6 text-primary-ink hover:underline"
            onClick={() => onChange(rangeAt(new Date()))}
          >
            {name}
          </button>
        ))}
      </legend>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(13rem,100%),1fr))] gap-2">
        {ends.map(({ name, text, momentOf, set }) => (
          <label key={name} className="grid min-w-0 gap-1">
            <span className="text-xs text-muted">{name}</span>
            <End text={text} momentOf={momentOf} onChange={set} wrongId={isWrong ? id : undefined} />
          </label>
        ))}
      </div>
      {isWrong && (
        <p id={id} className="mt-1 text-xs text-bad">
          {t("field.rangeWrong")}
        </p>
      )}
    </fieldset>
  );
}

type EndProps = {
  text: string | undefined;
  momentOf: (localText: string) => string;
  onChange: (text: string | undefined) => void;
  wrongId: string | undefined;
};

function End({ text, momentOf, onChange, wrongId }: EndProps) {
  /** While its parts are typed; with the first digit of a year it is the year 2. */
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <MomentInput
      type="datetime-local"
      value={typed ?? (text === undefined ? "" : localTextOf(text))}
      aria-invalid={wrongId !== undefined}
      aria-describedby={wrongId}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (value === "") onChange(undefined);
        else if (value > "1970") onChange(momentOf(value));
      }}
      onBlur={() => setTyped(null)}
      className={`${control} min-w-0`}
    />
  );
}

function rangeOf(from: string | undefined, to: string | undefined): TimeRange {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/**
 * A day or a time, typed part by part, of the type `date` or `datetime-local`. Its value is empty as long as a part is missing.
 * React would write that into the attribute, too, and Firefox then takes away the parts that are there. Safari would have the parts stand from
 * right to left in Arabic, and so tell another time: 05:10 for 10:05.
 */
export function MomentInput({ value = "", ...rest }: InputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value;
  });
  return <input dir="ltr" ref={input} max={rest.type === "date" ? lastMinute.slice(0, 10) : lastMinute} {...rest} />;
}
