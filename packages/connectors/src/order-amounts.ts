import type { Order, OrderLine } from "@crossdock/contract";
import {
  absolute,
  addDecimals,
  divideDecimals,
  inNinePlaces,
  isNegative,
  isZero,
  multiplyDecimals,
  negateDecimal,
  placesOf,
  splitDecimal,
  subtractDecimals,
} from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";
import { roundingOf } from "./row-sums.ts";

/** The tax is what lies between the two. */
export type Amounts = { net: string; gross: string };

/** What a line costs before and after all that was taken off: its own discount and its share of the order's. */
export type LineAmounts = { line: OrderLine; before: Amounts; after: Amounts };

export type OrderAmounts = {
  /** Products, fees and corrections; carriage; deductions are spread over both and no lines any more. */
  goods: LineAmounts[];
  carriage: LineAmounts[];
  /** The order as it stands: net and gross of all lines after discounts, exact sums of theirs. */
  total: Amounts;
  /** Of all lines, as positive amounts. */
  discount: Amounts;
};

/** The longest that BigCommerce takes; Magento keeps 255 characters. */
const titleMax = 250;

/** What a line is called where a system insists on a name. */
export function titleOf({ description, sku, kind }: OrderLine): string {
  const title = [description, sku].find((text) => text != null && text.trim() !== "") ?? kind;
  return Array.from(title).slice(0, titleMax).join("");
}

const none: Amounts = { net: "0", gross: "0" };

/**
 * What an order's lines come to, net and gross. Prices and discounts are gross where the order says that prices include tax, else net; the
 * tax of a line is the source's, or its rate's share of the discounted amount, or none. Systems know no lines below zero, so what takes off
 * from the order as a whole (discounts, roundings down) is spread over the goods by what they cost, and over the carriage only beyond that.
 */
export function amountsOf(order: Order): OrderAmounts {
  // A line of no pieces was taken out of the order: there is nothing to send.
  const present = order.lines.filter(({ quantity }) => !isZero(quantity));
  const within = roundingsWithin(present, order);
  const parts = new Set(within.values());
  const own = present.filter((line) => !parts.has(line)).map((line) => ownAmounts(line, order, within.get(line)));
  const kept = own.filter((each) => !isDeduction(each));
  const deducted = own.filter(isDeduction).map(({ after }) => after);
  const off = { net: absolute(sumOf(deducted, "net")), gross: absolute(sumOf(deducted, "gross")) };
  const goods = kept.filter(({ line }) => line.kind !== "shipping");
  const isBeyondGoods = isNegative(subtractDecimals(sumAfter(goods).gross, off.gross));
  const shares = new Map(spread(off, isBeyondGoods ? kept : goods, placesOfOrder(order, off)));
  const lines = kept.map((each) => ({ ...each, after: minus(each.after, shares.get(each) ?? none) }));
  return {
    goods: lines.filter(({ line }) => line.kind !== "shipping"),
    carriage: lines.filter(({ line }) => line.kind === "shipping"),
    total: sumAfter(lines),
    discount: minus(sumBefore(lines), sumAfter(lines)),
  };
}

function sum(amounts: readonly Amounts[]): Amounts {
  return { net: sumOf(amounts, "net"), gross: sumOf(amounts, "gross") };
}

export function taxOf({ net, gross }: Amounts): string {
  return subtractDecimals(gross, net);
}

export function sumBefore(lines: readonly LineAmounts[]): Amounts {
  return sum(lines.map(({ before }) => before));
}

export function sumAfter(lines: readonly LineAmounts[]): Amounts {
  return sum(lines.map(({ after }) => after));
}

/** A price of one piece out of the line's amount, to four places, which is what systems keep of it. */
export function perPiece(amount: string, { quantity }: OrderLine): string {
  return isZero(quantity) ? amount : divideDecimals(amount, quantity, Math.max(4, placesOf(amount)));
}

/** The line that a system can't take that knows no pieces and no prices below zero. */
export function returnedLine({ lines }: Order): OrderLine | undefined {
  return lines.find(({ kind, quantity, unitPrice }) => kind === "product" && (isNegative(quantity) || isNegative(unitPrice.amount)));
}

