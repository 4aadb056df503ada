import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import {
  type Dead,
  type OutboundRequest,
  type Pull,
  type ReceivedDocument,
  type RequestInput,
  type Retry,
  type Verdict,
  dead,
  messageHeaders,
} from "../connector.ts";
import { isZero } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, asText, joined, listOf, money, utcTime } from "../foreign.ts";
import { BaseUrl, PriceReading, Secret } from "../forms.ts";
import { firstOfOurs } from "../found.ts";
import { isRecord } from "../json.ts";
import { type Manners, delivered, jsonRequest, judge, later, next } from "../json-call.ts";
import { type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { lookedAtAgain } from "../paging.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { centraWebhooks } from "../signatures.ts";
import { isDeleted } from "../unsold-items.ts";

const CentraId = z.int().min(1);

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address of the Integration API", description: "https://{shop}.centra.com/graphql/integration" }),
  sizeChartId: CentraId.optional().meta({ title: "Size chart of new variants" }),
  priceListIds: z.record(PlaceCode, CentraId).default({}).meta({ title: "Price lists", description: "Price list → id in Centra" }),
  priceReading: PriceReading,
  warehouseIds: z.record(PlaceCode, CentraId).default({}).meta({ title: "Warehouses", description: "Warehouse → id in Centra" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({
  token: Secret.meta({
    title: "Token",
    description: "Of the Integration API, with permissions for each kind of object. It expires: 30 days unless set",
  }),
});
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = { settings: Settings; credentials: Credentials; input?: RequestInput };

function textsOf(errors: unknown): string | null {
  if (!Array.isArray(errors) || errors.length === 0) return null;
  return errors
    .map((error) => (isRecord(error) ? asText(error["message"]) : asText(error)))
    .join("; ")
    .slice(0, 500);
}

/** Two kinds of errors in an answer 200: of the query as a whole, and of what it was to do (`userErrors`). */
const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? textsOf(body["errors"]) : null),
  failureOf(body) {
    if (!isRecord(body)) return null;
    const ofQuery = textsOf(body["errors"]);
    if (ofQuery !== null) return /rate limit|too many|throttl/i.test(ofQuery) ? throttled(ofQuery) : dead("graphql", ofQuery);
    const results = isRecord(body["data"]) ? Object.values(body["data"]).filter(isRecord) : [];
    const refused = results.map((result) => textsOf(result["userErrors"])).find((text) => text !== null);
    return refused === undefined ? null : dead("refused", refused);
  },
};

function throttled(message: string): Retry {
  return { kind: "retry", error: { class: "throttled", message }, isTargetFault: true };
}

function ask<Data extends z.ZodType>(
  { settings, credentials, input }: Context,
  query: string,
  variables: object,
  data: Data,
  read: (data: z.output<Data>) => Verdict,
): OutboundRequest {
  return jsonRequest(
    {
      method: "POST",
      url: settings.baseUrl,
      headers: { authorization: `Bearer ${credentials.token}`, ...(input && messageHeaders(input)) },
      secretHeaders: ["authorization"],
      body: { query, variables },
    },
    z.object({ data }),
    (answer: { data?: unknown }) => read(data.parse(answer.data)),
    manners,
  );
}

const Anything = z.unknown();
const Errors = "userErrors { message path }";
const Found = z.object({ products: z.array(z.object({ id: z.int() })) });

/** A create that is sent twice makes two products and moves the external id to the second, so each is looked up first. */
function findProduct(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (id: number | null) => Verdict): OutboundRequest {
  const query = "query ($externalId: String!) { products(where: { externalId: { equals: $externalId } }, limit: 1) { id } }";
  return ask(delivery, query, { externalId: sku }, Found, ({ products: [product] }) => then(product?.id ?? null));
}

function fieldsOf({ document }: Delivery<"item">) {
  return { name: document.name ?? document.sku, status: document.isActive ? "ACTIVE" : "INACTIVE" };
}

function updateProduct(delivery: Delivery<"item">, id: number): OutboundRequest {
  const query = `mutation ($id: Int!, $input: ProductUpdateInput!) { updateProduct(id: $id, input: $input) { product { id } ${Errors} } }`;
  return ask(delivery, query, { id, input: fieldsOf(delivery) }, Anything, () => delivered(String(id)));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings, input } = delivery;
  if (input.externalId !== null && /^\d{1,12}$/.test(input.externalId)) return updateProduct(delivery, Number(input.externalId));
  return findProduct(delivery, document.sku, (id) => {
    if (id !== null) return next(isDeleted(document) ? updateProduct(delivery, id) : findVariant(delivery, id));
    if (isDeleted(document)) return delivered();
    const query = `mutation ($input: ProductCreateInput!) { createProduct(input: $input) { product { id } ${Errors} } }`;
    const values = { ...fieldsOf(delivery), productNumber: document.sku, externalId: document.sku };
    const Made = z.object({ createProduct: z.object({ product: z.object({ id: z.int() }) }) });
    return next(
      ask(delivery, query, { input: values }, Made, ({ createProduct: { product } }) =>
        next(createVariant(delivery, product.id, settings.sizeChartId)),
      ),
    );
  });
}

