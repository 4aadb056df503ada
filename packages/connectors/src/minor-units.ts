import { toWholeNumber } from "./decimal.ts";

/** The currencies of ISO 4217 that are not divided by 100, by their places. `Intl` follows local use instead and gives IQD none. */
const currencies: [count: number, codes: string][] = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];
const places = new Map(currencies.flatMap(([count, codes]) => codes.split(" ").map((code) => [code, count])));

/** How many places amounts of a currency have. */
export function placesOfCurrency(currency: string): number {
  return places.get(currency) ?? 2;
}

/** An amount as a whole number of its currency's smallest unit; null where it has a part of one. */
export function toMinorUnits({ amount, currency }: { amount: string; currency: string }): number | null {
  const count = placesOfCurrency(currency);
  const [whole = "0", fraction = ""] = amount.split(".");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > count) return null;
  return toWholeNumber(`${whole}${digits.padEnd(count, "0")}`.replace(/^(-?)0+(?=\d)/, "$1"));
}
