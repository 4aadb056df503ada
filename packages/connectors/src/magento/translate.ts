import { z } from "zod";
import type { ReceivedDocument } from "../connector.ts";
import { addDecimals, isNegative, isZero, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, joined, listOf, money, utcTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { withRounding } from "../row-sums.ts";
import type { Settings } from "./settings.ts";

/** An object without fields comes as an empty list: PHP writes both alike. */
export function orEmptyList<Schema extends z.ZodType>(schema: Schema) {
  return z
    .union([
      z
        .array(z.never())
        .max(0)
        .transform(() => null),
      schema,
    ])
    .nullish();
}

const Address = z.object({
  firstname: Text,
  lastname: Text,
  company: Text,
  street: listOf(z.string()).nullish(),
  postcode: Text,
  city: Text,
  region: z.unknown().optional(),
  country_id: Text,
  telephone: Text,
});

function addressOf(address: z.output<typeof Address> | null | undefined) {
  if (address == null) return null;
  const lines = (address.street ?? []).filter((line) => line !== "");
  // A text in orders, an object in customers.
  const region = isRecord(address.region) ? address.region["region"] : address.region;
  return {
    name: joined(address.firstname, address.lastname),
    company: address.company,
    // Five lines are the most that an address has; a store may be set up to ask for more.
    street: lines.length > 5 ? [...lines.slice(0, 4), lines.slice(4).join(", ")] : lines,
    postalCode: address.postcode,
    city: address.city,
    region: typeof region === "string" && region !== "" ? region : null,
    country: address.country_id?.toUpperCase() ?? null,
    phone: address.telephone,
  };
}

/** What tells which goods a line stands for. */
export const OrderLine = z.object({
  item_id: Id,
  parent_item_id: z.int().transform(String).nullish(),
  sku: Text,
  product_type: Text,
  qty_ordered: NeededAmount,
  row_total: Amount,
});
type OrderLine = z.output<typeof OrderLine>;

const Line = OrderLine.extend({
  name: Text,
  qty_canceled: Amount,
  qty_refunded: Amount,
  price: NeededAmount,
  discount_amount: Amount,
  discount_tax_compensation_amount: Amount,
  tax_amount: Amount,
  tax_percent: Amount,
  weee_tax_applied_row_amount: Amount,
});
type Line = z.output<typeof Line>;

export const Order = z.object({
  increment_id: Id,
  ext_order_id: Text,
  state: Text,
  status: Text,
  created_at: z.string(),
  updated_at: z.string().nullish(),
  order_currency_code: z.string(),
  customer_email: Text,
  customer_id: Text,
  customer_firstname: Text,
  customer_lastname: Text,
  grand_total: Amount,
  total_paid: Amount,
  total_due: Amount,
  total_refunded: Amount,
  total_canceled: Amount,
  subtotal: Amount,
  tax_amount: Amount,
  discount_amount: Amount,
  shipping_amount: Amount,
  shipping_tax_amount: Amount,
  shipping_discount_amount: Amount,
  shipping_discount_tax_compensation_amount: Amount,
  shipping_description: Text,
  customer_note: Text,
  billing_address: Address.nullish(),
  items: listOf(Line),
  extension_attributes: orEmptyList(
    z.object({
      gw_price: Amount,
      gw_tax_amount: Amount,
      gw_items_price: Amount,
      gw_items_tax_amount: Amount,
      gw_card_price: Amount,
      gw_card_tax_amount: Amount,
      gift_cards_amount: Amount,
      gift_cards_refunded: Amount,
      customer_balance_amount: Amount,
      customer_balance_refunded: Amount,
      reward_currency_amount: Amount,
      shipping_assignments: listOf(z.object({ shipping: orEmptyList(z.object({ address: orEmptyList(Address) })) })).nullish(),
    }),
  ),
});

const orderStates = new Map<string | null, "open" | "completed" | "cancelled">([
  ["complete", "completed"],
  ["closed", "completed"],
  ["canceled", "cancelled"],
]);

/**
 * Put aside by hand, or its payment is looked at: the store itself doesn't ship it. Suspected fraud is a status of the second. Or its buyer is
 * with the payment provider, and may not come back. https://experienceleague.adobe.com/en/docs/commerce-admin/stores-sales/order-management/orders/order-status
 */
const heldStates = new Set<string | null>(["holded", "payment_review", "pending_payment"]);

/** What was only authorised is told apart from what nobody paid by the payment alone, which not every store shows. */
function paymentStatusOf({ state, total_paid: paid, total_due: due, total_refunded: refunded }: z.output<typeof Order>): string | null {
  if (refunded !== null && !isZero(refunded))
    return isNegative(subtractDecimals(refunded, paid ?? "0")) ? "partially-refunded" : "refunded";
  if (due === null) return null;
  if (isZero(due)) return "paid";
  if (paid !== null && !isZero(paid)) return "partially-paid";
  return state === "canceled" ? "voided" : "pending";
}

/**
 * The store's discounts hold the tax that they save where its prices include tax; that part stands beside them, and prices are net always.
 */
function netDiscount(discount: string | null, compensation: string | null, currency: string) {
  if (discount === null) return null;
  const net = subtractDecimals(discount.replace(/^-/, ""), compensation ?? "0");
  return isZero(net) ? null : money(net, currency);
}

/** Lines are as they were ordered; what cancellations and refunds have left of one stands beside it. */
function leftOf({ qty_ordered: ordered, qty_canceled: cancelled, qty_refunded: refunded }: Line): Record<string, string> | undefined {
  const gone = addDecimals(cancelled ?? "0", refunded ?? "0");
  return isZero(gone) ? undefined : { currentQuantity: subtractDecimals(ordered, gone) };
}

/**
 * What is left of the order's sum once something was given back, of its lines or of goodwill, to whatever it was paid by. Cancellations alone
 * are told by their lines.
 */
function leftInAll({ total_refunded, total_canceled, extension_attributes: extension }: z.output<typeof Order>, total: string | null) {
  const refunded = addDecimals(total_refunded ?? "0", extension?.gift_cards_refunded ?? "0", extension?.customer_balance_refunded ?? "0");
  if (total === null || isZero(refunded)) return {};
  return { currentTotal: subtractDecimals(total, addDecimals(refunded, total_canceled ?? "0")) };
}

type Extension = z.output<typeof Order>["extension_attributes"];

/** The order's wrapping, that of its items and a printed card are sums of the order there. */
function wrappingOf(extension: Extension) {
  return [
    { lineNumber: "wrapping", amount: extension?.gw_price, tax: extension?.gw_tax_amount },
    { lineNumber: "item-wrapping", amount: extension?.gw_items_price, tax: extension?.gw_items_tax_amount },
    { lineNumber: "printed-card", amount: extension?.gw_card_price, tax: extension?.gw_card_tax_amount },
  ];
}

/** The store's sum is what was left to pay. What a card, credit or points took over is a payment, and no discount. */
function paidOtherwise(extension: Extension): Record<string, string> {
  const { gift_cards_amount: card, customer_balance_amount: credit, reward_currency_amount: points } = extension ?? {};
  const payments = Object.entries({ paidByGiftCard: card, paidByStoreCredit: credit, paidByPoints: points });
  return Object.fromEntries(payments.flatMap(([name, amount]) => (amount == null || isZero(amount) ? [] : [[name, amount]])));
}

/** Of a bundle priced by its parts, the parts have the discounts and taxes that the parent has none of. */
function ofAll(
  line: Line,
  parts: readonly Line[],
  field: "discount_amount" | "discount_tax_compensation_amount" | "tax_amount" | "weee_tax_applied_row_amount",
): string | null {
  const own = line[field];
  return own !== null && !isZero(own) ? own : addDecimals(own ?? "0", ...parts.map((part) => part[field] ?? "0"));
}

type Row<Line extends OrderLine> = { line: Line; parts: readonly Line[]; kind: "product" | "fee" };

/**
 * A bundle's sku is made of its parts' unless it was given a fixed one: nobody has goods of that name, and its parts are what is sent. Where
 * the bundle has a price of its own they have none, and it is a fee. https://experienceleague.adobe.com/en/docs/commerce-admin/catalog/products/types/product-create-bundle
 */
function rowsOf<Line extends OrderLine>(line: Line, parts: readonly Line[]): Row<Line>[] {
  const isNamedByParts =
    line.product_type === "bundle" && parts.length > 0 && parts.every(({ sku }) => sku !== null && line.sku?.includes(`-${sku}`));
  if (!isNamedByParts) return [{ line, parts, kind: "product" }];
  const goods = parts.map((part): Row<Line> => ({ line: part, parts: [], kind: "product" }));
  const isPricedByParts = parts.some(({ row_total: sum }) => sum !== null && !isZero(sum));
  return isPricedByParts ? goods : [{ line: { ...line, sku: null }, parts: [], kind: "fee" }, ...goods];
}

/** The parts of a bundle or a configurable product follow their parent as lines of their own: counting both would count twice. */
export function linesOf<Line extends OrderLine>(items: readonly Line[]): Row<Line>[] {
  const partsOf = Map.groupBy(items, ({ parent_item_id: parentId }) => parentId);
  return items.filter((line) => line.parent_item_id == null).flatMap((line) => rowsOf(line, partsOf.get(line.item_id) ?? []));
}

/** A store that places orders by a queue shows their numbers before it has made them: without a state, without lines, and under a status of its own. */
function isUnmade({ state, status }: z.output<typeof Order>): boolean {
  return state === null && status === "received";
}

export function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  if (isUnmade(order)) return [];
  const currency = order.order_currency_code;
  const lines = linesOf(order.items);
  const shipping = order.shipping_amount === null || Number(order.shipping_amount) === 0 ? [] : [order.shipping_amount];
  const fees = [
    ...lines.map(({ line, parts }) => ({
      lineNumber: `product-tax-${line.item_id}`,
      amount: ofAll(line, parts, "weee_tax_applied_row_amount"),
      tax: null,
    })),
    ...wrappingOf(order.extension_attributes),
  ];
  const payments = paidOtherwise(order.extension_attributes);
  const total = order.grand_total === null ? null : addDecimals(order.grand_total, ...Object.values(payments));
  const attributes = { ...payments, ...leftInAll(order, total), ...(heldStates.has(order.state) && { onHold: true }) };
  const document = {
    orderNumber: order.increment_id,
    status: orderStates.get(order.state) ?? "open",
    paymentStatus: paymentStatusOf(order),
    orderedAt: utcTime(order.created_at),
    updatedAt: utcTime(order.updated_at),
    currency,
    pricesIncludeTax: false,
    customer: {
      customerNumber: order.customer_id,
      email: order.customer_email,
      name: joined(order.customer_firstname, order.customer_lastname),
    },
    billingAddress: addressOf(order.billing_address),
    shippingAddress: addressOf(order.extension_attributes?.shipping_assignments?.[0]?.shipping?.address),
    lines: [
      ...lines.flatMap(({ line, parts, kind }) =>
        withRounding(
          {
            lineNumber: line.item_id,
            kind,
            sku: line.sku,
            description: line.name,
            quantity: line.qty_ordered,
            unitPrice: money(line.price, currency),
            discount: netDiscount(ofAll(line, parts, "discount_amount"), ofAll(line, parts, "discount_tax_compensation_amount"), currency),
            tax: money(ofAll(line, parts, "tax_amount"), currency),
            taxRatePercent: line.tax_percent,
            total: money(line.row_total, currency),
            attributes: leftOf(line),
          },
          line.row_total,
        ),
      ),
      ...shipping.map((amount) => ({
        lineNumber: "shipping",
        kind: "shipping",
        sku: null,
        description: order.shipping_description,
        quantity: "1",
        unitPrice: money(amount, currency),
        discount: netDiscount(order.shipping_discount_amount, order.shipping_discount_tax_compensation_amount, currency),
        tax: money(order.shipping_tax_amount, currency),
      })),
      ...fees.flatMap(({ lineNumber, amount, tax }) =>
        amount == null || isZero(amount)
          ? []
          : [
              {
                lineNumber,
                kind: "fee",
                sku: null,
                description: null,
                quantity: "1",
                unitPrice: money(amount, currency),
                tax: money(tax ?? null, currency),
              },
            ],
      ),
    ],
    totals: {
      lines: money(order.subtotal, currency),
      // Negative in the store, positive here.
      discount: money(order.discount_amount?.replace(/^-/, "") ?? null, currency),
      shipping: money(order.shipping_amount, currency),
      tax: money(order.tax_amount, currency),
      total: money(total, currency),
    },
    note: order.customer_note,
    attributes: Object.keys(attributes).length === 0 ? undefined : attributes,
  };
  return [{ entityType: "order", document }];
}

