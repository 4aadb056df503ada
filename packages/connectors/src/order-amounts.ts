import type { Order } from "@crossdock/contract";
import { addDecimals, isNegative, multiplyDecimals, negateDecimal } from "./decimal.ts";

/** Discounts of lines, and lines that are discounts, as one positive amount. */
export function discountOf({ lines }: Order): string {
  const amounts = lines.flatMap((line) => {
    const own = line.discount == null ? [] : [line.discount.amount];
    if (line.kind !== "discount") return own;
    const total = multiplyDecimals(line.unitPrice.amount, line.quantity);
    return [...own, isNegative(total) ? negateDecimal(total) : total];
  });
  return addDecimals(...amounts);
}

/** What the carriage of an order costs before discounts, for systems that keep it as one amount. */
export function carriageOf({ lines }: Order): string {
  const carriage = lines.filter(({ kind }) => kind === "shipping");
  return addDecimals(...carriage.map(({ unitPrice, quantity }) => multiplyDecimals(unitPrice.amount, quantity)));
}
