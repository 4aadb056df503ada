import { reasons } from "@crossdock/contract";
import { z } from "zod";
import { isOneAddress } from "../addresses.ts";
import type { ReceivedDocument } from "../connector.ts";
import { Amount, Id, NeededAmount, Text, joined, listOf, money, utcTime } from "../foreign.ts";
import { isRecord, toDecimal } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { nativeConnector, translator } from "../native.ts";
import { withRounding } from "../row-sums.ts";
import { litiumWebhooks } from "../signatures.ts";
import { call, deliverCustomer, deliverItem, deliverOrder, deliverPrice, deliverShipment, deliverStock } from "./deliver.ts";
import { Credentials, Settings } from "./settings.ts";

const Address = z.object({
  firstName: Text,
  lastName: Text,
  organizationName: Text,
  careOf: Text,
  address1: Text,
  address2: Text,
  houseNumber: Text,
  houseExtension: Text,
  zip: Text,
  city: Text,
  state: Text,
  country: Text,
  mobilePhone: Text,
  phone: Text,
  email: Text,
});

function addressOf(address: z.output<typeof Address> | null | undefined) {
  if (address == null) return null;
  return {
    name: joined(address.firstName, address.lastName),
    company: address.organizationName,
    // In some countries the number of the house stands apart from its street.
    street: [address.careOf, joined(address.address1, address.houseNumber, address.houseExtension), address.address2].filter(
      (line) => line !== null,
    ),
    postalCode: address.zip,
    city: address.city,
    region: address.state,
    country: address.country?.length === 2 ? address.country.toUpperCase() : null,
    phone: address.mobilePhone ?? address.phone,
  };
}

const Row = z.object({
  id: Id,
  type: Text,
  articleNumber: Text,
  descriptions: Text,
  quantity: NeededAmount,
  unitPriceIncludingVat: NeededAmount,
  vatRate: Amount,
  totalIncludingVat: Amount,
  totalVat: Amount,
});

const Order = z.object({
  id: Id,
  currencyCode: z.string(),
  orderCreatedAt: z.string(),
  type: Text,
  originalSalesOrderId: Text,
  grandTotal: Amount,
  totalVat: Amount,
  comments: Text,
  customerInfo: z.object({ customerNumber: Text, firstName: Text, lastName: Text, email: Text, mobile: Text }).nullish(),
  billingAddress: Address.nullish(),
  shippingInfo: listOf(z.object({ address: Address.nullish() }))
    .refine((parcels) => isOneAddress(parcels.map(({ address }) => addressOf(address))), reasons["several-addresses"])
    .nullish(),
  rows: listOf(Row).nullish(),
});

const rowKinds = new Map<string | null, string>([
  ["promotion", "discount"],
  ["shippingCost", "shipping"],
  ["fee", "fee"],
  ["tax", "adjustment"],
  ["roundingOffAdjustment", "adjustment"],
]);

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const currency = order.currencyCode;
  const { customerInfo: customer } = order;
  const document = {
    orderNumber: order.id,
    kind: order.type === "salesReturnOrder" ? "cancellation" : "sale",
    cancels: order.type === "salesReturnOrder" ? order.originalSalesOrderId : null,
    orderedAt: utcTime(order.orderCreatedAt),
    currency,
    pricesIncludeTax: true,
    customer:
      customer == null
        ? null
        : {
            customerNumber: customer.customerNumber,
            email: customer.email,
            phone: customer.mobile,
            name: joined(customer.firstName, customer.lastName),
          },
    billingAddress: addressOf(order.billingAddress),
    shippingAddress: addressOf(order.shippingInfo?.[0]?.address),
    lines: (order.rows ?? []).flatMap((row) =>
      withRounding(
        {
          lineNumber: row.id,
          kind: rowKinds.get(row.type) ?? "product",
          sku: row.articleNumber,
          description: row.descriptions,
          quantity: row.quantity,
          unitPrice: money(row.unitPriceIncludingVat, currency),
          tax: money(row.totalVat, currency),
          // A fraction there: 0.25 is 25 %.
          taxRatePercent: row.vatRate === null ? null : toDecimal(`${row.vatRate}e2`),
          total: money(row.totalIncludingVat, currency),
        },
        row.totalIncludingVat,
      ),
    ),
    totals: { tax: money(order.totalVat, currency), total: money(order.grandTotal, currency) },
    note: order.comments,
  };
  return [{ entityType: "order", document }];
}

/** The order in a notification (`resource.order`, of OrderConfirmed `resource.item`), or as GET orders/{id} gives it. */
function orderIn(payload: unknown): unknown {
  const resource = isRecord(payload) && isRecord(payload["resource"]) ? payload["resource"] : payload;
  return isRecord(resource) ? ([resource["order"], resource["item"]].find(isRecord) ?? resource) : resource;
}

/** Litium's Connect ERP API 2.4. It has no list of orders: they come by its webhooks. */
export const litium = nativeConnector({
  code: "litium",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "`_name`, `_description`, `_email` and their like are the ids of the built-in fields",
    "`id` in POST shipments is kept, so that a shipment is recognised",
    "limits of the rate are not documented; 429 is taken for one",
    "webhooks are signed by `ms-signature`, as a sample of Litium's has it",
  ],
  deliver: {
    item: deliverItem,
    price: deliverPrice,
    stock: deliverStock,
    order: deliverOrder,
    shipment: deliverShipment,
    customer: deliverCustomer,
  },
  leavesOut: {
    item: ["options", "brand", "categories", "tags", "barcode", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["compareAtPrice", "attributes"],
    stock: ["unit", "incoming", "attributes"],
    shipment: besideFirst(["tracking", 1], "shippedAt", "carrier", "shippingAddress", "attributes"),
    customer: ["company", "vatNumber", "acceptsMarketing", "note", "tags", "isActive", "attributes"],
  },
  netPricePlaces: 4,
  signature: litiumWebhooks,
  asksForEcho: true,
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  objectsOf: (payload) => [payload].flat().map(orderIn),
  topicOf: (_headers, payload) => (isRecord(orderIn(payload)) && "rows" in Object(orderIn(payload)) ? "order" : null),
  probe: (context) => call(context, { method: "GET", path: "webhooks/filters" }, Anything, () => delivered()),
});
