import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Pull, type ReceivedDocument, type Verdict, dead, messageHeaders } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { plainOf } from "../descriptions.ts";
import { Amount, Id, NeededAmount, Text, asText, country, listOf, money, utcTime } from "../foreign.ts";
import { BaseUrl, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, delivered, jsonRequest, judge, later, next } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { oauth1Header } from "../oauth1.ts";

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "https://wholesale.nuorder.com, or wholesale.sandbox1.nuorder.com for trials" }),
  season: z.string().min(1).max(100).default("core").meta({ title: "Season of new products" }),
  size: z.string().min(1).max(50).default("OS").meta({ title: "Size", description: "Of items that have no option called size" }),
  warehouse: PlaceCode.default("default").meta({ title: "Warehouse", description: "Whose stock is sent" }),
  orderStatus: z
    .enum(["pending", "approved", "edited"])
    .default("approved")
    .meta({ title: "Orders to take", description: "Orders of this status are pulled and then set to processed" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({
  consumerKey: Secret.meta({ title: "Consumer key" }),
  consumerSecret: Secret.meta({ title: "Consumer secret" }),
  token: Secret.meta({ title: "Token", description: "As the handshake of initiate and token gave it, once it was approved in the portal" }),
  tokenSecret: Secret.meta({ title: "Token secret" }),
});
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

/** `{code, message}`; a 500 is plain text, which is no JSON and shown as it is. */
const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["message"]) || null : null),
  failureOf: (body) => (isRecord(body) && Number(body["code"] ?? 0) >= 400 ? dead("refused", asText(body["message"]) || "refused") : null),
};

/** Every sending has a nonce and a time of its own: a signature that is sent twice is refused. */
function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  notFound?: () => Verdict,
): OutboundRequest {
  const url = at(settings.baseUrl, path);
  const request = jsonRequest(
    { method, url, headers: input ? messageHeaders(input) : {}, body },
    answer,
    read,
    manners,
    notFound ? { 404: notFound } : {},
  );
  return { ...request, sign: (now, nonce) => ({ authorization: oauth1Header(method, url, credentials, now, nonce.replaceAll("-", "")) }) };
}

const Made = z
  .object({ _id: z.string().nullish() })
  .transform(({ _id: id }) => ({ id }))
  .nullish();

/** The options that a product has there. */
function shownOptions({ options }: Delivery<"item">["document"]) {
  return {
    color: options?.find(({ name }) => /colou?r/i.test(name)),
    size: options?.find(({ name }) => /^size$/i.test(name)),
  };
}

function hasOtherOptions(item: Delivery<"item">["document"]): boolean {
  const shown: unknown[] = Object.values(shownOptions(item));
  return (item.options ?? []).some((option) => !shown.includes(option));
}

/** `force` makes or changes, known by style number, season and colour. Each item is a product with one size. */
function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const { color, size } = shownOptions(document);
  const body = {
    style_number: document.sku,
    external_id: document.sku,
    season: settings.season,
    color: color?.value ?? "-",
    name: document.name ?? document.sku,
    description: plainOf(document) ?? "",
    category: document.categories?.[0] ?? "",
    "brand name": document.brand ?? "",
    sizes: [{ size: size?.value ?? settings.size, ...(document.barcode == null ? {} : { upc: document.barcode }) }],
    active: document.isActive,
    archived: !document.isActive,
    cancelled: false,
    available_now: document.isActive,
  };
  return call(delivery, { method: "PUT", path: "api/product/new/force", body }, Made, (made) => delivered(made?.id ?? document.sku));
}

const notThereYet = () => later("item-unknown", "nuORDER has no product with this external id yet");

function deliverPrice(delivery: Delivery<"price">): OutboundRequest {
  const { sku, price, compareAtPrice } = delivery.document;
  const body = {
    pricing: { [price.currency]: { wholesale: Number(price.amount), retail: Number((compareAtPrice ?? price).amount), disabled: false } },
  };
  return call(
    delivery,
    { method: "POST", path: `api/product/external_id/${encodeURIComponent(sku)}`, body },
    Anything,
    () => delivered(),
    notThereYet,
  );
}

const Sized = z.object({ sizes: z.array(z.object({ size: z.string() })).nullish() });

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.warehouse !== settings.warehouse) return dead("warehouse", `stock of warehouse ${settings.warehouse} is sent only`);
  const quantity = toWholeNumber(document.quantity);
  if (quantity === null) return dead("fraction", `whole pieces only; the quantity is ${document.quantity}`);
  const id = encodeURIComponent(document.sku);
  const write = (size: string) => {
    const level = { warehouse: settings.warehouse, prebook: false, wip: [{ name: "immediate", sizes: [{ size, quantity }] }] };
    const body = { inventory: [level] };
    return call(delivery, { method: "POST", path: `api/inventory/external_id/${id}`, body }, Anything, () => delivered(), notThereYet);
  };
  // Stock doesn't say which size its item is, and a level of another size than the product's would count for nothing.
  return call(
    delivery,
    { method: "GET", path: `api/product/external_id/${id}` },
    Sized,
    ({ sizes }) => next(write(sizes?.[0]?.size ?? settings.size)),
    notThereYet,
  );
}

