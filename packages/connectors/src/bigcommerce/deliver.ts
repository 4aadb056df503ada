import type { OrderLine } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { subtractDecimals, toWholeNumber } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { Amount, Text, splitName } from "../foreign.ts";
import { firstOfOurs } from "../found.ts";
import { type Meanings, delivered, later, next } from "../json-call.ts";
import { foreignCurrency } from "../price-guards.ts";
import { amountsOf, perPiece, returnedLine, sumBefore, taxOf } from "../order-amounts.ts";
import { type GoodsThere, changeOfGoods, isEmptied, isSamePlace, orderGone, partTakenBack } from "../order-standing.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { stated } from "../stated.ts";
import { convertWeight } from "../weights.ts";
import { type Delivery, call, manners } from "./call.ts";
import { isDeleted } from "../unsold-items.ts";

/** As an item's external id: `product/variant`. */
type Ids = { productId: string; variantId: string };

const Anything = z.unknown();
const Id = z.int().transform(String);
const Variants = z.object({ data: z.array(z.object({ id: Id, product_id: Id, sku: z.string().nullish() })) });
const Product = z.object({ data: z.object({ id: Id, base_variant_id: Id.nullish() }) });

function findVariant(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (ids: Ids | null) => Verdict): OutboundRequest {
  const path = `v3/catalog/variants?${new URLSearchParams({ sku }).toString()}`;
  return call(delivery, { method: "GET", path }, Variants, ({ data }) => {
    // The catalogue's look-up is not exact in letter case; ours is.
    const found = data.find((variant) => variant.sku === sku);
    return then(found ? { productId: found.product_id, variantId: found.id } : null);
  });
}

/** Stock and records of price lists are written by sku. One that is refused may be faster than its item. */
function orUnknown(delivery: Delivery<"price" | "stock">): Meanings {
  return { 422: (body) => next(findVariant(delivery, delivery.document.sku, (found) => (found ? refused(body) : itemUnknown()))) };
}

function refused(body: unknown): Verdict {
  return dead("http-422", `HTTP 422: ${manners.errorOf?.(body) ?? "refused"}`);
}

function itemUnknown(): Verdict {
  return later("item-unknown", "the store has no variant with this sku yet");
}

function readIds(externalId: string | null): Ids | null {
  const [, productId, variantId] = /^(\d{1,16})\/(\d{1,16})$/.exec(externalId ?? "") ?? [];
  return productId !== undefined && variantId !== undefined ? { productId, variantId } : null;
}

/** The store takes no name twice, and variants of a group, which are products of their own there, often have one name. */
export function nameOf({ name, group, options }: Delivery<"item">["document"]): string | null {
  if (name == null || group == null) return name;
  const values = (options ?? []).map(({ value }) => value).filter((value) => !inWords(name).includes(inWords(value)));
  return [name, ...values].join(" - ");
}

function inWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}

/** Looked up by sku before it is made: a create whose answer was lost must not be repeated. */
export function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const fields = {
    is_visible: document.isActive,
    ...stated({
      name: nameOf(document),
      description: htmlOf(document),
      weight: document.weight && convertWeight(document.weight, settings.weightUnit),
      upc: document.barcode,
    }),
  };
  const update = ({ productId, variantId }: Ids) =>
    call(delivery, { method: "PUT", path: `v3/catalog/products/${productId}`, body: fields }, Anything, () =>
      delivered(`${productId}/${variantId}`),
    );
  const known = readIds(delivery.input.externalId);
  if (known) return update(known);
  return findVariant(delivery, document.sku, (found) => {
    if (found) return next(update(found));
    if (isDeleted(document)) return delivered();
    // Stock of a product that doesn't count it has no effect: it would sell without end.
    const body = { name: document.sku, weight: 0, ...fields, sku: document.sku, type: "physical", price: 0, inventory_tracking: "product" };
    return next(
      call(delivery, { method: "POST", path: "v3/catalog/products", body }, Product, ({ data }) =>
        data.base_variant_id == null ? delivered() : delivered(`${data.id}/${data.base_variant_id}`),
      ),
    );
  });
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings, input } = delivery;
  const { sku, price, compareAtPrice } = document;
  const amounts = {
    price: Number((compareAtPrice ?? price).amount),
    sale_price: compareAtPrice == null ? null : Number(price.amount),
  };
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId !== undefined) {
    const tiers = document.tiers && bulkPricingOf(document.tiers);
    if (tiers && "kind" in tiers) return tiers;
    const records = [{ sku, currency: price.currency.toLowerCase(), ...amounts, ...stated({ bulk_pricing_tiers: tiers }) }];
    return call(
      delivery,
      { method: "PUT", path: `v3/pricelists/${listId}/records`, body: records },
      Anything,
      () => delivered(),
      orUnknown(delivery),
    );
  }
  if (document.priceList !== settings.priceList) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  const set = ({ productId, variantId }: Ids) =>
    call(
      delivery,
      {
        method: "PUT",
        path: `v3/catalog/products/${productId}/variants/${variantId}`,
        body: { ...amounts, sale_price: amounts.sale_price ?? 0 },
      },
      Anything,
      () => delivered(`${productId}/${variantId}`),
    );
  const known = readIds(input.externalId);
  const write = () => (known ? set(known) : findVariant(delivery, sku, (found) => (found ? next(set(found)) : itemUnknown())));
  if (settings.currency !== undefined) return foreignCurrency(document, settings.currency) ?? write();
  return call(
    delivery,
    { method: "GET", path: "v2/store" },
    z.object({ currency: z.string() }),
    ({ currency }) => foreignCurrency(document, currency) ?? next(write()),
  );
}

