import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { addDecimals, negateDecimal, subtractDecimals, toWholeNumber } from "../decimal.ts";
import { Amount, Text, splitName } from "../foreign.ts";
import { delivered, later, next } from "../json-call.ts";
import { foreignCurrency } from "../price-guards.ts";
import { type OrderAmounts, amountsOf, perPiece, returnedLine, sumAfter, sumBefore, taxOf } from "../order-amounts.ts";
import { changeOfGoods, isEmptied, isSamePlace, orderGone } from "../order-standing.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { convertWeight } from "../weights.ts";
import { type Delivery, call, handIn, isComplete, searchCriteria } from "./call.ts";

const Anything = z.unknown();
const WithId = z.object({ id: z.int() });

/** Saving by sku makes or changes. New products need a set of attributes and a price; known ones keep the price they have. */
export function deliverItem(delivery: Delivery<"item">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const path = `V1/products/${encodeURIComponent(document.sku)}`;
  const save = (isNew: boolean): OutboundRequest => {
    const product = {
      sku: document.sku,
      ...(document.name == null && !isNew ? {} : { name: document.name ?? document.sku }),
      status: document.isActive ? 1 : 2,
      ...(document.weight == null ? {} : { weight: convertWeight(document.weight, settings.weightUnit) }),
      ...(isNew ? { attribute_set_id: settings.attributeSetId, type_id: "simple", visibility: 4, price: 0 } : {}),
      ...(document.description == null ? {} : { custom_attributes: [{ attribute_code: "description", value: document.description }] }),
    };
    const work = { method: isNew ? "POST" : "PUT", path: isNew ? "V1/products" : path, body: { product } } as const;
    if (settings.isAsynchronous) return handIn(delivery, work, document.sku);
    return call(delivery, work, Anything, () => delivered(document.sku));
  };
  if (input.externalId !== null) return save(false);
  const Known = z.object({ sku: z.string() });
  return call(
    delivery,
    { method: "GET", path: `${path}?fields=id,sku` },
    Known,
    ({ sku }) =>
      // Skus that differ in letter case only are one product there: the second would be written over the first.
      sku === document.sku ? next(save(false)) : dead("key", "the store has this sku in other letter case, which it takes for the same"),
    { 404: () => next(save(true)) },
  );
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  if (document.priceList !== settings.priceList) return dead("price-list", `the store takes price list ${settings.priceList} only`);
  const [ordinary, reduced] = document.compareAtPrice == null ? [document.price, null] : [document.compareAtPrice, document.price];
  const base = { sku: document.sku, store_id: settings.storeId };
  const special = () => {
    const from = document.validFrom == null ? "2000-01-01 00:00:00" : storeTime(document.validFrom);
    const to = document.validTo == null ? "2100-01-01 00:00:00" : storeTime(document.validTo);
    const prices = [{ ...base, price: Number(reduced?.amount), price_from: from, price_to: to }];
    return call(delivery, { method: "POST", path: "V1/products/special-price", body: { prices } }, Anything, () => delivered());
  };
  const prices = [{ ...base, price: Number(ordinary.amount) }];
  const write = () =>
    call(delivery, { method: "POST", path: "V1/products/base-prices", body: { prices } }, Anything, () =>
      next(reduced === null ? endSpecial(delivery) : special()),
    );
  if (settings.currency !== undefined) return foreignCurrency(document, settings.currency) ?? write();
  return call(delivery, { method: "GET", path: "V1/store/storeConfigs" }, StoreConfigs, (views) => {
    const own = views.find(({ code }) => code === settings.storeCode) ?? views[0];
    if (!own) return dead("configuration", "the store doesn't tell its currency: name it in the settings");
    return foreignCurrency(document, own.base_currency_code) ?? next(write());
  });
}

/** Prices are in the base currency of the store view's website. */
const StoreConfigs = z.array(z.object({ code: z.string().nullish(), base_currency_code: z.string() }));

const SpecialPrices = z.array(z.looseObject({ sku: z.string(), store_id: z.int() }));

/** A price that is not reduced ends the reduction before it, which would last for as long as that one said. */
function endSpecial(delivery: Delivery<"price">): OutboundRequest {
  const { document, settings } = delivery;
  const path = "V1/products/special-price-information";
  return call(delivery, { method: "POST", path, body: { skus: [document.sku] } }, SpecialPrices, (found) => {
    const prices = found.filter(({ sku, store_id: storeId }) => sku === document.sku && storeId === settings.storeId);
    if (prices.length === 0) return delivered();
    return next(
      call(delivery, { method: "POST", path: "V1/products/special-price-delete", body: { prices } }, Anything, () => delivered()),
    );
  });
}

/** Times of the store are UTC without a zone. */
function storeTime(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}

