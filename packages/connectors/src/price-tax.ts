import type { Price } from "@crossdock/contract";
import { addDecimals, divideDecimals, multiplyDecimals } from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";

type Reading = "net" | "gross";

/**
 * A price and its ordinary price as a system wants them, with tax or without. What the source doesn't say of them is taken to be right. Null
 * where they are in the other reading and no rate tells how to get there.
 */
export function priceIn(reading: Reading, price: Price): { amount: string; compareAt: string | null } | null {
  const compareAt = price.compareAtPrice?.amount ?? null;
  const isRight = price.includesTax == null || price.includesTax === (reading === "gross");
  if (isRight) return { amount: price.price.amount, compareAt };
  const rate = price.taxRatePercent;
  if (rate == null) return null;
  const [part, whole] = reading === "net" ? ["100", addDecimals("100", rate)] : [addDecimals("100", rate), "100"];
  const turned = (amount: string) => divideDecimals(multiplyDecimals(amount, part), whole, placesOfCurrency(price.price.currency));
  return { amount: turned(price.price.amount), compareAt: compareAt === null ? null : turned(compareAt) };
}