/** From a quantity on until the next: the store takes whole pieces, two at least. */
function bulkPricingOf(tiers: NonNullable<Delivery<"price">["document"]["tiers"]>): object[] | Dead {
  const steps = tiers
    .map(({ minimumQuantity, price }) => ({ pieces: toWholeNumber(minimumQuantity), minimumQuantity, amount: Number(price.amount) }))
    .toSorted((one, other) => Number(one.minimumQuantity) - Number(other.minimumQuantity));
  const misfit = steps.find(({ pieces }) => pieces === null || pieces < 2);
  if (misfit) return dead("tiers", `the store takes prices from two whole pieces on; one is from ${misfit.minimumQuantity} on`);
  return steps.map(({ pieces, amount }, index) => {
    const following = steps[index + 1]?.pieces;
    return { quantity_min: pieces, quantity_max: following == null ? null : following - 1, type: "fixed", amount };
  });
}

/** The absolute adjustment, of which a repetition does no harm. */
export function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const locationId = Object.hasOwn(settings.locationIds, document.warehouse) ? settings.locationIds[document.warehouse] : undefined;
  if (locationId === undefined)
    return dead("mapping-missing", `mapping missing: no location for warehouse '${document.warehouse}' in the settings`);
  const pieces = toWholeNumber(document.quantity);
  if (pieces === null) return dead("fraction", `the store counts whole pieces; the quantity is ${document.quantity}`);
  // It has none below zero; refused, an oversold item would go on selling what it had before.
  const quantity = Math.max(pieces, 0);
  const body = { reason: "Crossdock", items: [{ location_id: locationId, sku: document.sku, quantity }] };
  return call(
    delivery,
    { method: "PUT", path: "v3/inventory/adjustments/absolute", body },
    Anything,
    () => delivered(),
    orUnknown(delivery),
  );
}

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
      return next(createOrder(delivery));
    }
    const cancel = call(delivery, { method: "PUT", path: `v2/orders/${found.id}`, body: { status_id: 5 } }, Anything, () =>
      delivered(found.id),
    );
    if (document.kind === "cancellation")
      return next(goodsThere(delivery, found.id, (goods) => partTakenBack(document, nameOfLine, goods) ?? next(cancel)));
    return next(document.status === "cancelled" ? cancel : change(delivery, found));
  });
}

/** Of an order's products in one answer. */
const linesMax = 250;
const ProductLine = z.object({ sku: z.string().nullish(), quantity: Amount, quantity_refunded: Amount });
const ProductLines = z
  .array(ProductLine)
  .nullish()
  .transform((goods) => goods ?? []);
const Places = z
  .array(KnownAddress.extend({ id: Id }))
  .nullish()
  .transform((places) => places ?? []);

function nameOfLine({ sku }: OrderLine): string {
  return sku ?? "";
}

function goodsThere(
  delivery: Delivery<"order">,
  id: string,
  then: (goods: GoodsThere) => Verdict,
  page = 1,
  earlier: GoodsThere = [],
): OutboundRequest {
  return call(delivery, { method: "GET", path: `v2/orders/${id}/products?limit=${linesMax}&page=${page}` }, ProductLines, (lines) => {
    const goods = [...earlier, ...lines.map(goodOf)];
    return lines.length >= linesMax ? next(goodsThere(delivery, id, then, page + 1, goods)) : then(goods);
  });
}

