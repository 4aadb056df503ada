import type { OrderLine } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { addDecimals, negateDecimal, subtractDecimals } from "../decimal.ts";
import { splitName } from "../foreign.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { type OrderAmounts, amountsOf, perPiece, returnedLine, sumAfter, sumBefore, taxOf, titleOf } from "../order-amounts.ts";
import { type GoodsThere, changeOfGoods, isEmptied, isSamePlace, orderGone, partTakenBack } from "../order-standing.ts";
import { type Delivery, call, isComplete, listOf, searchCriteria, storeTime } from "./call.ts";
import { type FoundOrder, findOrder } from "./find-order.ts";

/** Orders from elsewhere carry their number as `ext_order_id`, by which one that arrived before is found again. */
export function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const number = document.kind === "cancellation" ? document.cancels : document.orderNumber;
  if (number == null) return dead("not-supported", "the cancellation doesn't name its order");
  return findOrder(delivery, "ext_order_id", number, (found) => {
    if (document.kind === "cancellation") {
      if (!found) return later("order-unknown", "the store has no order with this number yet");
      return partTakenBack(document, goodsOf(found)) ?? cancel(delivery, found);
    }
    if (document.status === "cancelled") return found ? cancel(delivery, found) : delivered();
    if (found) return change(delivery, found);
    if (delivery.input.externalId !== null) return orderGone();
    if (isEmptied(document)) return delivered();
    const returned = returnedLine(document);
    if (returned) return dead("not-supported", `line ${returned.lineNumber}: the store takes positive quantities and no negative prices`);
    const skus = new Set(document.lines.flatMap(({ kind, sku }) => (kind === "product" && sku !== null && canBeAsked(sku) ? [sku] : [])));
    return findProducts(delivery, [...skus], (ids) => next(create(delivery, ids)));
  });
}

const Products = listOf(z.object({ id: z.int(), sku: z.string() }));
type Ids = ReadonlyMap<string, number>;

/** A comma would part it in two; a longer one is in no store, and many of them make an address that servers refuse. */
function canBeAsked(sku: string): boolean {
  return sku.length <= 64 && !sku.includes(",");
}

/**
 * The store saves lines without their products, and doesn't cancel them then ("We can't rebuild the index for an undefined product"): its
 * CancelOrderItemObserver looks after the prices of each line's product_id. No more are asked for than a delivery has requests. Who may not read
 * products makes orders as well.
 */
function findProducts(delivery: Delivery<"order">, skus: readonly string[], then: (ids: Ids) => Verdict, found: Ids = new Map()): Verdict {
  const [asked, rest] = [skus.slice(0, 50), skus.slice(50, 500)];
  if (asked.length === 0) return then(found);
  const criteria = searchCriteria([["sku", "in", asked.join(",")]], asked.length);
  const work = { method: "GET", path: `V1/products?${criteria}&fields=items[id,sku]` } as const;
  const read = ({ items }: z.output<typeof Products>) =>
    findProducts(delivery, rest, then, new Map([...found, ...items.map(({ id, sku }) => [sku, id] as const)]));
  return next(call(delivery, work, Products, read, { 401: () => then(found), 414: () => then(found) }));
}

/** Addresses of a known order follow it; its lines and sums stay, so what changed of them is told. */
function change(delivery: Delivery<"order">, found: FoundOrder): Verdict {
  const { document } = delivery;
  const id = String(found.entity_id);
  const shipping = found.extension_attributes?.shipping_assignments?.[0]?.shipping?.address;
  const moved = [
    { wanted: document.billingAddress, there: found.billing_address, address_type: "billing" },
    { wanted: document.shippingAddress, there: shipping, address_type: "shipping" },
  ].flatMap(({ wanted, there, address_type }) => {
    if (wanted == null || there == null || isSamePlace(wanted, there)) return [];
    const own = addressOf(wanted, document.customer?.email ?? "");
    return [{ ...own, entity_id: there.entity_id, parent_id: found.entity_id, address_type }];
  });
  const save = ([entity, ...rest]: typeof moved): Verdict => {
    if (entity !== undefined)
      return next(call(delivery, { method: "PUT", path: `V1/orders/${id}`, body: { entity } }, Anything, () => save(rest)));
    const total = found.grand_total === null ? null : subtractDecimals(found.grand_total, found.total_refunded ?? "0");
    return changeOfGoods(document, { goods: goodsOf(found), total }) ?? delivered(id);
  };
  return save(moved);
}

/** Each item has a sku there, also one that is nothing to send. */
function skuOf({ sku, kind }: OrderLine): string {
  return sku ?? kind;
}

const skusOfKinds = new Set<string | null | undefined>(["fee", "adjustment"]);

