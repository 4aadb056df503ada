import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { subtractDecimals, toWholeNumber } from "../decimal.ts";
import { Amount, Text, splitName } from "../foreign.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { amountsOf, perPiece, returnedLine, sumBefore, taxOf, titleOf } from "../order-amounts.ts";
import { type GoodsThere, changeOfGoods, isEmptied, isSamePlace, orderGone, partTakenBack } from "../order-standing.ts";
import { type Delivery, Id, call, partsOfOrder } from "./call.ts";

const KnownAddress = z.object({ street_1: Text, street_2: Text, zip: Text, city: Text, country_iso2: Text });
const Orders = z
  .array(
    z.object({
      id: Id,
      external_order_id: z.string().nullish(),
      total_inc_tax: Amount,
      refunded_amount: Amount,
      billing_address: KnownAddress.nullish().catch(null),
    }),
  )
  .nullish()
  .transform((orders) => orders ?? []);

/** Lists of v2 answer 204 with nothing where nothing is found. */
export function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document } = delivery;
  const number = document.kind === "cancellation" ? document.cancels : document.orderNumber;
  if (number == null) return dead("not-supported", "the cancellation doesn't name its order");
  const path = `v2/orders?${new URLSearchParams({ external_order_id: number, limit: "50" }).toString()}`;
  return call(delivery, { method: "GET", path }, Orders, (orders) => {
    // Compared again: a look-up that is less exact would cancel somebody else's order.
    const found = orders.find((order) => order.external_order_id === number);
    if (!found) {
      if (document.kind === "cancellation") return later("order-unknown", "the store has no order with this number yet");
      if (document.status === "cancelled" || isEmptied(document)) return delivered();
      if (delivery.input.externalId !== null) return orderGone();
      const returned = returnedLine(document);
      if (returned) return dead("not-supported", `line ${returned.lineNumber}: the store takes positive quantities and no negative prices`);
      const broken = amountsOf(document).goods.find(({ line }) => toWholeNumber(line.quantity) === null)?.line;
      if (broken) return dead("fraction", `line ${broken.lineNumber}: the store counts whole pieces; the quantity is ${broken.quantity}`);
      return next(createOrder(delivery));
    }
    const cancel = call(delivery, { method: "PUT", path: `v2/orders/${found.id}`, body: { status_id: 5 } }, Anything, () =>
      delivered(found.id),
    );
    if (document.kind === "cancellation")
      return next(goodsThere(delivery, found.id, (goods) => partTakenBack(document, goods) ?? next(cancel)));
    return next(document.status === "cancelled" ? cancel : change(delivery, found));
  });
}

const ProductLine = z.object({ sku: z.string().nullish(), quantity: Amount, quantity_refunded: Amount });
const Place = KnownAddress.extend({ id: Id });

function goodsThere(delivery: Delivery<"order">, id: string, then: (goods: GoodsThere) => Verdict): OutboundRequest {
  return partsOfOrder(delivery, `v2/orders/${id}/products`, ProductLine, (lines) => then(lines.map(goodOf)));
}

/** Addresses of a known order follow it; its lines and sums stay, so what changed of them is told. */
function change(delivery: Delivery<"order">, found: NonNullable<z.output<typeof Orders>>[number]): OutboundRequest {
  const { document } = delivery;
  const { billingAddress: billing, shippingAddress: shipping } = document;
  const email = document.customer?.email ?? null;
  const path = `v2/orders/${found.id}`;
  const total = found.total_inc_tax === null ? null : subtractDecimals(found.total_inc_tax, found.refunded_amount ?? "0");
  const compare = () => goodsThere(delivery, found.id, (goods) => changeOfGoods(document, { goods, total }) ?? delivered(found.id));
  const ship = () => {
    if (shipping == null) return compare();
    return partsOfOrder(delivery, `${path}/shipping_addresses`, Place, ([there]) => {
      if (there === undefined || isSamePlace(shipping, placeOf(there))) return next(compare());
      const work = { method: "PUT", path: `${path}/shipping_addresses/${there.id}`, body: addressOf(shipping, email) } as const;
      return next(call(delivery, work, Anything, () => next(compare())));
    });
  };
  if (billing == null || found.billing_address == null || isSamePlace(billing, placeOf(found.billing_address))) return ship();
  const body = { billing_address: addressOf(billing, email) };
  return call(delivery, { method: "PUT", path, body }, Anything, () => next(ship()));
}

function placeOf({ street_1, street_2, zip, city, country_iso2 }: z.output<typeof KnownAddress>) {
  return { street: [street_1, street_2].filter((line) => line !== null), postcode: zip, city, country_id: country_iso2 };
}

function goodOf({ sku, quantity, quantity_refunded: refunded }: z.output<typeof ProductLine>): GoodsThere[number] {
  return { sku: sku ?? "", quantity: subtractDecimals(quantity ?? "0", refunded ?? "0") };
}

/** Amounts in both readings: a store that is given one computes the other by its own tax rules, and then other totals. */
function createOrder(delivery: Delivery<"order">): OutboundRequest {
  const { document } = delivery;
  const address = addressOf(document.billingAddress ?? document.shippingAddress, document.customer?.email ?? null);
  const { goods, carriage, discount, total } = amountsOf(document);
  const [subtotal, shipping] = [sumBefore(goods), sumBefore(carriage)];
  const stated = document.totals?.total?.amount ?? total.gross;
  const body = {
    external_order_id: document.orderNumber,
    status_id: 11,
    date_created: new Date(document.orderedAt).toUTCString().replace("GMT", "+0000"),
    default_currency_code: document.currency,
    billing_address: address,
    ...(document.shippingAddress == null
      ? {}
      : { shipping_addresses: [addressOf(document.shippingAddress, document.customer?.email ?? null)] }),
    shipping_cost_ex_tax: Number(shipping.net),
    shipping_cost_inc_tax: Number(shipping.gross),
    discount_amount: Number(document.pricesIncludeTax === true ? discount.gross : discount.net),
    subtotal_ex_tax: Number(subtotal.net),
    subtotal_inc_tax: Number(subtotal.gross),
    total_ex_tax: Number(subtractDecimals(stated, taxOf(total))),
    total_inc_tax: Number(stated),
    products: goods.map(({ line, before }) => ({
      name: titleOf(line),
      sku: line.sku ?? "",
      quantity: Number(line.quantity),
      price_ex_tax: Number(perPiece(before.net, line)),
      price_inc_tax: Number(perPiece(before.gross, line)),
    })),
  };
  return call(delivery, { method: "POST", path: "v2/orders", body }, z.object({ id: Id }), ({ id }) => delivered(id));
}

function addressOf(address: Delivery<"order">["document"]["billingAddress"], email: string | null) {
  const { first, last } = splitName(address?.name);
  return {
    first_name: first,
    last_name: last,
    company: address?.company ?? "",
    street_1: address?.street?.[0] ?? "",
    street_2: address?.street?.slice(1).join(", ") ?? "",
    city: address?.city ?? "",
    state: address?.region ?? "",
    zip: address?.postalCode ?? "",
    // The store knows countries by either.
    ...(address?.country == null && address?.countryName != null
      ? { country: address.countryName }
      : { country_iso2: address?.country ?? "" }),
    phone: address?.phone ?? "",
    email: email ?? "",
  };
}