/** Addresses of a known order follow it; its lines and sums stay, so what changed of them is told. */
function change(delivery: Delivery<"order">, found: NonNullable<z.output<typeof Orders>>[number]): OutboundRequest {
  const { document } = delivery;
  const { billingAddress: billing, shippingAddress: shipping } = document;
  const email = document.customer?.email ?? null;
  const path = `v2/orders/${found.id}`;
  const total = found.total_inc_tax === null ? null : subtractDecimals(found.total_inc_tax, found.refunded_amount ?? "0");
  const compare = () =>
    goodsThere(delivery, found.id, (goods) => changeOfGoods(document, nameOfLine, { goods, total }) ?? delivered(found.id));
  const ship = () => {
    if (shipping == null) return compare();
    return call(delivery, { method: "GET", path: `${path}/shipping_addresses` }, Places, ([there]) => {
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
  return { name: sku ?? "", quantity: subtractDecimals(quantity ?? "0", refunded ?? "0") };
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
      name: line.description ?? line.sku ?? line.kind,
      sku: nameOfLine(line),
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
    country_iso2: address?.country ?? "",
    phone: address?.phone ?? "",
    email: email ?? "",
  };
}

const Shipments = z
  .array(z.object({ id: Id, tracking_number: z.string().nullish() }))
  .nullish()
  .transform((shipments) => shipments ?? []);
const Lines = z
  .array(
    z.object({
      id: z.int(),
      sku: z.string().nullish(),
      quantity: z.number(),
      quantity_shipped: z.number().default(0),
      order_address_id: z.int(),
    }),
  )
  .nullish()
  .transform((lines) => lines ?? []);

/**
 * The order's number is the store's id: orders come from there. One shipment of it is known by its id, by its tracking number, unless that is
 * another's in the same parcel, or by its own, which goes along until there is one.
 */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document } = delivery;
  if (!/^\d{1,16}$/.test(document.orderNumber)) return dead("order-unknown", "order numbers of the store are digits only");
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "shipments are not taken back by this connector");
  const tracked = document.tracking?.[0]?.number;
  const number = tracked ?? document.shipmentNumber;
  const orderPath = `v2/orders/${document.orderNumber}`;
  return call(
    delivery,
    { method: "GET", path: `${orderPath}/shipments` },
    Shipments,
    (shipments) => {
      const alike = shipments.filter(
        ({ id, tracking_number: its }) => id === delivery.input.externalId || its === number || its === document.shipmentNumber,
      );
      return firstOfOurs(
        alike.map(({ id }) => id),
        (ours) => {
          const known = alike.find(({ id }) => id === ours);
          if (known)
            return known.tracking_number === number || tracked === undefined ? delivered(known.id) : track(delivery, known.id, number);
          return next(call(delivery, { method: "GET", path: `${orderPath}/products` }, Lines, (lines) => ship(delivery, lines, number)));
        },
      );
    },
    { 404: () => later("order-unknown", "the store has no order with this number") },
  );
}

function track(delivery: Delivery<"shipment">, id: string, number: string): Verdict {
  const { orderNumber } = delivery.document;
  const work = { method: "PUT", path: `v2/orders/${orderNumber}/shipments/${id}`, body: { tracking_number: number } } as const;
  return next(call(delivery, work, Anything, () => delivered(id)));
}

function ship(delivery: Delivery<"shipment">, lines: z.output<typeof Lines>, number: string): Verdict {
  const { document } = delivery;
  const wanted =
    document.lines.length > 0
      ? document.lines
      : lines
          .filter((line) => line.quantity > line.quantity_shipped)
          .map((line) => ({
            lineNumber: String(line.id),
            sku: line.sku ?? null,
            quantity: String(line.quantity - line.quantity_shipped),
          }));
  if (wanted.length === 0) return dead("nothing-to-fulfil", "the order awaits nothing any more");
  const items: { order_product_id: number; quantity: number }[] = [];
  let addressId: number | undefined;
  const found = linesOfOrder(wanted, lines, (line) => ({ lineNumber: String(line.id), sku: line.sku }));
  for (const [index, { sku, quantity }] of wanted.entries()) {
    const line = found[index];
    const pieces = toWholeNumber(quantity);
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    if (pieces === null || pieces < 1) return dead("fraction", `whole positive quantities only; sku ${sku ?? ""} has ${quantity}`);
    addressId ??= line.order_address_id;
    items.push({ order_product_id: line.id, quantity: pieces });
  }
  const body = { order_address_id: addressId, tracking_number: number, shipping_provider: "", comments: document.carrier ?? "", items };
  return next(
    call(delivery, { method: "POST", path: `v2/orders/${document.orderNumber}/shipments`, body }, z.object({ id: Id }), ({ id }) =>
      delivered(id),
    ),
  );
}