export function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const source = Object.hasOwn(settings.sources, document.warehouse) ? settings.sources[document.warehouse] : undefined;
  if (source === undefined)
    return dead("mapping-missing", `mapping missing: no source for warehouse '${document.warehouse}' in the settings`);
  const quantity = Number(document.quantity);
  const sourceItems = [{ sku: document.sku, source_code: source, quantity, status: quantity > 0 ? 1 : 0 }];
  return call(delivery, { method: "POST", path: "V1/inventory/source-items", body: { sourceItems } }, Anything, () => delivered());
}

const OrderItem = z.object({
  item_id: z.int(),
  sku: z.string().nullish(),
  parent_item_id: z.int().nullish(),
  qty_ordered: Amount,
  qty_canceled: Amount,
  qty_refunded: Amount,
});
const KnownAddress = z
  .object({ entity_id: z.int(), street: z.array(z.string()).nullish(), postcode: Text, city: Text, country_id: Text })
  .nullish()
  .catch(null);
const OrderList = z.object({
  items: z
    .array(
      z.object({
        entity_id: z.int(),
        increment_id: z.string().nullish(),
        ext_order_id: z.string().nullish(),
        state: z.string().nullish(),
        grand_total: Amount,
        total_refunded: Amount,
        billing_address: KnownAddress,
        extension_attributes: z
          .looseObject({ shipping_assignments: z.array(z.object({ shipping: z.object({ address: KnownAddress }).nullish() })).nullish() })
          .nullish()
          .catch(null),
        items: z.array(OrderItem).default([]),
      }),
    )
    .nullable()
    .transform((items) => items ?? []),
});
type FoundOrder = z.output<typeof OrderList>["items"][number];

/** The store's database ignores letter case; the answer is compared exactly. */
function findOrder(
  delivery: Delivery<"order" | "shipment">,
  field: "ext_order_id" | "increment_id",
  value: string,
  then: (order: FoundOrder | null) => Verdict,
): OutboundRequest {
  const path = `V1/orders?${searchCriteria([[field, "eq", value]], 50)}`;
  return call(delivery, { method: "GET", path }, OrderList, ({ items }) => then(items.find((order) => order[field] === value) ?? null));
}

/** Orders from elsewhere carry their number as `ext_order_id`, by which one that arrived before is found again. */
export function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const number = document.kind === "cancellation" ? document.cancels : document.orderNumber;
  if (number == null) return dead("not-supported", "the cancellation doesn't name its order");
  return findOrder(delivery, "ext_order_id", number, (found) => {
    if (document.kind === "cancellation" || document.status === "cancelled") return found ? cancel(delivery, found) : delivered();
    if (found) return change(delivery, found);
    if (delivery.input.externalId !== null) return orderGone();
    if (isEmptied(document)) return delivered();
    const returned = returnedLine(document);
    if (returned) return dead("not-supported", `line ${returned.lineNumber}: the store takes positive quantities and no negative prices`);
    return next(create(delivery));
  });
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
    const goods = found.items
      .filter((line) => line.parent_item_id == null)
      .map(({ sku, qty_ordered: ordered, qty_canceled: cancelled, qty_refunded: refunded }) => ({
        name: sku ?? "",
        quantity: subtractDecimals(ordered ?? "0", addDecimals(cancelled ?? "0", refunded ?? "0")),
      }));
    const total = found.grand_total === null ? null : subtractDecimals(found.grand_total, found.total_refunded ?? "0");
    return changeOfGoods(document, ({ sku, kind }) => sku ?? kind, { goods, total }) ?? delivered(id);
  };
  return save(moved);
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

function create(delivery: Delivery<"order">): OutboundRequest {
  const { document } = delivery;
  const name = splitName(document.customer?.name ?? document.billingAddress?.name);
  const email = document.customer?.email ?? "";
  const { shippingAddress } = document;
  const entity = {
    ext_order_id: document.orderNumber,
    order_currency_code: document.currency,
    base_currency_code: document.currency,
    customer_email: email,
    customer_firstname: name.first,
    customer_lastname: name.last,
    customer_is_guest: 1,
    ...amountsOfEntity(document, amountsOf(document)),
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
function amountsOfEntity(document: Delivery<"order">["document"], { goods, carriage, total, discount }: OrderAmounts) {
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
      sku: line.sku ?? line.kind,
      name: line.description ?? line.sku ?? line.kind,
      qty_ordered: Number(line.quantity),
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

const Track = z.object({ track_number: z.string().nullish() });
const Shipment = z.object({ entity_id: z.int(), order_id: z.union([z.int(), z.string()]), tracks: z.array(Track).nullish() });
const ShipmentList = z.object({
  items: z
    .array(Shipment)
    .nullable()
    .transform((items) => items ?? []),
});

/** A shipment that has been sent before is known by a tracking number, or else by its own number, which goes along as one. */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document, input } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "the store takes no shipment back by this API");
  const tracked = (document.tracking ?? []).map(({ number }) => number);
  if (input.externalId !== null)
    return call(delivery, { method: "GET", path: `V1/shipment/${encodeURIComponent(input.externalId)}` }, Shipment, (known) =>
      track(delivery, known, tracked),
    );
  return findOrder(delivery, "increment_id", document.orderNumber, (order) => {
    if (!order) return later("order-unknown", "the store has no order with this number yet");
    const path = `V1/shipments?${searchCriteria([["order_id", "eq", String(order.entity_id)]], 100)}`;
    return next(
      call(delivery, { method: "GET", path }, ShipmentList, ({ items }) => {
        const numbers = new Set([...tracked, document.shipmentNumber]);
        const known = items.find(({ tracks }) => tracks?.some(({ track_number: number }) => numbers.has(number ?? "")));
        return known ? track(delivery, known, tracked) : ship(delivery, order, tracked.length > 0 ? tracked : [document.shipmentNumber]);
      }),
    );
  });
}

