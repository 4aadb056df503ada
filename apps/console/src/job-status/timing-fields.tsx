import { useText } from "../i18n/i18n.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { useTimingText } from "./texts.ts";

/** When a schedule runs, as its form holds it: the cron line counts where there is no interval, and is kept while one is chosen. */
export type TimingDraft = { everySeconds: number | null; cron: string };

export const usualCron = "0 6 * * *";

/** Seconds that are offered; anything else is a cron line. */
const intervals = [60, 300, 900, 3_600, 21_600, 86_400];
const ownTime = "cron";

export function timingOf({ everySeconds, cron }: TimingDraft): { cron: string } | { everySeconds: number } {
  return everySeconds === null ? { cron } : { everySeconds };
}

type TimingFieldsProps = {
  timing: TimingDraft;
  onChange: (timing: TimingDraft) => void;
  /** The interval that the schedule has by now. The API takes more of them than are offered here. */
  present?: number | null;
};

/** An interval, or a cron line with its meaning in words below. */
export function TimingFields({ timing: { everySeconds, cron }, onChange, present = null }: TimingFieldsProps) {
  const t = useText();
  const timingText = useTimingText();
  const offered = [...new Set(present === null ? intervals : [...intervals, present])].toSorted((a, b) => a - b);
  const meaning = timingText({ cron, everySeconds: null });
  return (
    <>
      <SelectField
        label={t("jobStatus.when")}
        value={everySeconds === null ? ownTime : String(everySeconds)}
        onChange={(value) => onChange({ cron, everySeconds: value === ownTime ? null : Number(value) })}
        options={[
          ...offered.map((seconds) => ({ value: String(seconds), label: timingText({ cron: null, everySeconds: seconds }) })),
          { value: ownTime, label: t("jobStatus.cronOwn") },
        ]}
      />
      {everySeconds === null && (
        <div>
          <TextField
            id="schedule-cron"
            dir="ltr"
            label={t("jobStatus.cronOwn")}
            aria-describedby="schedule-cron-hint"
            value={cron}
            onChange={(event) => onChange({ everySeconds, cron: event.target.value })}
          />
          <p id="schedule-cron-hint" className="mt-1 text-xs text-muted">
            {t("jobStatus.cronHint")}
          </p>
          <p aria-live="polite" className="mt-2 min-h-5">
            {meaning !== cron && meaning}
          </p>
        </div>
      )}
    </>
  );
}
