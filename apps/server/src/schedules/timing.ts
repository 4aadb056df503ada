import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { nextTime, parseCron } from "./cron.ts";
import type { Timing } from "./rows.ts";

/** The next time of a schedule after `now`. Throws bad-request for a cron line that is none. */
export function nextAt({ cron, everySeconds }: Timing, now: Date): Date {
  if (everySeconds !== null) return new Date(now.getTime() + everySeconds * 1000);
  const parsed = cron === null ? null : parseCron(cron);
  const time = parsed && nextTime(parsed, now);
  if (!time) throw new ApiError("bad-request", because("cron-fields"));
  return time;
}