/** Adds the numbers that a known shipment hasn't, one by one: tracking often comes after the parcel has gone. */
function track(delivery: Delivery<"shipment">, known: z.output<typeof Shipment>, numbers: readonly string[]): Verdict {
  const has = new Set((known.tracks ?? []).map(({ track_number: number }) => number));
  const [number] = numbers.filter((each) => !has.has(each));
  if (number === undefined) return delivered(String(known.entity_id));
  const entity = {
    ...trackOf(delivery, number),
    parent_id: known.entity_id,
    order_id: Number(known.order_id),
    weight: 0,
    qty: 1,
    description: "",
  };
  return next(
    call(delivery, { method: "POST", path: "V1/shipment/track", body: { entity } }, Anything, () =>
      track(delivery, { ...known, tracks: [...(known.tracks ?? []), { track_number: number }] }, numbers),
    ),
  );
}

function trackOf({ document }: Delivery<"shipment">, number: string) {
  return { track_number: number, title: document.carrier ?? "Shipment", carrier_code: "custom" };
}

function ship(delivery: Delivery<"shipment">, order: FoundOrder, numbers: string[]): Verdict {
  const { document } = delivery;
  const items: { order_item_id: number; qty: number }[] = [];
  const lines = linesOfOrder(
    document.lines,
    order.items.filter((line) => line.parent_item_id == null),
    (line) => ({ lineNumber: String(line.item_id), sku: line.sku }),
  );
  for (const [index, { sku, quantity }] of document.lines.entries()) {
    const line = lines[index];
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    const qty = toWholeNumber(quantity);
    if (qty === null || qty < 1) return dead("fraction", `whole positive quantities only; sku ${sku ?? ""} has ${quantity}`);
    items.push({ order_item_id: line.item_id, qty });
  }
  const tracks = numbers.map((number) => trackOf(delivery, number));
  // The answer is the shipment's id, bare.
  const Created = z.union([z.int(), z.string()]).transform(String);
  return next(
    call(
      delivery,
      { method: "POST", path: `V1/order/${order.entity_id}/ship`, body: { items, notify: false, tracks } },
      Created,
      delivered,
    ),
  );
}

const Customer = z.object({ id: z.int(), website_id: z.int().nullish() });
const CustomerList = z.object({
  items: z
    .array(Customer)
    .nullable()
    .transform((items) => items ?? []),
});

/** The store knows a customer by the address for mail, and in stores that keep their websites' customers apart by the website too. */
export function deliverCustomer(delivery: Delivery<"customer">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  const email = document.email?.toLowerCase();
  if (email == null) return dead("not-supported", "the store knows customers by their address for mail, and this one has none");
  const customer = {
    email,
    firstname: document.firstName ?? document.company ?? document.customerNumber,
    lastname: document.lastName ?? document.customerNumber,
    ...(document.vatNumber == null ? {} : { taxvat: document.vatNumber }),
    ...(document.acceptsMarketing == null ? {} : { extension_attributes: { is_subscribed: document.acceptsMarketing } }),
  };
  const website = settings.websiteId === undefined ? {} : { website_id: settings.websiteId };
  const create = (): OutboundRequest =>
    call(delivery, { method: "POST", path: "V1/customers", body: { customer: { ...customer, ...website } } }, WithId, (made) =>
      delivered(String(made.id)),
    );
  // Without its website a customer would be moved to that of the store view.
  const update = ({ id, website_id: ownWebsite }: z.output<typeof Customer>): OutboundRequest =>
    call(
      delivery,
      {
        method: "PUT",
        path: `V1/customers/${id}`,
        body: { customer: { ...customer, id, website_id: ownWebsite ?? settings.websiteId ?? 1 } },
      },
      Anything,
      () => delivered(String(id)),
    );
  if (input.externalId !== null && /^\d{1,12}$/.test(input.externalId))
    return call(delivery, { method: "GET", path: `V1/customers/${input.externalId}` }, Customer, (known) => next(update(known)));
  const path = `V1/customers/search?${searchCriteria([["email", "eq", email]], 100)}`;
  return call(delivery, { method: "GET", path }, CustomerList, ({ items }) => {
    const found = items.find(({ website_id: its }) => settings.websiteId === undefined || its == null || its === settings.websiteId);
    return next(found ? update(found) : create());
  });
}
