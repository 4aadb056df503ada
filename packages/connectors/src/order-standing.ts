import { type Address, Decimal, type Order, type OrderLine } from "@crossdock/contract";
import { type Dead, dead } from "./connector.ts";
import {
  absolute,
  addDecimals,
  divideDecimals,
  isNegative,
  isZero,
  multiplyDecimals,
  negateDecimal,
  placesOf,
  subtractDecimals,
} from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";
import { amountsOf, taxOf } from "./order-amounts.ts";

/**
 * The order with what edits, cancellations of lines and returns have left of it: sent as it was ordered, what was taken out of it would be
 * packed. What was cancelled as a whole stays as it was, for those who keep a history.
 */
export function asItStands(order: Order): Order {
  const lines = order.lines.map((line) => lineAsItStands(line, order));
  const total = decimalIn(order.attributes, "currentTotal");
  const isChanged = total !== null || lines.some((line, index) => line !== order.lines[index]);
  if (!isChanged || order.status === "cancelled" || order.kind === "cancellation") return order;
  // The sums that the source states are those of what was ordered.
  const left = { ...order, lines, totals: null };
  if (total === null) return left;
  return { ...left, lines: [...lines, ...givenBack(left, total)], totals: { total: { amount: total, currency: order.currency } } };
}

/** What was given back of the order's sum and not of its pieces, as for a scratch or a late parcel: a discount, with its part of the tax. */
function givenBack(order: Order, left: string): OrderLine[] {
  const { currency, pricesIncludeTax } = order;
  const { total } = amountsOf(order);
  const back = subtractDecimals(total.gross, left);
  if (isNegative(back) || isZero(back)) return [];
  const tax = divideDecimals(multiplyDecimals(taxOf(total), back), total.gross, Math.max(placesOfCurrency(currency), placesOf(back)));
  const off = pricesIncludeTax === true ? back : subtractDecimals(back, tax);
  const line = { lineNumber: "given-back", kind: "discount", sku: null, description: null, quantity: "1" } as const;
  return [{ ...line, unitPrice: { amount: off, currency }, tax: { amount: tax, currency } }];
}

/** Nothing is left of its goods. */
export function isEmptied({ lines }: Order): boolean {
  const goods = lines.filter(({ kind }) => kind === "product");
  return goods.length > 0 && goods.every(({ quantity }) => isZero(quantity));
}

function lineAsItStands(line: OrderLine, { currency }: Order): OrderLine {
  const quantity = decimalIn(line.attributes, "currentQuantity");
  if (quantity === null || isZero(line.quantity) || isZero(subtractDecimals(quantity, line.quantity))) return line;
  const share = (money: OrderLine["tax"]) =>
    money && {
      ...money,
      amount: divideDecimals(
        multiplyDecimals(money.amount, quantity),
        line.quantity,
        Math.max(placesOfCurrency(currency), placesOf(money.amount)),
      ),
    };
  return { ...line, quantity, discount: share(line.discount), tax: share(line.tax), total: null };
}

function decimalIn(attributes: Order["attributes"], name: string): string | null {
  const value = attributes?.[name];
  const text = Decimal.safeParse(typeof value === "number" ? String(value) : value);
  return text.success ? text.data : null;
}

/** Goods of a known order as its target has them, refunds and cancellations taken off. */
export type GoodsThere = { sku: string; quantity: string }[];

type There = { goods?: GoodsThere | undefined; total?: string | null | undefined };

/**
 * Why a later version of an order can't be told to a target that has it: its goods are others there and can't be changed, or a part of its
 * sum was given back. Null: the target has what the version says. A sum is looked at only where the version says that it changed, as targets
 * round in their own ways.
 */
export function changeOfGoods(order: Order, there: There): Dead | null {
  const own = amountsOf(order).goods.map(({ line }) => ({ sku: line.sku ?? "", quantity: line.quantity }));
  const [wanted, found] = [summed(own), summed(there.goods ?? own)];
  const skus = [...new Set([...wanted.keys(), ...found.keys()])];
  const changed = skus.flatMap((sku) => {
    const [now, before] = [wanted.get(sku) ?? "0", found.get(sku) ?? "0"];
    return isZero(subtractDecimals(now, before)) ? [] : [`${named(sku)} ${plain(before)} → ${plain(now)}`];
  });
  if (changed.length > 0) {
    const lines = listed(changed);
    return dead("order-changed", `lines of an order that is there already can't be changed: ${lines}; change them there, then try again`);
  }
  const total = decimalIn(order.attributes, "currentTotal");
  if (total === null || there.total == null || isAlike(total, there.total)) return null;
  const sums = `${plain(there.total)} → ${plain(total)}`;
  return dead("order-changed", `the sum of an order that is there already can't be changed: ${sums}; give it back there, then try again`);
}

/**
 * A cancellation may take back a part only, as sources send refunds as such. Systems cancel orders as a whole: one of which goods would be
 * left must stay. Lines without a SKU may be fees or carriage, which a return leaves, so they count only where there is nothing else. Null:
 * it takes back all that is there.
 */
export function partTakenBack({ lines }: Order, goods: GoodsThere): Dead | null {
  if (lines.length === 0) return null;
  const back = lines
    .filter(({ kind }) => kind === "product")
    .map((line) => ({ sku: line.sku ?? "", quantity: isNegative(line.quantity) ? line.quantity : negateDecimal(line.quantity) }));
  const isNamed = [...goods, ...back].some(({ sku }) => sku !== "");
  const left = [...summed([...goods, ...back])].filter(
    ([sku, quantity]) => !isZero(quantity) && !isNegative(quantity) && (sku !== "" || !isNamed),
  );
  if (left.length === 0) return null;
  const text = listed(left.map(([sku, quantity]) => `${named(sku)} ${plain(quantity)}`));
  return dead(
    "part-taken-back",
    `orders are cancelled as a whole, and of this one is left: ${text}; take the rest back there, then remove this message`,
  );
}

/** It was made there, and is not found by its number any more: made again, it would be two where people have only put it aside. */
export function orderGone(): Dead {
  return dead("external-gone", "the system had this order and doesn't show it any more; remove its external item to create it anew");
}

type Place = { street?: string[] | null | undefined; postcode: string | null; city: string | null; country_id: string | null };

/** Whether an address is where the target has it, whatever letter case and blanks either writes. */
export function isSamePlace(address: Address, there: Place): boolean {
  const own = [...(address.street ?? []), address.postalCode, address.city, address.country];
  const its = [...(there.street ?? []), there.postcode, there.city, there.country_id];
  return placeText(own) === placeText(its);
}

function placeText(parts: (string | null | undefined)[]): string {
  return parts
    .filter((part) => part != null)
    .join("")
    .replace(/[\s,]/g, "")
    .toLowerCase();
}

function named(sku: string): string {
  return sku === "" ? "lines without sku" : sku;
}

function listed(texts: readonly string[]): string {
  return `${texts.slice(0, 5).join(", ")}${texts.length > 5 ? ` and ${texts.length - 5} more` : ""}`;
}

function summed(goods: GoodsThere): Map<string, string> {
  const sums = new Map<string, string>();
  for (const { sku, quantity } of goods) sums.set(sku, addDecimals(sums.get(sku) ?? "0", quantity));
  return sums;
}

/** Less than half a per cent apart is rounding. */
function isAlike(a: string, b: string): boolean {
  return Number(absolute(subtractDecimals(a, b))) <= Math.max(Math.abs(Number(a)), Math.abs(Number(b))) * 0.005;
}

function plain(amount: string): string {
  return amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount;
}
