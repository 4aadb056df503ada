/** What a few words can tell of a cron line. Where days and weekdays are empty, it holds every day. */
type PlainCron = { everySeconds: number } | { times: Date[]; days: number[]; weekdays: number[] };

/** More of them in a row say less than the line itself. */
const listedMax = 7;

/** Reads a cron line that a few words can tell; null for all others, right or wrong. */
export function readCron(text: string): PlainCron | null {
  const [minute = "", hour = "", day = "", month = "", weekday = "", ...more] = text.trim().split(/\s+/);
  // Of a line that restricts both, a day fits by either or has to fit both.
  if (more.length > 0 || month !== "*" || (day !== "*" && weekday !== "*")) return null;
  const [minutes, hours] = [valuesOf(minute, 0, 59), valuesOf(hour, 0, 23)];
  const days = day === "*" ? [] : valuesOf(day, 1, 31);
  const weekdays = weekday === "*" ? [] : valuesOf(weekday, 0, 7);
  if (!minutes || !hours || !days || !weekdays) return null;
  if (days.length === 0 && weekdays.length === 0 && hours.length === 24) return intervalOf(minutes);
  const times = hours.flatMap((atHour) => minutes.map((atMinute) => new Date(Date.UTC(2000, 0, 1, atHour, atMinute))));
  return Math.max(times.length, days.length) > listedMax ? null : { times, days, weekdays: fromMonday(weekdays) };
}

/** Numbers, ranges and lists, and all values or every so many of them; null for what else a field may hold. */
function valuesOf(field: string, min: number, max: number): number[] | null {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const match = /^(\d{1,2})(?:-(\d{1,2})(?:\/(\d{1,2}))?)?$/.exec(part.replace(/^\*/, `${min}-${max}`));
    if (!match) return null;
    const [, first, last = first, step = "1"] = match;
    const [from, to, by] = [Number(first), Number(last), Number(step)];
    if (from < min || to > max || from > to || by < 1) return null;
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return [...values].toSorted((a, b) => a - b);
}

/** Minutes of every hour that are equally far apart, beginning with the full hour. */
function intervalOf(minutes: number[]): PlainCron | null {
  const every = 60 / minutes.length;
  return minutes.every((minute, index) => minute === index * every) ? { everySeconds: every * 60 } : null;
}

/** As people count them, and with Sunday by one number only. */
function fromMonday(weekdays: number[]): number[] {
  const known = new Set(weekdays.map((weekday) => weekday || 7));
  return known.size === 7 ? [] : [...known].toSorted((a, b) => a - b);
}
