import type { Address, Order } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { divideDecimals, isZero, multiplyDecimals, negateDecimal, placesOf, subtractDecimals, toWholeNumber } from "../decimal.ts";
import { Amount, Id, Text, asText, splitName } from "../foreign.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { type Amounts, type OrderAmounts, amountsOf, returnedLine, taxOf, titleOf } from "../order-amounts.ts";
import { type GoodsThere, changeOfGoods, isEmptied, isSamePlace, orderGone, partTakenBack } from "../order-standing.ts";
import { type Delivery, call } from "./call.ts";

const place = (kind: "invoice" | "delivery") =>
  ({
    address: `${kind}_address`,
    address2: `${kind}_address2`,
    zip: `${kind}_zip`,
    city: `${kind}_city`,
    country: `${kind}_countryid`,
  }) as const;
const placeFields = [...Object.values(place("invoice")), ...Object.values(place("delivery"))];
const OrderItem = z.object({ sku: Text, quantity: Amount, decimalunitquantity: Amount, decimalquantitytotal: Amount });
const Known = z.looseObject({
  orderid: z.int(),
  externalid: z.string().nullish(),
  moneytotal_gross_all: Amount,
  orderitems: z.array(OrderItem).nullish(),
});
type Known = z.output<typeof Known>;
const OrderList = z.object({ items: z.array(Known) });
const cancelled = 20;

/** Its own unique external id tells an order that is there already; a list holds it only where it is asked for. */
export function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document } = delivery;
  const externalid = document.kind === "cancellation" ? document.cancels : document.orderNumber;
  if (externalid == null) return dead("not-supported", "the cancellation doesn't name its order");
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(externalid))
    return dead("key", "Sitoo takes order numbers of letters, digits, _ and - only, at most 40");
  const fields = ["orderid", "externalid", "moneytotal_gross_all", "orderitems", ...placeFields].join(",");
  const path = `orders.json?${new URLSearchParams({ externalid, fields }).toString()}`;
  return call(delivery, { method: "GET", path }, OrderList, ({ items }) => {
    const found = items.find((order) => order.externalid === externalid);
    if (document.kind === "cancellation") {
      if (!found) return later("order-unknown", "Sitoo has no order with this number yet");
      return partTakenBack(document, goodsOf(found) ?? []) ?? cancelOrder(delivery, found);
    }
    if (found) return document.status === "cancelled" ? cancelOrder(delivery, found) : change(delivery, found);
    if (document.status === "cancelled" || isEmptied(document)) return delivered();
    return delivery.input.externalId === null ? createOrder(delivery) : orderGone();
  });
}

/** Addresses of a known order follow it; its lines and sums stay, so what changed of them is told. */
function change(delivery: Delivery<"order">, found: Known): Verdict {
  const { document } = delivery;
  const id = String(found.orderid);
  const compare = () =>
    changeOfGoods(document, { goods: withoutCarriage(document, goodsOf(found)), total: found.moneytotal_gross_all }) ?? delivered(id);
  const moved = (["invoice", "delivery"] as const).flatMap((kind) => {
    const wanted = kind === "invoice" ? document.billingAddress : document.shippingAddress;
    return wanted == null || isSamePlace(wanted, placeOf(found, kind)) ? [] : [addressFields(kind, wanted)];
  });
  if (moved.length === 0) return compare();
  const body: object = Object.assign({}, ...moved);
  return next(call(delivery, { method: "PUT", path: `orders/${id}.json`, body }, Anything, compare));
}

function placeOf(found: Known, kind: "invoice" | "delivery") {
  const names = place(kind);
  const at = (name: string) => asText(found[name]) || null;
  const street = [at(names.address), at(names.address2)].filter((line) => line !== null);
  return { street, postcode: at(names.zip), city: at(names.city), country_id: at(names.country) };
}

function goodsOf({ orderitems }: Known): GoodsThere | undefined {
  return orderitems?.map((line) => ({
    sku: line.sku ?? "",
    quantity: line.decimalquantitytotal ?? multiplyDecimals(line.quantity ?? "0", line.decimalunitquantity ?? "1"),
  }));
}

/** Carriage is a row there as well, under its own name or none. */
function withoutCarriage(document: Delivery<"order">["document"], goods: GoodsThere | undefined): GoodsThere | undefined {
  const carriage = amountsOf(document).carriage.map(({ line }) => ({ sku: line.sku ?? "", quantity: negateDecimal(line.quantity) }));
  return goods && [...goods, ...carriage];
}

