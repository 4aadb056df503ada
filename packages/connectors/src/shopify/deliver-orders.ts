import type { Order } from "@crossdock/contract";
import { z } from "zod";
import { Amount } from "../foreign.ts";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { divideDecimals, isZero, multiplyDecimals, placesOf, subtractDecimals, toWholeNumber } from "../decimal.ts";
import { Anything, later, next } from "../json-call.ts";
import { placesOfCurrency } from "../minor-units.ts";
import { type LineAmounts, amountsOf, returnedLine, sumAfter, sumBefore, taxOf, titleOf } from "../order-amounts.ts";
import { type GoodsThere, changeOfGoods, isEmptied, partTakenBack } from "../order-standing.ts";
import { stated } from "../stated.ts";
import { addressForShop } from "./addresses.ts";
import { type Delivery, Id, call } from "./call.ts";
import { Sku } from "./payloads.ts";

const AnsweredOrder = z.object({
  id: Id,
  name: z.string(),
  cancelled_at: z.string().nullish(),
  current_total_price: Amount,
  line_items: z.array(z.object({ id: Id, sku: Sku, quantity: Amount, current_quantity: Amount })).default([]),
  fulfillments: z.array(z.object({ id: Id, status: z.string().nullish(), tracking_numbers: z.array(z.string()).nullish() })).nullish(),
});
export type AnsweredOrder = z.output<typeof AnsweredOrder>;

const OrderAnswer = z.object({ order: AnsweredOrder });
const OrdersAnswer = z.object({ orders: z.array(AnsweredOrder) });

/**
 * A known order is updated or cancelled. An unknown one is looked up by its number first: a create that was answered too late must
 * not be repeated, since Shopify's REST API takes no idempotency key.
 */
export function deliverOrder(delivery: Delivery<Order>): OutboundRequest | Dead {
  const { document, input } = delivery;
  if (document.kind === "cancellation") {
    if (document.cancels == null) return dead("not-supported", "Shopify can't take a cancellation that doesn't name its order");
    return findOrder(delivery, document.cancels, (found) => {
      if (!found) return orderNotThereYet();
      return partTakenBack(document, goodsOf(found.line_items)) ?? cancelOrder(delivery, found);
    });
  }
  if (input.externalId !== null && /^\d{1,16}$/.test(input.externalId)) return changeOrder(delivery, input.externalId);
  const made = newOrder(document);
  const isNothing = document.status === "cancelled" || isEmptied(document);
  if (made.kind === "dead" && !isNothing) return made;
  return findOrder(delivery, document.orderNumber, (found) => {
    if (found) return document.status === "cancelled" ? cancelOrder(delivery, found) : next(changeOrder(delivery, found.id));
    // Cancelled or given back before it came here: there is nothing to cancel, and nothing to make.
    if (isNothing || made.kind === "dead") return { kind: "delivered" };
    return next(
      call(delivery, { method: "POST", path: "orders.json", body: { order: made.order } }, OrderAnswer, (answer) => ({
        kind: "delivered",
        externalId: answer.order.id,
      })),
    );
  });
}

/** Order names are compared exactly, with or without Shopify's number sign. */
export function findOrder(
  delivery: Delivery<unknown>,
  orderNumber: string,
  then: (found: AnsweredOrder | undefined) => Verdict,
): OutboundRequest {
  const query = new URLSearchParams({ name: orderNumber, status: "any", fields: "id,name,cancelled_at,line_items,fulfillments" });
  return call(delivery, { method: "GET", path: `orders.json?${query.toString()}` }, OrdersAnswer, ({ orders }) =>
    then(orders.find(({ name }) => name === orderNumber || name === `#${orderNumber}`)),
  );
}

export function orderNotThereYet(): Verdict {
  return later("order-unknown", "the shop has no order of this number yet");
}

function cancelOrder(delivery: Delivery<Order>, order: AnsweredOrder): Verdict {
  const delivered: Verdict = { kind: "delivered", externalId: order.id };
  if (order.cancelled_at != null) return delivered;
  return next(call(delivery, { method: "POST", path: `orders/${order.id}/cancel.json`, body: {} }, Anything, () => delivered));
}

type Answered = { line_items?: AnsweredOrder["line_items"] | undefined; current_total_price?: string | null | undefined };

function thereOf({ line_items: lines = [], current_total_price: total }: Answered) {
  return { goods: lines.length === 0 ? undefined : goodsOf(lines), total };
}

