import { reasons } from "@crossdock/contract";
import { z } from "zod";
import { isOneAddress } from "../addresses.ts";
import type { ReceivedDocument } from "../connector.ts";
import { addDecimals, isZero, multiplyDecimals, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, joined, joinedAttributes, listOf, money, namedValues } from "../foreign.ts";
import { type Pulling, followed } from "../paging.ts";
import { withDiscount } from "../row-sums.ts";
import { type Context, rfc2822 } from "./call.ts";
import { withAllLines } from "./order-lines.ts";
import { pullChanged } from "./pull.ts";

export const Address = z.object({
  first_name: Text,
  last_name: Text,
  company: Text,
  street_1: Text,
  street_2: Text,
  city: Text,
  state: Text,
  zip: Text,
  country: Text,
  country_iso2: Text,
  phone: Text,
  email: Text,
});

export function addressOf(address: z.output<typeof Address> | null | undefined) {
  if (address == null) return null;
  return {
    name: joined(address.first_name, address.last_name),
    company: address.company,
    street: [address.street_1, address.street_2].filter((line) => line !== null),
    postalCode: address.zip,
    city: address.city,
    region: address.state,
    country: address.country_iso2?.toUpperCase() ?? null,
    countryName: address.country,
    phone: address.phone,
  };
}

const Line = z.object({
  id: Id,
  sku: Text,
  name: Text,
  quantity: NeededAmount,
  quantity_refunded: Amount,
  price_ex_tax: Amount,
  price_inc_tax: Amount,
  base_price: Amount,
  total_inc_tax: Amount,
  total_tax: Amount,
  discounted_total_inc_tax: Amount,
  applied_discounts: listOf(z.object({ amount: Amount })).nullish(),
  product_options: listOf(z.object({ display_name: Text, display_value: Text })).nullish(),
});
/** Lists of one are a bare line in the documentation's examples. */
const Lines = z.union([listOf(Line), Line.transform((line) => [line])]).nullish();
const Parts = listOf(z.object({ line_items: Lines })).nullish();
const Consignments = z.object({
  shipping: listOf(Address.extend({ line_items: Lines })).nullish(),
  pickups: Parts,
  downloads: Parts,
  email: z.object({ gift_certificates: Parts }).nullish(),
});
const OrderFields = z.object({
  id: Id,
  status_id: z.int().nullish(),
  payment_status: Text,
  date_created: z.string(),
  date_modified: Text,
  currency_code: z.string(),
  default_currency_code: Text,
  customer_id: Text,
  subtotal_inc_tax: Amount,
  shipping_cost_inc_tax: Amount,
  shipping_cost_tax: Amount,
  handling_cost_inc_tax: Amount,
  handling_cost_tax: Amount,
  wrapping_cost_inc_tax: Amount,
  wrapping_cost_tax: Amount,
  total_tax: Amount,
  total_inc_tax: Amount,
  refunded_amount: Amount,
  discount_amount: Amount,
  coupon_discount: Amount,
  customer_message: Text,
  billing_address: Address.nullish(),
  fees: listOf(z.object({ id: Id, name: Text, cost_inc_tax: Amount, cost_tax: Amount })).nullish(),
  /** A list of one in the older form. */
  consignments: z.union([listOf(Consignments), Consignments.transform((consignments) => [consignments])]).nullish(),
});

type Order = z.output<typeof OrderFields>;

/** Somebody reached the page for payment and didn't pay. */
const incomplete = 0;

function shippedOf({ consignments }: Order) {
  return (consignments ?? []).flatMap(({ shipping }) => shipping ?? []);
}

export const Order = OrderFields.refine((order) => order.status_id === incomplete || isOneAddress(shippedOf(order).map(addressOf)), {
  path: ["consignments"],
  message: reasons["several-addresses"],
});

const statuses = new Map<number, "open" | "completed" | "cancelled">([
  [2, "completed"],
  [10, "completed"],
  [4, "cancelled"],
  [5, "cancelled"],
  [6, "cancelled"],
]);

const paymentStatuses = new Map<string | null, string>([
  ["pending", "pending"],
  ["held for review", "pending"],
  ["declined", "pending"],
  ["authorized", "authorized"],
  ["capture pending", "authorized"],
  ["captured", "paid"],
  ["paid", "paid"],
  ["partially refunded", "partially-refunded"],
  ["refunded", "refunded"],
  ["void", "voided"],
  ["void pending", "voided"],
]);

/** Offline payments have no state of their own: the order's tells that it awaits them. */
const awaitingPayment = new Set<number | null | undefined>([1, 7]);
/** Somebody has to verify it, or its buyer disputes the payment. */
const heldBack = new Set<number | null | undefined>([12, 13]);

/** What was paid for a line, tax included: the store says it, and in older orders only each discount. */
function paidFor({ quantity, ...line }: z.output<typeof Line>, price: string): string {
  const discounts = (line.applied_discounts ?? []).map(({ amount }) => amount ?? "0");
  return line.discounted_total_inc_tax ?? subtractDecimals(multiplyDecimals(price, quantity), addDecimals("0", ...discounts));
}