/** Orders are never deleted there: they are set to cancelled. */
function cancelOrder(delivery: Delivery<"order">, { orderid }: Known): Verdict {
  const body = { orderstateid: cancelled };
  return next(call(delivery, { method: "PUT", path: `orders/${orderid}.json`, body }, Anything, () => delivered(String(orderid))));
}

/** Money has two places there, whatever the currency. */
function twoPlaces(amount: string): string | null {
  return placesOf(amount.replace(/(\.\d\d)0+$/, "$1")) > 2 ? null : divideDecimals(amount, "1", 2);
}

/** Rows carry what the whole row costs, tax included, and what is taken off it; Sitoo takes the tax out of that by the row's rate. */
function rowsOf({ goods, carriage }: OrderAmounts): object[] | Dead {
  const rows: object[] = [];
  for (const { line, before, after } of [...goods, ...carriage]) {
    const [price, discount] = [twoPlaces(before.gross), twoPlaces(subtractDecimals(before.gross, after.gross))];
    if (price === null || discount === null) return dead("fraction", `line ${line.lineNumber}: Sitoo takes amounts of two places`);
    const pieces = toWholeNumber(line.quantity);
    rows.push({
      sku: line.sku ?? "",
      productname: titleOf(line),
      ...(pieces === null ? { quantity: 1, decimalunitquantity: line.quantity } : { quantity: pieces }),
      moneyrowprice: price,
      ...(isZero(discount) ? {} : { moneyrowdiscount: discount }),
      vatvalue: Number(line.taxRatePercent ?? rateOf(after)),
    });
  }
  return rows;
}

/** The rate of a line whose source tells the tax only, to two places. */
function rateOf(amounts: Amounts): string {
  return isZero(amounts.net) ? "0" : divideDecimals(multiplyDecimals(taxOf(amounts), "100"), amounts.net, 2);
}

/** An order has one name, company and phone there, beside its two addresses. */
function buyerOf({ customer, billingAddress, shippingAddress }: Order) {
  const billing = billingAddress ?? shippingAddress;
  return { name: customer?.name ?? billing?.name, company: billing?.company, phone: customer?.phone ?? billing?.phone };
}

/** Whether nothing is said of who gets the goods that isn't said of the buyer. */
export function isForBuyer(order: Order): boolean {
  const [buyer, recipient] = [buyerOf(order), order.shippingAddress];
  return (["name", "company", "phone"] as const).every((field) => recipient?.[field] == null || recipient[field] === buyer[field]);
}

/** "Order", of web shops too; others are a booking and a parked receipt. https://developer.sitoo.com/guides/omni-sales */
const orderType = 10;

function createOrder(delivery: Delivery<"order">): Verdict {
  const { document } = delivery;
  const returned = returnedLine(document);
  if (returned) return dead("not-supported", `line ${returned.lineNumber}: Sitoo takes returns as orders that name the order they refund`);
  const rows = rowsOf(amountsOf(document));
  if (!Array.isArray(rows)) return rows;
  const shipping = document.shippingAddress ?? document.billingAddress;
  const buyer = buyerOf(document);
  const name = splitName(buyer.name);
  const body = {
    externalid: document.orderNumber,
    ordertypeid: orderType,
    currencycode: document.currency,
    orderdate: Math.floor(Date.parse(document.orderedAt) / 1000),
    email: document.customer?.email ?? "",
    phone: buyer.phone ?? "",
    namefirst: name.first,
    namelast: name.last,
    company: buyer.company ?? "",
    ...addressFields("invoice", document.billingAddress ?? shipping),
    ...addressFields("delivery", shipping),
    ...(document.note == null ? {} : { comment: document.note }),
    orderitems: rows,
  };
  return next(call(delivery, { method: "POST", path: "orders.json", body }, Id, delivered));
}

function addressFields(kind: "invoice" | "delivery", address: Address | null | undefined): Record<string, string> {
  return {
    [`${kind}_address`]: address?.street?.[0] ?? "",
    [`${kind}_address2`]: address?.street?.slice(1).join(", ") ?? "",
    [`${kind}_zip`]: address?.postalCode ?? "",
    [`${kind}_city`]: address?.city ?? "",
    [`${kind}_state`]: address?.region ?? "",
    [`${kind}_countryid`]: address?.country ?? "",
  };
}
