/**
 * A cron line: for each field the values that fit. Days fit by either of their two fields where both are restricted, as in crontab(5): one that begins
 * with `*` is not, whatever its step leaves of it.
 */
type Cron = {
  minutes: Set<number>;
  hours: Set<number>;
  days: Set<number>;
  months: Set<number>;
  weekdays: Set<number>;
  isEitherDay: boolean;
};

/** Of minutes, hours, days, months and weekdays, in the order in which a line has them. */
const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

/** Reads five fields of numbers, `*`, lists, ranges and steps. Null if the line is invalid or fits no day at all. */
export function parseCron(text: string): Cron | null {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) return null;
  const [minutes, hours, days, months, weekdays] = ranges.map(([min, max], index) => parseField(parts[index] ?? "", min, max));
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  if (weekdays.delete(7)) weekdays.add(0);
  const cron = { minutes, hours, days, months, weekdays, isEitherDay: !parts[2]?.startsWith("*") && !parts[4]?.startsWith("*") };
  return nextTime(cron, new Date(Date.UTC(2026, 0, 1))) === null ? null : cron;
}

function parseField(text: string, min: number, max: number): Set<number> | null {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const match = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (!match) return null;
    const [, first, last, step] = match;
    const from = first === undefined ? min : Number(first);
    const to = first === undefined || (last === undefined && step !== undefined) ? max : Number(last ?? first);
    const by = step === undefined ? 1 : Number(step);
    if (from < min || to > max || from > to || by < 1) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

/** 29 February that also has to be a certain weekday is the rarest time there is; the longest gap, over 2100, is forty years. */
const daysMax = 40 * 366;

/** The first time after `after` that fits, in UTC; null where none ever will (30 February). */
export function nextTime(cron: Cron, after: Date): Date | null {
  const start = new Date(Math.floor(after.getTime() / 60_000) * 60_000 + 60_000);
  for (let offset = 0; offset < daysMax; offset += 1) {
    const day = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate() + offset));
    if (!fitsDay(cron, day)) continue;
    for (const hour of [...cron.hours].toSorted((a, b) => a - b)) {
      for (const minute of [...cron.minutes].toSorted((a, b) => a - b)) {
        const time = new Date(day.getTime() + (hour * 60 + minute) * 60_000);
        if (time >= start) return time;
      }
    }
  }
  return null;
}

function fitsDay({ days, months, weekdays, isEitherDay }: Cron, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [byDate, byWeekday] = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return isEitherDay ? byDate || byWeekday : byDate && byWeekday;
}
