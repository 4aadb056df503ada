import type { ReceivedDocument, Pull } from "../connector.ts";
import { z } from "zod";
import { addDecimals, isNegative, isZero, multiplyDecimals, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, asText, joined, listOf, money, unixTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered, judge } from "../json-call.ts";
import { lookedAtAgain } from "../paging.ts";
import { withDiscount } from "../row-sums.ts";
import { type Context, call, manners } from "./call.ts";

const Line = z.object({
  orderitemid: Id,
  sku: Text,
  productname: Text,
  quantity: NeededAmount,
  decimalquantitytotal: Amount,
  moneynetpriceperunit: NeededAmount,
  moneyoriginalprice: Amount,
  moneyitemtotal_net: Amount,
  moneyitemtotal_vat: Amount,
  vatvalue: Amount,
  salestaxes: listOf(z.object({ moneytax: Amount })).nullish(),
});
const Read = z.object({
  orderid: Id,
  externalid: Text,
  creditorderid: Text,
  email: Text,
  namefirst: Text,
  namelast: Text,
  company: Text,
  phone: Text,
  invoice_address: Text,
  invoice_address2: Text,
  invoice_zip: Text,
  invoice_city: Text,
  invoice_state: Text,
  invoice_countryid: Text,
  delivery_address: Text,
  delivery_address2: Text,
  delivery_zip: Text,
  delivery_city: Text,
  delivery_state: Text,
  delivery_countryid: Text,
  comment: Text,
  orderdate: z.int(),
  orderstateid: z.int().nullish(),
  ordertypeid: z.int().nullish(),
  paymentstateid: z.int().nullish(),
  currencycode: z.string(),
  moneytotal_net: Amount,
  moneydelivery_net: Amount,
  moneydelivery_vat: Amount,
  moneycheckout_net: Amount,
  moneycheckout_vat: Amount,
  moneyfinal_vat: Amount,
  moneyfinal_salestax: Amount,
  moneytotal_gross_roundoff: Amount,
  moneytotal_gross_all: Amount,
  orderitems: listOf(Line),
});
/** What Sitoo's answer has of it, and what was asked for to stand beside that. */
export const Order = Read.extend({ creditexternalid: Text });
type Order = z.output<typeof Order>;

const abandoned = -1;
/**
 * A booking, and a receipt that a till has put aside: "the source for this purchase (Booking or POSParked)", which is an order of its own.
 * https://developer.sitoo.com/api-reference/orders
 */
const setAside = new Set<number | null | undefined>([100, 110]);
const statuses = new Map([
  [10, "completed"],
  [20, "cancelled"],
]);
const paymentStatuses = new Map([
  [10, "pending"],
  [15, "authorized"],
  [20, "paid"],
  [30, "voided"],
]);

/** What somebody left in a basket, or a store put aside, is no order. A refund is an order of its own that names the one it takes back. */
export function orderOf(order: Order): ReceivedDocument[] {
  if (order.orderstateid === abandoned || setAside.has(order.ordertypeid)) return [];
  const currency = order.currencycode;
  const name = joined(order.namefirst, order.namelast);
  const document = {
    orderNumber: order.externalid ?? order.orderid,
    kind: order.creditorderid === null ? "sale" : "cancellation",
    cancels: order.creditexternalid ?? order.creditorderid,
    status: statuses.get(order.orderstateid ?? 0) ?? "open",
    paymentStatus: paymentStatuses.get(order.paymentstateid ?? 0) ?? null,
    orderedAt: unixTime(order.orderdate),
    currency,
    pricesIncludeTax: false,
    customer: { email: order.email, phone: order.phone, name },
    billingAddress: addressOf(order, "invoice"),
    shippingAddress: addressOf(order, "delivery"),
    lines: [...order.orderitems.flatMap((line) => linesOf(line, currency)), ...costsOf(order)],
    totals: {
      lines: money(order.moneytotal_net, currency),
      shipping: money(order.moneydelivery_net, currency),
      tax: money(sumOf(order.moneyfinal_vat, order.moneyfinal_salestax), currency),
      total: money(order.moneytotal_gross_all, currency),
    },
    note: order.comment,
  };
  return [{ entityType: "order", document }];
}