const Variants = z.object({ productVariants: z.array(z.object({ id: z.int() })) });

/** A product that is there may have lost the answer before its variant was made. */
function findVariant(delivery: Delivery<"item">, productId: number): OutboundRequest {
  const query = "query ($externalId: String!) { productVariants(where: { externalId: { equals: $externalId } }, limit: 1) { id } }";
  return ask(delivery, query, { externalId: variantId(delivery.document.sku) }, Variants, ({ productVariants: [variant] }) =>
    next(variant === undefined ? createVariant(delivery, productId, delivery.settings.sizeChartId) : updateProduct(delivery, productId)),
  );
}

function variantId(sku: string): string {
  return `${sku}-variant`;
}

function createVariant(delivery: Delivery<"item">, productId: number, sizeChartId: number | undefined): OutboundRequest {
  const { document } = delivery;
  const query = `mutation ($input: ProductVariantCreateInput!) { createProductVariant(input: $input) { productVariant { id } ${Errors} } }`;
  const input = {
    product: { id: productId },
    name: document.options?.map(({ value }) => value).join(" ") || document.sku,
    variantNumber: document.sku,
    externalId: variantId(document.sku),
    status: "ACTIVE",
    ...(sizeChartId === undefined ? {} : { sizeChart: { id: sizeChartId } }),
  };
  return ask(delivery, query, { input }, Anything, () => delivered(String(productId)));
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId === undefined) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  return findProduct(delivery, document.sku, (id) => {
    if (id === null) return later("item-unknown", "Centra has no product with this external id yet");
    const query = `mutation ($input: PricesSetInput!) { setPrices(input: $input) { ${Errors} } }`;
    const price = { value: Number(document.price.amount), currencyIsoCode: document.price.currency };
    return next(
      ask(delivery, query, { input: { pricelist: { id: listId }, productPrices: [{ product: { id }, price }] } }, Anything, () =>
        delivered(),
      ),
    );
  });
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const warehouseId = Object.hasOwn(settings.warehouseIds, document.warehouse) ? settings.warehouseIds[document.warehouse] : undefined;
  if (warehouseId === undefined) return dead("mapping-missing", `mapping missing: no warehouse '${document.warehouse}' in the settings`);
  const query = `mutation ($intents: [StockSetIntent!]!) { setStock(intents: $intents) { ${Errors} } }`;
  const intents = [{ productSize: { SKU: document.sku }, warehouse: { id: warehouseId }, physicalQuantity: Number(document.quantity) }];
  return findProduct(delivery, document.sku, (id) =>
    id === null
      ? later("item-unknown", "Centra has no product with this external id yet")
      : next(ask(delivery, query, { intents }, Anything, () => delivered())),
  );
}

const Shipments = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      lines: z.array(z.object({ id: z.int(), productSize: z.object({ SKU: z.string().nullish() }).nullish(), quantity: z.number() })),
      shipments: z.array(z.object({ id: z.int(), number: z.string().nullish(), trackingNumber: z.string().nullish() })).default([]),
    }),
  ),
});