function goodsOf(lines: AnsweredOrder["line_items"]): GoodsThere {
  return lines.map((line) => ({ sku: line.sku ?? "", quantity: line.current_quantity ?? line.quantity ?? "0" }));
}

/** Shopify lets little of an order be changed: its lines and amounts stay, so what changed of them is told. */
function changeOrder(delivery: Delivery<Order>, id: string): OutboundRequest {
  const { document } = delivery;
  if (document.status === "cancelled") {
    return call(delivery, { method: "GET", path: `orders/${id}.json` }, OrderAnswer, ({ order }) => cancelOrder(delivery, order));
  }
  const order = {
    id: Number(id),
    ...stated({
      note: document.note,
      tags: document.tags?.join(", "),
      email: document.customer?.email,
      shipping_address: addressForShop(document.shippingAddress),
    }),
  };
  const Changed = z.object({ order: AnsweredOrder.partial().nullish() });
  return call(
    delivery,
    { method: "PUT", path: `orders/${id}.json`, body: { order } },
    Changed,
    ({ order: there }) => (there && changeOfGoods(document, thereOf(there))) ?? { kind: "delivered", externalId: id },
  );
}

const financialStatuses: Record<NonNullable<Order["paymentStatus"]>, string> = {
  pending: "pending",
  authorized: "authorized",
  "partially-paid": "partially_paid",
  paid: "paid",
  "partially-refunded": "partially_refunded",
  refunded: "refunded",
  voided: "voided",
};

function newOrder(order: Order): { kind: "order"; order: Record<string, unknown> } | Dead {
  const { goods, carriage } = amountsOf(order);
  const own = order.pricesIncludeTax === true ? "gross" : "net";
  const faulty = returnedLine(order) ?? goods.find(({ line }) => toWholeNumber(line.quantity) === null)?.line;
  if (faulty) return dead("not-supported", `line ${faulty.lineNumber}: Shopify takes whole positive quantities and no negative prices`);
  if (goods.length === 0) return dead("not-supported", "Shopify takes no order without goods");
  // A code is taken off the goods; what is off the carriage is off its price.
  const discounted = subtractDecimals(sumBefore(goods)[own], sumAfter(goods)[own]);
  const fields = {
    name: order.orderNumber,
    processed_at: order.orderedAt,
    currency: order.currency,
    email: order.customer?.email ?? null,
    phone: order.customer?.phone ?? null,
    financial_status: financialStatuses[order.paymentStatus ?? "pending"],
    taxes_included: order.pricesIncludeTax ?? false,
    note: order.note ?? null,
    tags: (order.tags ?? []).join(", "),
    billing_address: addressForShop(order.billingAddress),
    shipping_address: addressForShop(order.shippingAddress),
    line_items: goods.map((each) => ({
      title: titleOf(each.line),
      sku: each.line.sku,
      quantity: toWholeNumber(each.line.quantity),
      price: each.line.unitPrice.amount,
      requires_shipping: each.line.kind === "product",
      ...taxLines(each),
    })),
    shipping_lines: carriage.map((each) => ({
      title: titleOf(each.line),
      code: each.line.sku ?? "shipping",
      price: padded(each.after[own], order.currency),
      ...taxLines(each),
    })),
    ...(isZero(discounted) ? {} : { discount_codes: [{ code: "DISCOUNT", amount: discounted, type: "fixed_amount" }] }),
    // What was sold elsewhere has left the stock there, and its buyer has had a receipt.
    inventory_behaviour: "bypass",
    send_receipt: false,
  };
  return { kind: "order", order: fields };
}

/** The shop computes no tax for orders from elsewhere: each line brings its own, of what it costs after discounts. */
function taxLines({ line, after }: LineAmounts): object {
  const tax = taxOf(after);
  return line.tax == null && isZero(tax) ? {} : { tax_lines: [{ title: "Tax", price: tax, rate: rateOf(line) }] };
}

/** 6 per cent is 0.06. A rate is no amount: a JSON number is what Shopify expects. */
function rateOf({ taxRatePercent }: LineAmounts["line"]): number {
  return taxRatePercent == null ? 0 : Number(multiplyDecimals(taxRatePercent, "0.01"));
}

/** With the places that the currency has, as the shop writes amounts. */
function padded(amount: string, currency: string): string {
  return divideDecimals(amount, "1", Math.max(placesOfCurrency(currency), placesOf(amount)));
}