export const Product = z.object({
  sku: z.string().min(1),
  name: Text,
  status: z.int().nullish(),
  price: Amount,
  weight: Amount,
  type_id: Text,
  updated_at: z.string().nullish(),
  custom_attributes: listOf(z.object({ attribute_code: z.string(), value: z.unknown().optional() })).nullish(),
});

/** Only what they hold together is sold, which is a product of its own. */
const shells = new Set(["configurable", "grouped"]);

export function itemOf(product: z.output<typeof Product>, settings: Settings): ReceivedDocument[] {
  if (shells.has(product.type_id ?? "")) return [];
  const attribute = (code: string) => {
    const value = product.custom_attributes?.find(({ attribute_code: name }) => name === code)?.value;
    return typeof value === "string" && value !== "" ? value : null;
  };
  const options = settings.options.flatMap((name) => {
    const value = attribute(name);
    return value === null ? [] : [{ name, value }];
  });
  const document = {
    sku: product.sku,
    name: product.name,
    description: attribute("description"),
    descriptionFormat: "html",
    brand: attribute("manufacturer"),
    options: options.length === 0 ? null : options,
    weight: product.weight === null ? null : { value: product.weight, unit: settings.weightUnit },
    isActive: product.status !== 2,
    updatedAt: utcTime(product.updated_at),
  };
  return [{ entityType: "item", document }];
}

export const Customer = z.object({
  id: Id,
  email: Text,
  firstname: Text,
  lastname: Text,
  taxvat: Text,
  updated_at: z.string().nullish(),
  addresses: listOf(Address.extend({ default_shipping: z.boolean().nullish() })).nullish(),
});

export function customerOf(customer: z.output<typeof Customer>): ReceivedDocument[] {
  const document = {
    customerNumber: customer.id,
    email: customer.email,
    firstName: customer.firstname,
    lastName: customer.lastname,
    vatNumber: customer.taxvat,
    addresses: (customer.addresses ?? []).map((address) => ({ ...addressOf(address), isDefault: address.default_shipping ?? null })),
    updatedAt: utcTime(customer.updated_at),
  };
  return [{ entityType: "customer", document }];
}