/** The order tells which shipments it has; one of the same id or tracking number is not made again, unless that one is another's in the same parcel. */
function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document } = delivery;
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "shipments are not taken back by this connector");
  if (!/^\d{1,12}$/.test(document.orderNumber)) return dead("order-unknown", "order numbers of Centra are digits only");
  const trackingNumber = document.tracking?.[0]?.number ?? document.shipmentNumber;
  const query = `query ($number: Int!) { orders(where: { number: $number }, limit: 1) { id lines { id quantity productSize { SKU } } shipments { id trackingNumber } } }`;
  return ask(delivery, query, { number: Number(document.orderNumber) }, Shipments, ({ orders: [order] }) => {
    if (!order) return later("order-unknown", "Centra has no order with this number");
    const numbers = new Set([trackingNumber, document.shipmentNumber]);
    const alike = order.shipments.filter(
      ({ id, trackingNumber: its }) => String(id) === delivery.input.externalId || numbers.has(its ?? ""),
    );
    return firstOfOurs(
      alike.map(({ id }) => String(id)),
      (ours) => (ours === null ? createShipment(delivery, order, trackingNumber) : delivered(ours)),
    );
  });
}

function createShipment(
  delivery: Delivery<"shipment">,
  order: z.output<typeof Shipments>["orders"][number],
  trackingNumber: string,
): Verdict {
  const { document } = delivery;
  const wanted =
    document.lines.length > 0
      ? document.lines
      : order.lines.map((line) => ({ lineNumber: String(line.id), sku: null, quantity: String(line.quantity) }));
  const lines: object[] = [];
  const found = linesOfOrder(wanted, order.lines, (line) => ({ lineNumber: String(line.id), sku: line.productSize?.SKU }));
  for (const [index, { sku, quantity }] of wanted.entries()) {
    const line = found[index];
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    lines.push({ orderLine: { id: line.id }, quantity: Number(quantity) });
  }
  const create = `mutation ($input: ShipmentCreateInput!) { createShipment(input: $input) { shipment { id } ${Errors} } }`;
  const input = {
    order: { id: order.id },
    lines,
    trackingNumber,
    isShipped: true,
    sendEmail: false,
    ...(document.shippedAt == null ? {} : { shippedAt: document.shippedAt }),
  };
  const Made = z.object({ createShipment: z.object({ shipment: z.object({ id: z.int() }) }) });
  return next(ask(delivery, create, { input }, Made, ({ createShipment: { shipment } }) => delivered(String(shipment.id))));
}

const Money = z.object({ value: Amount, currency: z.object({ code: z.string() }).nullish() }).nullish();
const Address = z.object({
  firstName: Text,
  lastName: Text,
  companyName: Text,
  address1: Text,
  address2: Text,
  city: Text,
  zipCode: Text,
  country: z.object({ code: Text }).nullish(),
});
const Order = z.object({
  number: Id,
  status: Text,
  createdAt: z.string(),
  updatedAt: Text,
  customer: z.object({ id: Text, email: Text }).nullish(),
  grandTotal: Money,
  totals: z.object({ shipping: Money, handling: Money, taxAdded: Money, taxIncluded: Money }).nullish(),
  billingAddress: Address.nullish(),
  shippingAddress: Address.nullish(),
  lines: listOf(
    z.object({
      id: Id,
      product: z.object({ name: Text }).nullish(),
      productSize: z.object({ SKU: Text }).nullish(),
      quantity: NeededAmount,
      unitPrice: Money,
      lineValue: Money,
    }),
  ),
});

