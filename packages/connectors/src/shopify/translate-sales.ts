import { reasons } from "@crossdock/contract";
import { addDecimals, isZero, subtractDecimals } from "../decimal.ts";
import { joinedAttributes, namedValues } from "../foreign.ts";
import { toDecimal } from "../json.ts";
import type { Customer, Fulfillment, LineItem, Order, ShippingLine } from "./payloads.ts";
import type { Settings } from "./settings.ts";
import { addressOf, nameOf, tagsOf, textOrNull, withoutNumberSign } from "./texts.ts";
import { type Translated, warehouseOf } from "./translate-goods.ts";

const paymentStatuses = new Map(
  Object.entries({
    pending: "pending",
    authorized: "authorized",
    partially_paid: "partially-paid",
    paid: "paid",
    partially_refunded: "partially-refunded",
    refunded: "refunded",
    voided: "voided",
  }),
);

const fulfilmentStatuses = new Set(["fulfilled", "partial", "unfulfilled"]);

export function translateOrder(order: Order): Translated {
  const orderNumber = orderNumberOf(order);
  if (orderNumber === null) return refuse("name", reasons["order-without-name"]);
  const money = (amount: string) => ({ amount, currency: order.currency });
  const moneyOrNull = (amount: string | null | undefined) => (amount == null ? null : money(amount));
  const { customer } = order;
  const fulfilment = order.fulfillment_status ?? "unfulfilled";
  const document = {
    orderNumber,
    kind: "sale",
    status: order.cancelled_at ? "cancelled" : order.closed_at ? "completed" : "open",
    paymentStatus: paymentStatuses.get(order.financial_status ?? "") ?? null,
    fulfilmentStatus: fulfilmentStatuses.has(fulfilment) ? fulfilment : null,
    orderedAt: order.processed_at ?? order.created_at,
    cancelledAt: order.cancelled_at ?? null,
    updatedAt: order.updated_at ?? null,
    currency: order.currency,
    pricesIncludeTax: order.taxes_included ?? null,
    customer:
      customer == null && textOrNull(order.email) === null && textOrNull(order.phone) === null
        ? null
        : {
            customerNumber: customer?.id ?? null,
            email: textOrNull(order.email) ?? textOrNull(customer?.email),
            phone: textOrNull(order.phone) ?? textOrNull(customer?.phone),
            name: nameOf(customer?.first_name, customer?.last_name),
          },
    billingAddress: addressOf(order.billing_address),
    shippingAddress: addressOf(order.shipping_address),
    lines: [
      ...order.line_items.map((line, index) => productLine(line, index, money)),
      ...(order.shipping_lines ?? []).filter((line) => line.is_removed !== true).map((line, index) => shippingLine(line, index, money)),
      ...feesOf(order, money),
    ],
    totals: {
      lines: moneyOrNull(order.total_line_items_price),
      discount: moneyOrNull(order.total_discounts),
      shipping: moneyOrNull(order.total_shipping_price_set?.shop_money.amount),
      tax: moneyOrNull(order.total_tax),
      total: moneyOrNull(order.total_price),
    },
    salesChannel: textOrNull(order.source_name),
    note: textOrNull(order.note),
    tags: tagsOf(order.tags),
    attributes: {
      shopifyOrderId: order.id,
      ...namedValues("note", order.note_attributes),
      ...leftOf("currentTotal", order.total_price, order.current_total_price),
      ...(textOrNull(order.po_number) === null ? {} : { purchaseOrderNumber: order.po_number }),
    },
  };
  return { documents: [{ entityType: "order", document }], reasons: [] };
}

/** What was sent of an order that holds its fulfilments. */
export function translateFulfillmentsOf(order: Order, settings: Settings): Translated {
  const orderNumber = orderNumberOf(order);
  const parts = (order.fulfillments ?? []).map((fulfillment) => translateFulfillment(fulfillment, settings, orderNumber));
  return { documents: parts.flatMap((part) => part.documents), reasons: parts.flatMap((part) => part.reasons) };
}

/** A fulfilment's name is its order's and a count: "#1001.1" in Shopify's reference, "#1001-F1" in shops of today. */
export function translateFulfillment(fulfillment: Fulfillment, settings: Settings, orderNumber: string | null = null): Translated {
  const name = textOrNull(fulfillment.name);
  const fromName = name === null ? null : (/^(.+)(?:\.|-F)\d+$/.exec(name)?.[1] ?? null);
  const number = orderNumber ?? (fromName === null ? null : withoutNumberSign(fromName));
  if (number === null) return refuse("name", reasons["fulfilment-without-name"]);
  const numbers = fulfillment.tracking_numbers ?? (fulfillment.tracking_number ? [fulfillment.tracking_number] : []);
  const urls = fulfillment.tracking_urls ?? (fulfillment.tracking_url ? [fulfillment.tracking_url] : []);
  const document = {
    shipmentNumber: name === null ? `${number}.${fulfillment.id}` : withoutNumberSign(name),
    orderNumber: number,
    status: shipmentStatusOf(fulfillment),
    shippedAt: fulfillment.created_at ?? null,
    warehouse: fulfillment.location_id == null ? null : warehouseOf(fulfillment.location_id, settings),
    carrier: textOrNull(fulfillment.tracking_company),
    service: textOrNull(fulfillment.service),
    tracking: numbers.filter((each) => textOrNull(each) !== null).map((each, index) => ({ number: each, url: textOrNull(urls[index]) })),
    lines: (fulfillment.line_items ?? []).map((line) => ({
      lineNumber: line.id ?? null,
      sku: line.sku,
      quantity: line.quantity,
    })),
    attributes: { shopifyFulfillmentId: fulfillment.id, ...(fulfillment.order_id == null ? {} : { shopifyOrderId: fulfillment.order_id }) },
    updatedAt: fulfillment.updated_at ?? null,
  };
  return { documents: [{ entityType: "shipment", document }], reasons: [] };
}