function goodsOf({ items }: FoundOrder): GoodsThere {
  return items
    .filter((line) => line.parent_item_id == null)
    .map(({ sku, qty_ordered: ordered, qty_canceled: cancelled, qty_refunded: refunded }) => ({
      sku: skusOfKinds.has(sku) ? "" : (sku ?? ""),
      quantity: subtractDecimals(ordered ?? "0", addDecimals(cancelled ?? "0", refunded ?? "0")),
    }));
}

/** The store answers false, with a good status, for an order that it doesn't cancel any more. */
function cancel(delivery: Delivery<"order">, { entity_id: id, state }: FoundOrder): Verdict {
  if (state === "canceled") return delivered(String(id));
  return next(
    call(delivery, { method: "POST", path: `V1/orders/${id}/cancel` }, z.unknown(), (isCancelled) =>
      isCancelled === false ? dead("not-cancelled", "the store doesn't cancel this order any more") : delivered(String(id)),
    ),
  );
}

function create(delivery: Delivery<"order">, ids: Ids): OutboundRequest {
  const { document } = delivery;
  const name = splitName(document.customer?.name ?? document.billingAddress?.name);
  const email = document.customer?.email ?? "";
  const { shippingAddress } = document;
  const entity = {
    ext_order_id: document.orderNumber,
    // Saved without them the order has none, and one without a status is in none of the store's lists of orders.
    state: "new",
    status: "pending",
    order_currency_code: document.currency,
    base_currency_code: document.currency,
    customer_email: email,
    customer_firstname: name.first,
    customer_lastname: name.last,
    customer_is_guest: 1,
    ...amountsOfEntity(document, amountsOf(document), ids),
    created_at: storeTime(document.orderedAt),
    billing_address: { ...addressOf(document.billingAddress ?? shippingAddress, email), address_type: "billing" },
    ...(shippingAddress == null
      ? {}
      : {
          extension_attributes: {
            shipping_assignments: [{ shipping: { address: { ...addressOf(shippingAddress, email), address_type: "shipping" } } }],
          },
        }),
    payment: { method: "checkmo" },
  };
  const Created = z.object({ entity_id: z.int() });
  return call(delivery, { method: "POST", path: "V1/orders", body: { entity } }, Created, ({ entity_id: id }) => delivered(String(id)));
}

/**
 * The store saves an order as it is told and computes nothing: net amounts, what they are with tax beside them, and the tax after
 * discounts, which are negative. Amounts in the base currency are the same, as the order's currency is given as the base.
 */
function amountsOfEntity(document: Delivery<"order">["document"], { goods, carriage, total, discount }: OrderAmounts, ids: Ids) {
  const [subtotal, shipping, shipped] = [sumBefore(goods), sumBefore(carriage), sumAfter(carriage)];
  return {
    ...inBaseToo({
      grand_total: document.totals?.total?.amount ?? total.gross,
      subtotal: subtotal.net,
      subtotal_incl_tax: subtotal.gross,
      shipping_amount: shipping.net,
      shipping_incl_tax: shipping.gross,
      shipping_tax_amount: taxOf(shipped),
      shipping_discount_amount: subtractDecimals(shipping.net, shipped.net),
      discount_amount: negateDecimal(discount.net),
      tax_amount: taxOf(total),
    }),
    ...(carriage[0]?.line.description == null ? {} : { shipping_description: carriage[0].line.description }),
    items: goods.map(({ line, before, after }) => ({
      sku: skuOf(line),
      product_id: ids.get(line.sku ?? ""),
      name: titleOf(line),
      qty_ordered: Number(line.quantity),
      // Of weighed goods the store takes whole pieces only out of its stock where the line doesn't say so.
      ...(Number.isInteger(Number(line.quantity)) ? {} : { is_qty_decimal: 1 }),
      ...(line.taxRatePercent == null ? {} : { tax_percent: Number(line.taxRatePercent) }),
      ...inBaseToo({
        price: perPiece(before.net, line),
        price_incl_tax: perPiece(before.gross, line),
        discount_amount: subtractDecimals(before.net, after.net),
        tax_amount: taxOf(after),
        row_total: before.net,
        row_total_incl_tax: before.gross,
      }),
      // A fee is nothing to send.
      product_type: line.kind === "product" ? "simple" : "virtual",
      is_virtual: line.kind === "product" ? 0 : 1,
    })),
  };
}

function inBaseToo(amounts: Record<string, string>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, amount]) => [
      [name, Number(amount)],
      [`base_${name}`, Number(amount)],
    ]),
  );
}

function addressOf(address: Delivery<"order">["document"]["billingAddress"], email: string) {
  const { first, last } = splitName(address?.name);
  return {
    firstname: first,
    lastname: last,
    company: address?.company ?? null,
    street: address?.street ?? [],
    postcode: address?.postalCode ?? "",
    city: address?.city ?? "",
    region: address?.region ?? null,
    country_id: address?.country ?? "",
    telephone: address?.phone ?? "",
    email,
  };
}
