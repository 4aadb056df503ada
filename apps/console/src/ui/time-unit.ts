import type { FormatNumberOptions } from "react-intl";

const units = [
  { unit: "day", ms: 86_400_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "minute", ms: 60_000 },
  { unit: "second", ms: 1000 },
] as const;

/** What `formatNumber` takes to tell a length of time in the largest unit of which it has one; of a hundred and more a tenth tells nothing. */
export function inUnit(ms: number, options: FormatNumberOptions = {}): [value: number, options: FormatNumberOptions] {
  const { unit, ms: length } = units.find(({ ms: least }) => ms >= least) ?? { unit: "millisecond", ms: 1 };
  const value = ms / length;
  return [value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 100 ? 1 : 0, ...options }];
}
