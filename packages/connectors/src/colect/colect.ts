import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import {
  type Dead,
  type OutboundRequest,
  type Page,
  type Pull,
  type ReceivedDocument,
  type Retry,
  type Verdict,
  dead,
  messageHeaders,
} from "../connector.ts";
import { defaultFirst } from "../addresses.ts";
import { plainOf } from "../descriptions.ts";
import { Amount, Id, NeededAmount, Text, asText, country, listOf, money, utcTime } from "../foreign.ts";
import { delivered, later } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { amountsOf, perPiece } from "../order-amounts.ts";
import { withRounding } from "../row-sums.ts";
import { judgeSoap, soapRequest } from "../soap-call.ts";
import { type XmlFields, elements, elementsOf, objectOf } from "../xml.ts";
import { Credentials, Settings } from "./settings.ts";

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

/** The key is the first parameter of every operation; where exchanges are recorded, values of credentials are masked in bodies too. */
function operation(
  { settings, credentials, input }: Context,
  name: string,
  parameters: XmlFields,
  read: () => Verdict = () => delivered(),
): OutboundRequest {
  const inner = elements({ apiKey: credentials.apiKey, ...parameters }, "api:");
  const request = soapRequest(
    {
      url: settings.baseUrl,
      version: "1.1",
      body: `<api:${name} xmlns:api="http://api.cc.salesapp.apptitude.nl/">${inner}</api:${name}>`,
      headers: input ? messageHeaders(input) : {},
    },
    read,
  );
  return { ...request, read: (response) => meaningOf(request.read?.(response) ?? delivered()) };
}

/** Faults have one status and one code: only their texts tell a wrong key, and a price or stock that is faster than its product. */
function meaningOf<Result extends Verdict | Page>(result: Result | Dead): Result | Dead | Retry {
  if (result.kind !== "dead") return result;
  const { message } = result.error;
  if (/invalid api key|api key (is not valid|missing)/i.test(message))
    return { kind: "retry", error: { class: "authorization", message }, isTargetFault: true };
  return /unknown product/i.test(message) ? later("item-unknown", "Colect has no product with this id yet") : result;
}

const imagesMax = 10;

function colorOf({ options }: Delivery<"item">["document"]) {
  return options?.find(({ name }) => /colou?r/i.test(name));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const product = {
    uniqueId: document.sku,
    colorCode: settings.colorCode,
    name: document.name ?? document.sku,
    description: plainOf(document),
    colorDesc: colorOf(document)?.value,
    brandName: document.brand,
    categoryDesc: document.categories?.[0],
    status: document.isActive ? "ACTIVE" : "INACTIVE",
    size: { name: settings.sizeName, sortCode: 1, eanCode: document.barcode },
    medium: (document.images ?? [])
      .slice(0, imagesMax)
      .map(({ url }, index) => ({ type: index === 0 ? "IMAGE_PRIMARY" : "IMAGE_OTHER", url })),
  };
  return operation(delivery, "storeProducts", { product }, () => delivered(document.sku));
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest {
  const { document, settings } = delivery;
  const priceInfoElement = {
    productUniqueId: document.sku,
    productColorCode: settings.colorCode,
    currencyCode: document.price.currency,
    priceType: settings.priceType,
    price: document.price.amount,
  };
  return operation(delivery, "updatePrices", { failOnUnknownProducts: true, priceInfoElement });
}

/** Times are UTC without a zone. */
function utcSeconds(time: string): string {
  return new Date(time).toISOString().slice(0, 19);
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.warehouse !== settings.warehouse) return dead("warehouse", `Colect has one stock, of warehouse ${settings.warehouse}`);
  const incoming =
    document.incoming?.expectedAt == null
      ? []
      : [{ startDate: utcSeconds(document.incoming.expectedAt), quantity: document.incoming.quantity }];
  const stockInfoElement = {
    productUniqueId: document.sku,
    productColorCode: settings.colorCode,
    sizeName: settings.sizeName,
    stockLevel: [{ quantity: document.quantity }, ...incoming],
  };
  return operation(delivery, "updateStock", { failOnUnknownProducts: true, stockInfoElement });
}

/** What became of an order, for those who look into their history. */
function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const customerNo = document.customer?.customerNumber;
  if (customerNo == null) return dead("not-supported", "Colect keeps orders under a customer's number, and this one has none");
  const states = { open: "ORDERED", completed: "DELIVERED", cancelled: "CANCELLED" } as const;
  const historicalOrder = {
    customerNo,
    orderNumber: document.orderNumber,
    erpOrderReference: document.orderNumber,
    timestamp: utcSeconds(document.orderedAt),
    comment: document.note,
    internalOrderType: document.kind === "cancellation" ? "RETURN" : "ORDER",
    orderLine: amountsOf(document)
      .goods.filter(({ line }) => line.kind === "product")
      .map(({ line, after }) => ({
        status: states[document.status],
        productUniqueId: line.sku,
        productColorCode: settings.colorCode,
        productDescription: line.description,
        productSize: settings.sizeName,
        quantity: line.quantity,
        quantityDelivered: document.status === "completed" ? line.quantity : "0",
        currency: line.unitPrice.currency,
        // Wholesale prices are without tax, net ones without the discounts too.
        netWholesalePrice: perPiece(after.net, line),
        netLineAmount: after.net,
      })),
  };
  return operation(delivery, "storeHistoricalOrders", { historicalOrder }, () => delivered(document.orderNumber));
}