/** Lines are as they were ordered; what refunds have left of one stands beside it. */
function leftOf({ quantity, quantity_refunded: refunded }: z.output<typeof Line>): Record<string, string> | undefined {
  return refunded === null || isZero(refunded) ? undefined : { currentQuantity: subtractDecimals(quantity, refunded) };
}

function linesOf(line: z.output<typeof Line>, currency: string) {
  const price = line.price_inc_tax ?? line.base_price;
  const options = (line.product_options ?? []).map(({ display_name: name, display_value: value }) => ({ name: name ?? "", value }));
  const row = {
    lineNumber: line.id,
    sku: line.sku,
    description: line.name,
    quantity: line.quantity,
    unitPrice: money(price, currency),
    tax: money(line.total_tax, currency),
    total: money(line.total_inc_tax, currency),
    attributes: joinedAttributes(namedValues("option", options), leftOf(line)),
  };
  return withDiscount(row, price === null ? null : paidFor(line, price));
}

/** What is paid besides the goods, as lines. */
function costLinesOf(order: Order, currency: string) {
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: order.shipping_cost_inc_tax, tax: order.shipping_cost_tax },
    { lineNumber: "handling", kind: "fee", amount: order.handling_cost_inc_tax, tax: order.handling_cost_tax },
    { lineNumber: "wrapping", kind: "fee", amount: order.wrapping_cost_inc_tax, tax: order.wrapping_cost_tax },
    ...(order.fees ?? []).map((fee) => ({
      lineNumber: `fee-${fee.id}`,
      kind: "fee",
      description: fee.name,
      amount: fee.cost_inc_tax,
      tax: fee.cost_tax,
    })),
  ];
  return costs.flatMap(({ amount, tax, ...line }) =>
    amount === null || isZero(amount)
      ? []
      : [{ sku: null, description: null, ...line, quantity: "1", unitPrice: money(amount, currency), tax: money(tax, currency) }],
  );
}

function totalLeftOf({ total_inc_tax: total, refunded_amount: refunded }: Order): Record<string, string> | undefined {
  return total === null || refunded === null || isZero(refunded) ? undefined : { currentTotal: subtractDecimals(total, refunded) };
}

export function orderOf(order: Order): ReceivedDocument[] {
  if (order.status_id === incomplete) return [];
  // The currency that was paid in; the other one is that in which prices were shown.
  const currency = order.default_currency_code ?? order.currency_code;
  const consignments = order.consignments ?? [];
  const shipped = shippedOf(order);
  const given = consignments.flatMap(({ pickups, downloads, email }) => [pickups, downloads, email?.gift_certificates]);
  const parts = [...shipped, ...given.flatMap((each) => each ?? [])];
  const lines = parts.flatMap(({ line_items: items }) => items ?? []);
  const payment = order.payment_status?.toLowerCase() ?? null;
  const isHeld = heldBack.has(order.status_id) || payment === "held for review";
  const document = {
    orderNumber: order.id,
    status: statuses.get(order.status_id ?? -1) ?? "open",
    paymentStatus: paymentStatuses.get(payment) ?? (awaitingPayment.has(order.status_id) ? "pending" : null),
    orderedAt: rfc2822(order.date_created),
    updatedAt: rfc2822(order.date_modified),
    currency,
    pricesIncludeTax: true,
    customer: { customerNumber: order.customer_id === "0" ? null : order.customer_id, email: order.billing_address?.email ?? null },
    billingAddress: addressOf(order.billing_address),
    shippingAddress: addressOf(shipped[0]),
    lines: [...lines.flatMap((line) => linesOf(line, currency)), ...costLinesOf(order, currency)],
    totals: {
      lines: money(order.subtotal_inc_tax, currency),
      discount: money(addDecimals(order.discount_amount ?? "0", order.coupon_discount ?? "0"), currency),
      shipping: money(order.shipping_cost_inc_tax, currency),
      tax: money(order.total_tax, currency),
      total: money(order.total_inc_tax, currency),
    },
    note: order.customer_message,
    attributes: joinedAttributes<boolean | string>(isHeld ? { onHold: true } : undefined, totalLeftOf(order)),
  };
  return [{ entityType: "order", document }];
}

export function changedOrders(input: Context & Pulling) {
  return pullChanged(input, {
    path: "v2/orders",
    query: { sort: "date_modified:asc", include: "consignments.line_items,fees", consignment_structure: "object" },
    sinceName: "min_date_modified",
    objectsOf: (body) => (Array.isArray(body) ? body : []),
    changedAt: (order) => rfc2822(typeof order["date_modified"] === "string" ? order["date_modified"] : null),
  });
}

export function pullOrders(input: Context & Pulling) {
  return followed(changedOrders(input), (page) => withAllLines(input, page, (orders) => orders));
}
