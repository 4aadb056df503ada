import type { Schedule } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { readCron } from "./cron-words.ts";

/** When a schedule runs, in words; a cron line that a few words can't tell as it is. */
export function useTimingText(): (schedule: Pick<Schedule, "cron" | "everySeconds">) => string {
  const t = useText();
  const { formatDate, formatList } = useIntl();
  const intervalText = (seconds: number): string => {
    if (seconds % 3_600 === 0) return t("jobStatus.everyHours", { count: seconds / 3_600 });
    return seconds % 60 === 0 ? t("jobStatus.every", { count: seconds / 60 }) : t("jobStatus.everySeconds", { count: seconds });
  };
  // The first day of January 2024 was a Monday.
  const weekdayText = (weekday: number): string => formatDate(new Date(Date.UTC(2024, 0, weekday)), { weekday: "short", timeZone: "UTC" });
  return ({ cron, everySeconds }) => {
    if (everySeconds !== null) return intervalText(everySeconds);
    const plain = readCron(cron ?? "");
    if (!plain) return cron ?? "";
    if ("everySeconds" in plain) return intervalText(plain.everySeconds);
    const { days, weekdays } = plain;
    const times = formatList(plain.times.map((time) => formatDate(time, { timeStyle: "short", hourCycle: "h23", timeZone: "UTC" })));
    if (weekdays.length > 0) return t("jobStatus.cronWeekdays", { days: formatList(weekdays.map(weekdayText)), times });
    if (days.length > 0) return t("jobStatus.cronDays", { days: formatList(days.map(String)), times });
    return t("jobStatus.cronDaily", { times });
  };
}
