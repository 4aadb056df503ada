import { useId } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { firstMomentOf } from "../ui/local-time.ts";
import { MomentInput } from "../ui/time-range-field.tsx";

/** When an announcement is on: choices, and times as `datetime-local` has them for the choice of a time of one's own. */
type Period = { from: string; fromTime: string; until: string; untilTime: string };

/** For so many hours from its beginning. */
const hours = ["1", "8", "24", "168"];
const [openEnd, ownTime] = ["", "time"];
export const fromNowOn: Period = { from: openEnd, fromTime: "", until: openEnd, untilTime: "" };

type PeriodFault = { of: "from" | "until"; text: TextKey };

/** What is wrong with it, to whom the form was opened at that moment. */
export function faultOf({ from, fromTime, until, untilTime }: Period, openedAt: number): PeriodFault | null {
  const begins = from === ownTime ? Date.parse(fromTime) : openedAt;
  if (from === ownTime && !(begins > openedAt)) return { of: "from", text: "announce.timeWrong" };
  if (until !== ownTime || Date.parse(untilTime) > begins) return null;
  return { of: "until", text: from === ownTime ? "announce.endWrong" : "announce.timeWrong" };
}

/** Of one without a fault. */
export function timesOf({ from, fromTime, until, untilTime }: Period): { startsAt?: string; endsAt: string | null } {
  const startsAt = from === ownTime ? { startsAt: firstMomentOf(fromTime) } : {};
  if (until === openEnd) return { ...startsAt, endsAt: null };
  const begins = from === ownTime ? Date.parse(fromTime) : Date.now();
  return { ...startsAt, endsAt: new Date(until === ownTime ? Date.parse(untilTime) : begins + Number(until) * 3_600_000).toISOString() };
}

type PeriodFieldsProps = { period: Period; onChange: (period: Period) => void; fault: PeriodFault | null };

export function PeriodFields({ period, onChange, fault }: PeriodFieldsProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const inUnit = (value: number, unit: "hour" | "day") => formatNumber(value, { style: "unit", unit, unitDisplay: "long" });
  const lengthOf = (length: number) => (length < 24 ? inUnit(length, "hour") : inUnit(length / 24, "day"));
  const errorOf = (name: PeriodFault["of"]) => (fault?.of === name ? t(fault.text) : undefined);
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <Moment
        label={t("announce.from")}
        options={[{ value: openEnd, label: t("announce.atOnce") }]}
        choice={period.from}
        onChoice={(from) => onChange({ ...period, from })}
        time={period.fromTime}
        onTime={(fromTime) => onChange({ ...period, fromTime })}
        error={errorOf("from")}
      />
      <Moment
        label={t("announce.until")}
        options={[
          { value: openEnd, label: t("announce.untilEnded") },
          ...hours.map((value) => ({ value, label: lengthOf(Number(value)) })),
        ]}
        choice={period.until}
        onChoice={(until) => onChange({ ...period, until })}
        time={period.untilTime}
        onTime={(untilTime) => onChange({ ...period, untilTime })}
        error={errorOf("until")}
      />
    </div>
  );
}

type MomentProps = {
  label: string;
  options: { value: string; label: string }[];
  choice: string;
  onChoice: (choice: string) => void;
  time: string;
  onTime: (time: string) => void;
  error: string | undefined;
};

/** One of the options or a time of one's own, in the reader's zone. What is wrong with a time is told once there is one. */
function Moment({ label, options, choice, onChoice, time, onTime, error }: MomentProps) {
  const t = useText();
  const id = useId();
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className="grid content-start gap-3">
      <SelectField
        label={label}
        value={choice}
        onChange={onChoice}
        options={[...options, { value: ownTime, label: t("announce.ownTime") }]}
      />
      {choice === ownTime && (
        <TextField
          id={`${id}-time`}
          as={MomentInput}
          type="datetime-local"
          label={`${label} (${zone})`}
          value={time}
          error={time === "" ? undefined : error}
          onChange={(event) => onTime(event.target.value)}
        />
      )}
    </div>
  );
}
