import type { Money } from "@crossdock/contract";
import { absolute, addDecimals, inNinePlaces, isNegative, isZero, multiplyDecimals, subtractDecimals } from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";

/** A source's line on its way to an order's. */
type Line = { lineNumber: string; quantity: string; unitPrice: Money | null; attributes?: Record<string, string> | null | undefined };

/** A correction of the line before it, by no more than what a price was rounded by. */
type Rounding = Omit<Line, "unitPrice"> & { kind: "adjustment"; sku: null; description: string; unitPrice: Money };

/** The line number of a line's rounding. */
export function roundingOf(lineNumber: string): string {
  return `${lineNumber}-rounding`;
}

/**
 * The line and, where its source states another sum of the row before discounts than the price times the quantity, the rounding between them:
 * systems that compute from a row's sum round the price out of it. Beyond what rounding can be the two contradict each other: a sum of that
 * kind is wrong now and then, so the price is believed.
 */
export function withRounding<Row extends Line>(line: Row, sum: string | null): (Row | Rounding)[] {
  const { lineNumber, quantity, unitPrice, attributes } = line;
  if (sum === null || unitPrice === null) return [line];
  const { amount, currency } = unitPrice;
  const apart = inNinePlaces(subtractDecimals(sum, multiplyDecimals(amount, quantity)));
  if (isZero(apart) || !isRounding(apart, quantity, currency)) return [line];
  const rounding: Rounding = {
    lineNumber: roundingOf(lineNumber),
    kind: "adjustment",
    sku: null,
    description: "Rounding",
    quantity: "1",
    unitPrice: { amount: apart, currency },
    // What is left of a line costs its price.
    ...(attributes?.["currentQuantity"] !== undefined && { attributes: { currentQuantity: "0" } }),
  };
  return [line, rounding];
}

/** The same where the source states what was paid for the row: more below the price than rounding can be is a discount. */
export function withDiscount<Row extends Line>(line: Row, paid: string | null): ((Row & { discount: Money | null }) | Rounding)[] {
  const { quantity, unitPrice } = line;
  if (paid === null || unitPrice === null) return [{ ...line, discount: null }];
  const { amount, currency } = unitPrice;
  const off = inNinePlaces(subtractDecimals(multiplyDecimals(amount, quantity), paid));
  const isDiscount = !isNegative(off) && !isRounding(off, quantity, currency);
  if (isDiscount) return [{ ...line, discount: { amount: off, currency } }];
  return withRounding({ ...line, discount: null }, paid);
}

/** Half a smallest unit of the currency for each piece, and for the row. */
function isRounding(apart: string, quantity: string, currency: string): boolean {
  const pieces = addDecimals(absolute(quantity), "1");
  const units = multiplyDecimals(absolute(apart), `2${"0".repeat(placesOfCurrency(currency))}`);
  return !isNegative(subtractDecimals(pieces, units));
}