/** `moneynetpriceperunit` is what was paid; the price before a discount stands beside it where there was one. Of a return that is less. */
function linesOf(line: z.output<typeof Line>, currency: string) {
  const quantity = line.decimalquantitytotal ?? line.quantity;
  const original = line.moneyoriginalprice === null || isZero(line.moneyoriginalprice) ? null : line.moneyoriginalprice;
  const paid = line.moneyitemtotal_net;
  const isReduced = original !== null && paid !== null && !isNegative(subtractDecimals(multiplyDecimals(original, quantity), paid));
  const salesTaxes = (line.salestaxes ?? []).map(({ moneytax }) => moneytax);
  const row = {
    lineNumber: line.orderitemid,
    sku: line.sku,
    description: line.productname,
    quantity,
    unitPrice: money(isReduced ? original : line.moneynetpriceperunit, currency),
    tax: money(sumOf(line.moneyitemtotal_vat, ...salesTaxes), currency),
    // Sales taxes have rates of their own, each of another sum.
    taxRatePercent: salesTaxes.length > 0 ? null : line.vatvalue,
    total: money(paid, currency),
  };
  return withDiscount(row, paid);
}

/** Null where nothing of it is told. */
function sumOf(...amounts: (string | null)[]): string | null {
  const told = amounts.filter((amount) => amount !== null);
  return told.length === 0 ? null : addDecimals(...told);
}

/** Carriage, what paying cost, and the rounding of the sum, which are sums of the order there. */
function costsOf(order: Order) {
  const costs = [
    { lineNumber: "delivery", kind: "shipping", amount: order.moneydelivery_net, tax: order.moneydelivery_vat },
    { lineNumber: "checkout", kind: "fee", amount: order.moneycheckout_net, tax: order.moneycheckout_vat },
    { lineNumber: "roundoff", kind: "adjustment", amount: order.moneytotal_gross_roundoff, tax: null },
  ];
  return costs.flatMap(({ amount, tax, ...line }) => {
    if (amount === null || isZero(amount)) return [];
    const currency = order.currencycode;
    return [{ ...line, sku: null, description: null, quantity: "1", unitPrice: money(amount, currency), tax: money(tax, currency) }];
  });
}

function addressOf(order: Order, kind: "invoice" | "delivery") {
  const countryId = order[`${kind}_countryid`];
  return {
    name: joined(order.namefirst, order.namelast),
    company: order.company,
    street: [order[`${kind}_address`], order[`${kind}_address2`]].filter((line) => line !== null),
    postalCode: order[`${kind}_zip`],
    city: order[`${kind}_city`],
    region: order[`${kind}_state`],
    country: countryId?.length === 2 ? countryId.toUpperCase() : null,
    phone: order.phone,
  };
}

/** A page takes a request more for each refund in it. */
const pageSize = 50;

/**
 * Lists go by place: `start` and `num`. Orders are added at the end, so the place reached is the cursor, and the next poll begins some before
 * it, for those that were paid or cancelled meanwhile. Addresses come only when asked for. A refund names the order that it takes back by
 * Sitoo's own id; the external id, by which others know that order, is asked for.
 */
export function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  const start = /^\d{1,12}$/.test(cursor ?? "") ? Number(cursor) : 0;
  const query = new URLSearchParams({
    start: String(start),
    num: String(pageSize),
    sort: "orderid",
    fields: Object.keys(Read.shape).join(","),
  });
  return {
    request: call(context, { method: "GET", path: `orders.json?${query.toString()}` }, Anything, () => delivered()),
    read: (response) =>
      judge(response, manners, {}, (body) => {
        const orders = isRecord(body) && Array.isArray(body["items"]) ? body["items"].filter(isRecord) : [];
        const [reached, hasMore] = [start + orders.length, orders.length >= pageSize];
        const known = new Map(orders.map((order) => [asText(order["orderid"]), asText(order["externalid"])]));
        const refunded = new Set(orders.map((order) => asText(order["creditorderid"])).filter((id) => id !== "" && !known.has(id)));
        return askExternalIds(context, [...refunded], known, () => ({
          kind: "page",
          messages: orders.map((order) => {
            const creditexternalid = known.get(asText(order["creditorderid"])) ?? "";
            return {
              body: JSON.stringify(creditexternalid === "" ? order : { ...order, creditexternalid }),
              name: `${asText(order["orderid"])}@${asText(order["orderstateid"])}`,
            };
          }),
          cursor: String(hasMore ? reached : Math.max(0, reached - lookedAtAgain)),
          hasMore,
        }));
      }),
  };
}

type Asked = ReturnType<Pull["read"]>;

/** One by one; an order that is not there has none. */
function askExternalIds(context: Context, [id, ...others]: string[], known: Map<string, string>, then: () => Asked): Asked {
  if (id === undefined) return then();
  const path = `orders/${encodeURIComponent(id)}.json?fields=orderid,externalid`;
  const keep = (body: unknown): Asked => {
    known.set(id, isRecord(body) ? asText(body["externalid"]) : "");
    return askExternalIds(context, others, known, then);
  };
  const request = call(context, { method: "GET", path }, Anything, () => delivered());
  return { kind: "question", question: { request, read: (response) => judge(response, manners, { 404: keep }, keep) } };
}
