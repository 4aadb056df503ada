import { z } from "zod";
import type { ReceivedDocument, Whole } from "../connector.ts";
import { addDecimals, isZero, multiplyDecimals, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, joined, listOf, money, namedValues, unixTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { delivered } from "../json-call.ts";
import { nativeConnector, translator } from "../native.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { bigcommerceWebhooks } from "../signatures.ts";
import { type Context, call, manners } from "./call.ts";
import { deliverItem, deliverPrice, deliverStock } from "./deliver-goods.ts";
import { deliverOrder } from "./deliver-orders.ts";
import { deliverShipment } from "./deliver-shipments.ts";
import { list } from "./list.ts";
import { Credentials, Settings } from "./settings.ts";

const Address = z.object({
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

function addressOf(address: z.output<typeof Address> | null | undefined) {
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
const Order = z.object({
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
  discount_amount: Amount,
  coupon_discount: Amount,
  customer_message: Text,
  billing_address: Address.nullish(),
  fees: listOf(z.object({ id: Id, name: Text, cost_inc_tax: Amount, cost_tax: Amount })).nullish(),
  consignments: z
    .union([z.array(z.never()).max(0), Consignments])
    .nullish()
    .transform((consignments) => (Array.isArray(consignments) ? null : consignments)),
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
  ["authorized", "authorized"],
  ["captured", "paid"],
  ["paid", "paid"],
  ["partially refunded", "partially-refunded"],
  ["refunded", "refunded"],
  ["void", "voided"],
]);

/** Somebody reached the page for payment and didn't pay. */
const incomplete = 0;

/** What all discounts took off a line, tax included: the store says what is left, and in older orders only each discount. */
function discountOf(line: z.output<typeof Line>, unitPrice: string): string {
  if (line.discounted_total_inc_tax === null) return addDecimals("0", ...(line.applied_discounts ?? []).map(({ amount }) => amount ?? "0"));
  return subtractDecimals(multiplyDecimals(unitPrice, line.quantity), line.discounted_total_inc_tax);
}

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  if (order.status_id === incomplete) return [];
  // The currency that was paid in; the other one is that in which prices were shown.
  const currency = order.default_currency_code ?? order.currency_code;
  const { shipping, pickups, downloads, email } = order.consignments ?? {};
  const parts = [shipping, pickups, downloads, email?.gift_certificates].flatMap((each) => each ?? []);
  const lines = parts.flatMap(({ line_items: items }) => items ?? []);
  const postage = order.shipping_cost_inc_tax;
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: postage, tax: order.shipping_cost_tax },
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
  const document = {
    orderNumber: order.id,
    status: statuses.get(order.status_id ?? -1) ?? "open",
    paymentStatus: paymentStatuses.get(order.payment_status?.toLowerCase() ?? null) ?? null,
    orderedAt: rfc2822(order.date_created),
    updatedAt: rfc2822(order.date_modified),
    currency,
    pricesIncludeTax: true,
    customer: { customerNumber: order.customer_id === "0" ? null : order.customer_id, email: order.billing_address?.email ?? null },
    billingAddress: addressOf(order.billing_address),
    shippingAddress: addressOf(shipping?.[0]),
    lines: [
      ...lines.map((line) => {
        const price = line.price_inc_tax ?? line.base_price;
        const discount = price === null ? "0" : discountOf(line, price);
        return {
          lineNumber: line.id,
          sku: line.sku,
          description: line.name,
          quantity: line.quantity,
          unitPrice: money(price, currency),
          discount: isZero(discount) ? null : money(discount, currency),
          tax: money(line.total_tax, currency),
          total: money(line.total_inc_tax, currency),
          attributes: namedValues(
            "option",
            (line.product_options ?? []).map(({ display_name: name, display_value: value }) => ({ name: name ?? "", value })),
          ),
        };
      }),
      ...costs.flatMap(({ amount, tax, ...line }) =>
        amount === null || isZero(amount)
          ? []
          : [{ sku: null, description: null, ...line, quantity: "1", unitPrice: money(amount, currency), tax: money(tax, currency) }],
      ),
    ],
    totals: {
      lines: money(order.subtotal_inc_tax, currency),
      discount: money(addDecimals(order.discount_amount ?? "0", order.coupon_discount ?? "0"), currency),
      shipping: money(postage, currency),
      tax: money(order.total_tax, currency),
      total: money(order.total_inc_tax, currency),
    },
    note: order.customer_message,
  };
  return [{ entityType: "order", document }];
}

/** "Tue, 20 Nov 2012 00:00:00 +0000", as v2 writes times. */
function rfc2822(time: string | null): string | null {
  const milliseconds = Date.parse(time ?? "");
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString();
}

const Variant = z.object({
  sku: Text,
  upc: Text,
  weight: Amount,
  purchasing_disabled: z.boolean().nullish(),
  option_values: listOf(z.object({ option_display_name: Text, label: Text })).nullish(),
});
const Product = z.object({
  id: Id,
  sku: Text,
  name: Text,
  description: Text,
  weight: Amount,
  upc: Text,
  is_visible: z.boolean().nullish(),
  date_modified: Text,
  variants: listOf(Variant).nullish(),
});
type Product = z.output<typeof Product>;

/** Each variant is what is sold, and a product without options is its only one. */
function itemsOf(product: Product, settings: Settings): ReceivedDocument[] {
  const { sku, upc: barcode, name } = product;
  const isActive = product.is_visible ?? true;
  const made = (own: object, weight: string | null): ReceivedDocument => {
    const document = {
      name,
      description: product.description,
      descriptionFormat: "html",
      weight: weight === null ? null : { value: weight, unit: settings.weightUnit },
      isActive,
      updatedAt: rfc2822(product.date_modified),
      ...own,
    };
    return { entityType: "item", document, partOf: wholeName(product.id) };
  };
  const variants = variantsOf(product);
  if (variants.length === 0) return [made({ sku, barcode }, product.weight)];
  return variants.map((variant) => {
    const options = (variant.option_values ?? []).map(({ option_display_name: option, label }) => ({ name: option, value: label }));
    const own = {
      sku: variant.sku,
      barcode: variant.upc,
      group: { key: sku ?? product.id, name, isActive },
      options,
      isActive: isActive && variant.purchasing_disabled !== true,
    };
    return made(own, variant.weight ?? product.weight);
  });
}

/** Those that differ by an option: a product without any has one variant behind the scenes, which has its sku. */
function variantsOf({ variants }: Product): z.output<typeof Variant>[] {
  return (variants ?? []).filter(({ option_values: values }) => (values ?? []).length > 0);
}

/** A product with other skus than before has the ones before no more. */
function wholeOf(product: Product): Whole {
  const variants = variantsOf(product);
  const skus = (variants.length === 0 ? [product] : variants).flatMap(({ sku }) => (sku === null ? [] : [sku]));
  return { name: wholeName(product.id), skus, at: rfc2822(product.date_modified) };
}

function wholeName(productId: string): string {
  return `product/${productId}`;
}

const Deletion = z.object({ scope: z.literal("store/product/deleted"), created_at: z.int().nullish(), data: z.object({ id: Id }) });

/** Webhooks name an id and nothing else, which for a deletion is enough. */
function goneIn(payload: unknown): Whole[] | null {
  const deletion = Deletion.safeParse(payload);
  if (!deletion.success) return null;
  const { created_at: at, data } = deletion.data;
  return [{ name: wholeName(data.id), skus: [], at: at == null ? null : unixTime(at) }];
}

const pageSize = 50;

function pullOrders({ cursor, now, ...context }: Context & Pulling) {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) => {
      const query = new URLSearchParams({
        page: String(page),
        limit: String(pageSize),
        sort: "date_modified:asc",
        include: "consignments.line_items,fees",
      });
      if (since !== null) query.set("min_date_modified", since);
      return call(context, { method: "GET", path: `v2/orders?${query.toString()}` }, z.unknown(), () => delivered());
    },
    manners,
    objectsOf: (body) => (Array.isArray(body) ? body : []),
    idOf: (order) => order["id"],
    changedAt: (order) => rfc2822(typeof order["date_modified"] === "string" ? order["date_modified"] : null),
  });
}