/** Rows that come to a part of a smallest unit, as those of weighed goods do, and the rounding that makes whole ones of it. */
function roundingsWithin(lines: readonly OrderLine[], { currency }: Order): Map<OrderLine, OrderLine> {
  const adjustments = new Map(lines.filter(({ kind }) => kind === "adjustment").map((line) => [line.lineNumber, line]));
  return new Map(
    lines.flatMap((line) => {
      const rounding = adjustments.get(roundingOf(line.lineNumber));
      if (rounding === undefined) return [];
      const sum = shortened(multiplyDecimals(line.unitPrice.amount, line.quantity));
      return placesOf(sum) > placesOfCurrency(currency) ? [[line, rounding]] : [];
    }),
  );
}

function ownAmounts(line: OrderLine, { currency, pricesIncludeTax }: Order, rounding: OrderLine | undefined): LineAmounts {
  const sign = line.kind === "discount" ? (value: string) => negateDecimal(absolute(value)) : (value: string) => value;
  const priced = multiplyDecimals(line.unitPrice.amount, line.quantity);
  const listed = sign(shortened(rounding ? inNinePlaces(addDecimals(priced, rounding.unitPrice.amount)) : priced));
  const paid = subtractDecimals(listed, shortened(line.discount?.amount ?? "0"));
  const rate = line.taxRatePercent ?? null;
  const places = Math.max(placesOfCurrency(currency), placesOf(listed), placesOf(paid));
  const computed = (amount: string) => {
    if (rate === null || isZero(rate)) return "0";
    const whole = pricesIncludeTax === true ? addDecimals("100", rate) : "100";
    return divideDecimals(multiplyDecimals(amount, rate), whole, places);
  };
  const tax = line.tax == null ? computed(paid) : sign(shortened(line.tax.amount));
  const taxOfListed = isZero(paid) ? computed(listed) : divideDecimals(multiplyDecimals(tax, listed), paid, places);
  const withTax = (amount: string, ofAmount: string): Amounts =>
    pricesIncludeTax === true
      ? { net: subtractDecimals(amount, ofAmount), gross: amount }
      : { net: amount, gross: addDecimals(amount, ofAmount) };
  const after = withTax(paid, tax);
  // Without a discount both are the same, whatever a division would have rounded.
  return { line, before: listed === paid ? after : withTax(listed, taxOfListed), after };
}

/** Negative pieces of a product are a return, of which each system has its own idea. */
function isDeduction({ line, after: { gross } }: LineAmounts): boolean {
  return line.kind === "discount" || (line.kind !== "product" && isNegative(gross));
}

/** Shares in whole units of the last place whose sum is the whole, by rounding what has been given so far. */
function spread(whole: Amounts, lines: readonly LineAmounts[], places: number): [LineAmounts, Amounts][] {
  const weights = lines.map(({ after: { gross } }) => (isNegative(gross) ? "0" : gross));
  const weight = addDecimals(...weights);
  if (isZero(whole.gross) && isZero(whole.net)) return [];
  if (isZero(weight)) return lines.slice(0, 1).map((line) => [line, whole]);
  const [nets, grosses] = [splitDecimal(whole.net, weights, places), splitDecimal(whole.gross, weights, places)];
  return lines.map((line, index) => [line, { net: nets[index] ?? "0", gross: grosses[index] ?? "0" }]);
}

function placesOfOrder({ currency }: Order, { net, gross }: Amounts): number {
  return Math.max(placesOfCurrency(currency), placesOf(net), placesOf(gross));
}

function minus(a: Amounts, b: Amounts): Amounts {
  return { net: subtractDecimals(a.net, b.net), gross: subtractDecimals(a.gross, b.gross) };
}

function sumOf(amounts: readonly Amounts[], which: keyof Amounts): string {
  return addDecimals("0", ...amounts.map((each) => each[which]));
}

/** "10.0000" is 10.00 to those who write four places always. */
function shortened(value: string): string {
  return value.includes(".") ? value.replace(/\.?0+$/, "") : value;
}