function deliverCustomer(delivery: Delivery<"customer">): OutboundRequest {
  const { document } = delivery;
  const body = {
    name: document.company ?? ([document.firstName, document.lastName].filter((part) => part != null).join(" ") || document.customerNumber),
    code: document.customerNumber,
    external_id: document.customerNumber,
    addresses: (document.addresses ?? []).map((address, index) => ({
      display_name: address.name ?? `Address ${index + 1}`,
      line_1: address.street?.[0] ?? "",
      line_2: address.street?.slice(1).join(", ") ?? "",
      city: address.city ?? "",
      state: address.region ?? "",
      zip: address.postalCode ?? "",
      country: address.country ?? address.countryName ?? "",
    })),
  };
  return call(delivery, { method: "PUT", path: "api/company/new/force", body }, Made, (made) =>
    delivered(made?.id ?? document.customerNumber),
  );
}

const Place = z.object({ line_1: Text, line_2: Text, city: Text, state: Text, zip: Text, country: Text }).nullish();

const Order = z.object({
  _id: z.string().nullish(),
  order_number: Id,
  external_id: Text,
  status: Text,
  created_on: z.string().nullish(),
  ordered_on: z.string().nullish(),
  currency_code: z.string(),
  total: Amount,
  notes: Text,
  retailer: z.object({ retailer_name: Text, retailer_code: Text, buyer_email: Text }).nullish(),
  billing_address: Place,
  shipping_address: Place,
  line_items: listOf(
    z.object({
      product: z.object({ style_number: Text, external_id: Text }).nullish(),
      sizes: listOf(z.object({ size: Text, upc: Text, quantity: NeededAmount, price: NeededAmount })),
    }),
  ),
});

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const currency = order.currency_code;
  const document = {
    orderNumber: order.order_number,
    orderedAt: utcTime(order.ordered_on ?? order.created_on),
    currency,
    pricesIncludeTax: false,
    customer: {
      customerNumber: order.retailer?.retailer_code ?? null,
      email: order.retailer?.buyer_email ?? null,
      name: order.retailer?.retailer_name ?? null,
    },
    billingAddress: addressOf(order.billing_address),
    shippingAddress: addressOf(order.shipping_address),
    lines: order.line_items.flatMap(({ product, sizes }, index) =>
      sizes.map((size, position) => ({
        lineNumber: `${index + 1}.${position + 1}`,
        sku: product?.external_id ?? product?.style_number ?? size.upc,
        description: size.size,
        quantity: size.quantity,
        unitPrice: money(size.price, currency),
      })),
    ),
    totals: { total: money(order.total, currency) },
    note: order.notes,
  };
  return [{ entityType: "order", document }];
}

function addressOf(place: z.output<typeof Place>) {
  if (place == null) return null;
  return {
    street: [place.line_1, place.line_2].filter((line) => line !== null),
    city: place.city,
    region: place.state,
    postalCode: place.zip,
    ...country(place.country),
  };
}

/** Orders of a status, which leave it once they are told to be processed; that is done after they have been taken. */
function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  const path = `api/orders/${context.settings.orderStatus}/detail`;
  return {
    request: call(context, { method: "GET", path }, Anything, () => delivered()),
    read: (response) =>
      judge(response, manners, {}, (body) => {
        const orders = Array.isArray(body) ? body.filter(isRecord) : [];
        const ids = orders.map((order) => asText(order["_id"])).filter((id) => id !== "");
        const confirm = ids.map((id) =>
          call(context, { method: "POST", path: `api/order/${encodeURIComponent(id)}/process` }, Anything, () => delivered()),
        );
        return {
          kind: "page" as const,
          messages: orders.map((order) => ({ body: JSON.stringify(order), name: asText(order["_id"]) || null })),
          cursor,
          hasMore: false,
          confirm,
        };
      }),
  };
}

/** nuORDER's wholesale API, signed by OAuth 1.0. */
export const nuorder = nativeConnector({
  code: "nuorder",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "prices go by POST api/product/external_id/{sku}, with wholesale and retail by currency",
    "shipments: the path of their call was not seen, so they go by the generic connector",
    "limits of the rate are not documented; 429 is taken for one",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, customer: deliverCustomer },
  leavesOut: {
    item: (item) => [
      ...besideFirst<typeof item>(["categories", 1], "group", "tags", "weight", "images", "unit", "taxCode", "attributes")(item),
      ...(hasOtherOptions(item) ? (["options"] as const) : []),
    ],
    price: ["tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
    customer: ["phone", "vatNumber", "acceptsMarketing", "note", "tags", "isActive", "attributes"],
  },
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  probe: (context) =>
    call(context, { method: "GET", path: `api/orders/${context.settings.orderStatus}/list` }, Anything, () => delivered()),
  pull: { order: pullOrders },
});