function pullItems({ cursor, now, ...context }: Context & Pulling) {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) => {
      const query = new URLSearchParams({
        page: String(page),
        limit: String(pageSize),
        sort: "date_modified",
        direction: "asc",
        include: "variants",
      });
      if (since !== null) query.set("date_modified:min", since);
      return call(context, { method: "GET", path: `v3/catalog/products?${query.toString()}` }, z.unknown(), () => delivered());
    },
    manners,
    objectsOf: (body) => (isRecord(body) && Array.isArray(body["data"]) ? body["data"] : []),
    idOf: (product) => product["id"],
    changedAt: (product) => product["date_modified"],
  });
}

/** BigCommerce: catalogue, prices and stock by v3, orders and shipments by v2 of its REST API. */
export const bigcommerce = nativeConnector({
  code: "bigcommerce",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "orders keep `external_order_id` and are found by it",
    "orders come with their lines and fees by `include=consignments.line_items,fees`",
    "`total_inventory_onhand` of v3/inventory/items is what an absolute adjustment sets",
    "`base_variant_id` names the variant of a product that was just made",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, order: deliverOrder, shipment: deliverShipment },
  leavesOut: {
    item: ["group", "brand", "categories", "tags", "images", "unit", "taxCode", "attributes"],
    price: ({ priceList }, { priceListIds }) => (Object.hasOwn(priceListIds, priceList) ? ["attributes"] : ["tiers", "attributes"]),
    stock: ["unit", "incoming", "attributes"],
    order: ["salesChannel", "note", "tags", "paymentStatus", "fulfilmentStatus", "attributes"],
  },
  receive: {
    item: translator<typeof Product, Settings>(Product, itemsOf, wholeOf),
    order: translator<typeof Order, Settings>(Order, orderOf),
  },
  signature: bigcommerceWebhooks,
  goneIn,
  // Other webhooks carry nothing but an id, too; what changed is pulled.
  topicOf: (_headers, payload) => (isRecord(payload) && typeof payload["scope"] === "string" ? null : "order"),
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["data"]) ? payload["data"] : [payload].flat()),
  probe: (context) => call(context, { method: "GET", path: "v2/store" }, z.unknown(), () => delivered()),
  list,
  pull: { item: pullItems, order: pullOrders },
});