function addressOf(address: z.output<typeof Address> | null | undefined) {
  if (address == null) return null;
  return {
    name: joined(address.firstName, address.lastName),
    company: address.companyName,
    street: [address.address1, address.address2].filter((line) => line !== null),
    city: address.city,
    postalCode: address.zipCode,
    country: address.country?.code?.toUpperCase() ?? null,
  };
}

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const currency = order.grandTotal?.currency?.code ?? order.lines[0]?.unitPrice?.currency?.code ?? "";
  const statuses = new Map<string | null, string>([
    ["COMPLETED", "completed"],
    ["CANCELLED", "cancelled"],
  ]);
  const { shipping, handling, taxAdded, taxIncluded } = order.totals ?? {};
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: shipping?.value ?? null },
    { lineNumber: "handling", kind: "fee", amount: handling?.value ?? null },
  ];
  const [added, included] = [taxAdded, taxIncluded].map((tax) => (tax?.value == null || isZero(tax.value) ? null : tax.value));
  const document = {
    orderNumber: order.number,
    status: statuses.get(order.status) ?? "open",
    orderedAt: utcTime(order.createdAt),
    updatedAt: utcTime(order.updatedAt),
    currency,
    pricesIncludeTax: included != null ? true : added != null ? false : null,
    customer: order.customer == null ? null : { customerNumber: order.customer.id, email: order.customer.email },
    billingAddress: addressOf(order.billingAddress),
    shippingAddress: addressOf(order.shippingAddress),
    lines: [
      ...order.lines.map((line) => ({
        lineNumber: line.id,
        sku: line.productSize?.SKU ?? null,
        description: line.product?.name ?? null,
        quantity: line.quantity,
        unitPrice: money(line.unitPrice?.value ?? null, currency),
        total: money(line.lineValue?.value ?? null, currency),
      })),
      ...costs.flatMap(({ amount, ...line }) =>
        amount === null || isZero(amount)
          ? []
          : [{ ...line, sku: null, description: null, quantity: "1", unitPrice: money(amount, currency) }],
      ),
    ],
    totals: {
      shipping: money(shipping?.value ?? null, currency),
      tax: money(included ?? added ?? null, currency),
      total: money(order.grandTotal?.value ?? null, currency),
    },
  };
  return [{ entityType: "order", document }];
}

const pageSize = 50;
const address = "firstName lastName companyName address1 address2 city zipCode country { code }";
const orderFields = `number status createdAt updatedAt customer { id email } grandTotal { value currency { code } }
  totals { shipping { value } handling { value } taxAdded { value } taxIncluded { value } } billingAddress { ${address} } shippingAddress { ${address} }
  lines { id quantity product { name } productSize { SKU } unitPrice { value currency { code } } lineValue { value currency { code } } }`;

/** Orders by their number, which only grows; the last one taken is the cursor, and some before it for the next poll: they may have changed. */
function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  const from = /^\d{1,12}$/.test(cursor ?? "") ? Number(cursor) + 1 : 0;
  const query = `query ($from: Int!) { orders(where: { number: { from: $from } }, sort: [number_ASC], limit: ${pageSize}) { ${orderFields} } }`;
  return {
    request: ask(context, query, { from }, Anything, () => delivered()),
    read: (response) =>
      judge(response, manners, {}, (body) => {
        const data = isRecord(body) && isRecord(body["data"]) ? body["data"]["orders"] : [];
        const orders = Array.isArray(data) ? data.filter(isRecord) : [];
        const last = asText(orders.at(-1)?.["number"]);
        const hasMore = orders.length >= pageSize;
        const reached = /^\d{1,12}$/.test(last) ? Number(last) : from - 1;
        return {
          kind: "page" as const,
          messages: orders.map((order) => ({
            body: JSON.stringify(order),
            name: `${asText(order["number"])}@${asText(order["updatedAt"])}`,
          })),
          cursor: String(Math.max(0, hasMore ? reached : reached - lookedAtAgain)),
          hasMore,
        };
      }),
  };
}

/** Centra's own webhooks are forms with JSON in `payload`. */
function payloadOf(body: Uint8Array): Uint8Array {
  const form = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (form.subarray(0, 8).toString("latin1") !== "payload=") return body;
  return Buffer.from(new URLSearchParams(form.toString("latin1")).get("payload") ?? "");
}

/** Centra's Integration API (GraphQL). */
export const centra = nativeConnector({
  code: "centra",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "names of inputs and filters: no schema of the Integration API was at hand",
    "sizes are known by their SKU, products by the external id that they were made with",
    "orders can be asked for by number from a number on",
    "too many requests are answered with 429, or by an error that speaks of the rate limit",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, shipment: deliverShipment },
  leavesOut: {
    item: ["description", "group", "brand", "categories", "tags", "barcode", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["compareAtPrice", "tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
    shipment: ["carrier", "service", "shippingAddress", "attributes"],
  },
  signature: centraWebhooks,
  unwrap: payloadOf,
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  // Lists of ids or of events: what changed, not how.
  topicOf: (_headers, payload) => (isRecord(payload) && Object.values(payload).every(Array.isArray) ? null : undefined),
  probe: (context) => ask(context, "query { orders(limit: 1) { id } }", {}, Anything, () => delivered()),
  pull: { order: pullOrders },
});