/** Who was never asked, or has not confirmed yet, has neither agreed nor refused. */
const consents = new Map([
  ["subscribed", true],
  ["unsubscribed", false],
]);

export function translateCustomer(customer: Customer): Translated {
  const addresses = customer.addresses ?? (customer.default_address ? [customer.default_address] : []);
  const home = addressOf(customer.default_address ?? addresses[0]);
  const consent = customer.email_marketing_consent?.state;
  const document = {
    customerNumber: customer.id,
    email: textOrNull(customer.email),
    phone: textOrNull(customer.phone),
    firstName: textOrNull(customer.first_name),
    lastName: textOrNull(customer.last_name),
    company: home?.company ?? null,
    country: home?.country ?? null,
    countryName: home?.countryName ?? null,
    acceptsMarketing: consent == null ? (customer.accepts_marketing ?? null) : (consents.get(consent) ?? null),
    isActive: customer.state !== "declined",
    addresses: addresses.map((address) => ({ ...addressOf(address), isDefault: address.default ?? null })),
    note: textOrNull(customer.note),
    tags: tagsOf(customer.tags),
    updatedAt: customer.updated_at ?? null,
  };
  return { documents: [{ entityType: "customer", document }], reasons: [] };
}

function orderNumberOf(order: Order): string | null {
  const name = textOrNull(order.name);
  return name === null ? (order.order_number ?? null) : withoutNumberSign(name);
}

function productLine(line: LineItem, index: number, money: (amount: string) => object) {
  return {
    lineNumber: line.id ?? `line-${index + 1}`,
    kind: line.tip == null ? "product" : "fee",
    sku: line.sku,
    description: textOrNull(line.name) ?? textOrNull(line.title),
    quantity: line.quantity,
    unitPrice: money(line.price),
    ...lineAmounts(line, money),
    attributes: joinedAttributes(namedValues("property", line.properties), leftOf("currentQuantity", line.quantity, line.current_quantity)),
  };
}

/** Lines and sums are as they were ordered; what edits, cancellations and returns have left of them stands beside them. */
function leftOf(name: string, ordered: string | null | undefined, current: string | null | undefined): Record<string, string> | undefined {
  return current == null || ordered == null || isZero(subtractDecimals(ordered, current)) ? undefined : { [name]: current };
}

function shippingLine(line: ShippingLine, index: number, money: (amount: string) => object) {
  return {
    lineNumber: line.id == null ? `shipping-${index + 1}` : `shipping-${line.id}`,
    kind: "shipping",
    sku: null,
    description: textOrNull(line.title) ?? textOrNull(line.code),
    quantity: "1",
    unitPrice: money(line.price),
    ...lineAmounts({ total_discount: null, ...line }, money),
  };
}

/** What the order's sum holds beside its lines: duties, unless the prices hold them already, and fees of the checkout. */
function feesOf(order: Order, money: (amount: string) => object): object[] {
  const duties = order.duties_included === true ? null : order.original_total_duties_set;
  const fees = [
    { lineNumber: "duties", description: "Duties", ordered: duties, current: order.current_total_duties_set },
    {
      lineNumber: "additional-fees",
      description: "Additional fees",
      ordered: order.original_total_additional_fees_set,
      current: order.current_total_additional_fees_set,
    },
  ];
  return fees.flatMap(({ ordered, current, ...line }) => {
    const amount = ordered?.shop_money.amount;
    if (amount === undefined || isZero(amount)) return [];
    const isGivenBack = current != null && isZero(current.shop_money.amount);
    const attributes = isGivenBack ? { currentQuantity: "0" } : undefined;
    return [{ ...line, kind: "fee", sku: null, quantity: "1", unitPrice: money(amount), attributes }];
  });
}

/**
 * Discounts are allocations of the order's discounts to this line; where there are none, as in orders of old, the line's own says what was
 * taken off. Taxes are several where authorities are.
 */
function lineAmounts(line: Pick<LineItem, "discount_allocations" | "tax_lines" | "total_discount">, money: (amount: string) => object) {
  const allocations = (line.discount_allocations ?? []).map((allocation) => allocation.amount);
  const discount = allocations.length > 0 ? addDecimals(...allocations) : (line.total_discount ?? "0");
  const taxes = line.tax_lines ?? [];
  const rate = taxes.length === 1 ? taxes[0]?.rate : null;
  return {
    discount: isZero(discount) ? null : money(discount),
    tax: taxes.length === 0 ? null : money(addDecimals(...taxes.map((tax) => tax.price ?? "0"))),
    // 0.06 is 6 per cent: the point moves, nothing is computed.
    taxRatePercent: rate == null ? null : toDecimal(`${rate}e2`),
  };
}

function shipmentStatusOf({ status, shipment_status: progress }: Fulfillment): string {
  if (status === "cancelled") return "cancelled";
  if (status === "error" || status === "failure") return "failed";
  if (progress === "delivered") return "delivered";
  return status === "success" ? "shipped" : "pending";
}

function refuse(path: string, message: string): Translated {
  return { documents: [], reasons: [{ path, message }] };
}
