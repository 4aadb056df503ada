import { toWholeNumber } from "./decimal.ts";

/** Currencies of ISO 4217 that are not divided by 100 and that shops meet. */
const places = new Map([
  ["ISK", 0],
  ["JPY", 0],
  ["KRW", 0],
  ["CLP", 0],
  ["VND", 0],
  ["BHD", 3],
  ["JOD", 3],
  ["KWD", 3],
  ["TND", 3],
]);

/** An amount as a whole number of its currency's smallest unit; null where it has a part of one. */
export function toMinorUnits({ amount, currency }: { amount: string; currency: string }): number | null {
  const count = places.get(currency) ?? 2;
  const [whole = "0", fraction = ""] = amount.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > count) return null;
  return toWholeNumber(`${whole}${digits.padEnd(count, "0")}`.replace(/^(-?)0+(?=\d)/, "$1"));
}