function deliverCustomer(delivery: Delivery<"customer">): OutboundRequest {
  const { document } = delivery;
  const [address] = defaultFirst(document.addresses);
  const name =
    document.company ?? ([document.firstName, document.lastName].filter((part) => part != null).join(" ") || document.customerNumber);
  const place = {
    street: address?.street?.join(", "),
    postalCode: address?.postalCode,
    city: address?.city,
    country: address?.country ?? document.country,
  };
  const customer = {
    customerNo: document.customerNumber,
    name,
    email: document.email ?? "",
    ...place,
    phone: document.phone,
    status: document.isActive ? "ACTIVE" : "INACTIVE",
    ...(address === undefined ? {} : { shippingLocation: { code: "MAIN", name, defaultLocation: true, ...place } }),
  };
  return operation(delivery, "storeCustomers", { customer }, () => delivered(document.customerNumber));
}

const Line = z.object({
  productUniqueId: Id,
  productColorCode: Text,
  sizeName: Text,
  eanCode: Text,
  numberOfPieces: NeededAmount,
  wholesalePrice: Amount,
  netWholesalePrice: Amount,
  lineAmount: Amount,
  type: Text,
});
const Order = z.object({
  orderNumber: Id,
  canceledOrderNumber: Text,
  timestamp: z.string(),
  customerNo: Text,
  currency: z.string(),
  comment: Text,
  customerOrderReference: Text,
  totalAmount: Amount,
  shippingLocation: z.object({ name: Text, street: Text, houseNumber: Text, postalCode: Text, city: Text, country: Text }).nullish(),
  orderLine: z.union([listOf(Line), Line.transform((line) => [line])]).default([]),
});

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const { currency, shippingLocation: place } = order;
  const document = {
    orderNumber: order.orderNumber,
    kind: order.canceledOrderNumber === null ? "sale" : "cancellation",
    cancels: order.canceledOrderNumber,
    orderedAt: utcTime(order.timestamp),
    currency,
    pricesIncludeTax: false,
    customer: { customerNumber: order.customerNo },
    shippingAddress:
      place == null
        ? null
        : {
            name: place.name,
            street: [[place.street, place.houseNumber].filter((part) => part !== null).join(" ")],
            postalCode: place.postalCode,
            city: place.city,
            ...country(place.country),
          },
    lines: order.orderLine.flatMap((line, index) =>
      withRounding(
        {
          lineNumber: String(index + 1),
          sku: line.productUniqueId,
          description: [line.productColorCode, line.sizeName].filter((part) => part !== null).join(" / ") || null,
          quantity: line.numberOfPieces,
          unitPrice: money(line.netWholesalePrice ?? line.wholesalePrice, currency),
          total: money(line.lineAmount, currency),
          attributes: line.eanCode === null ? null : { ean: line.eanCode },
        },
        line.lineAmount,
      ),
    ),
    totals: { total: money(order.totalAmount, currency) },
    note: order.comment,
    attributes: order.customerOrderReference === null ? null : { customerOrderReference: order.customerOrderReference },
  };
  return [{ entityType: "order", document }];
}

/** What is not marked as processed comes again: it is marked once it has been taken, and a crash between the two brings it twice. */
function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  return {
    request: operation(context, "getUnprocessedOrders", {}),
    read: (response) =>
      meaningOf(
        judgeSoap(response, (answer): Page => {
          // The confirmation is a printed form of the same order, base64 of a PDF.
          const orders = elementsOf(answer, "return")
            .map(objectOf)
            .map(({ orderConfirmation: _printed, ...order }) => order);
          const numbers = orders.map((order) => asText(order["orderNumber"])).filter((number) => number !== "");
          return {
            kind: "page",
            messages: orders.map((order) => ({ body: JSON.stringify(order), name: asText(order["orderNumber"]) || null })),
            cursor,
            hasMore: false,
            ...(numbers.length === 0 ? {} : { confirm: [operation(context, "markOrdersAsProcessed", { orderNumber: numbers })] }),
          };
        }),
      ),
  };
}

/** Colect's SOAP API 3.0. Operations that replace a whole set (storeFull…, deleteAll…) are never called. */
export const colect = nativeConnector({
  code: "colect",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "faults come with status 500, whatever their reason; their text decides whether another try helps",
    "an order stored again under its number replaces the one before",
    "INACTIVE and CANCELLED are states that Colect knows",
    "times without a zone are UTC",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, order: deliverOrder, customer: deliverCustomer },
  leavesOut: {
    item: (item) => [
      ...besideFirst<typeof item>(
        ["categories", 1],
        ["images", imagesMax],
        "group",
        "tags",
        "weight",
        "unit",
        "taxCode",
        "attributes",
      )(item),
      ...((item.options ?? []).some((option) => option !== colorOf(item)) ? (["options"] as const) : []),
    ],
    price: ["compareAtPrice", "tiers", "attributes"],
    stock: ["unit", "attributes"],
    order: (order) => [
      ...(order.lines.some(({ kind }) => kind === "shipping" || kind === "fee") ? (["lines"] as const) : []),
      ...(["billingAddress", "shippingAddress", "salesChannel", "tags", "paymentStatus", "fulfilmentStatus", "attributes"] as const),
    ],
    customer: besideFirst(["addresses", 1], "vatNumber", "acceptsMarketing", "note", "tags", "attributes"),
  },
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  probe: (context) => operation(context, "getInfo", {}),
  pull: { order: pullOrders },
});
