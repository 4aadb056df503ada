import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import {
  type Dead,
  type OutboundRequest,
  type Pull,
  type ReceivedDocument,
  type RequestInput,
  type Verdict,
  dead,
  messageHeaders,
} from "../connector.ts";
import { Amount, Id, Text, asText, joined, money, unixTime } from "../foreign.ts";
import { at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { type Manners, delivered, jsonRequest, judge, later, next } from "../json-call.ts";
import { type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { basic } from "../token-grant.ts";
import { Credentials, Settings } from "./settings.ts";

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = { settings: Settings; credentials: Credentials; input?: RequestInput };

/** A batch answers 200 with a status for each entry; there is one entry in ours. */
const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["errortext"] ?? body["message"] ?? body["error"]) || null : null),
  failureOf: (body) => {
    const refused = Array.isArray(body) ? body.find((entry) => isRecord(entry) && Number(entry["statuscode"] ?? 200) >= 400) : undefined;
    return isRecord(refused)
      ? dead("refused", `the entry was refused: ${asText(refused["statuscode"])} ${asText(refused["errortext"] ?? refused["return"])}`)
      : null;
  },
};

function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: { method: OutboundRequest["method"]; path: string; body?: unknown },
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  const headers = { authorization: basic(credentials.apiId, credentials.password), ...(input && messageHeaders(input)) };
  const url = at(settings.baseUrl, `sites/${settings.siteId}/${path}`);
  return jsonRequest({ method, url, headers, secretHeaders: ["authorization"], body }, answer, read, manners);
}

const Anything = z.unknown();
const Products = z.object({ items: z.array(z.object({ productid: z.int(), sku: z.string() })) });

function findProduct(delivery: Delivery<"item" | "price">, sku: string, then: (id: string | null) => Verdict): OutboundRequest {
  const path = `products.json?${new URLSearchParams({ sku, fields: "productid,sku" }).toString()}`;
  return call(delivery, { method: "GET", path }, Products, ({ items }) => {
    const found = items.find((product) => product.sku === sku);
    return then(found ? String(found.productid) : null);
  });
}

function isId(externalId: string | null): externalId is string {
  return externalId !== null && /^\d{1,16}$/.test(externalId);
}

function updateProduct(delivery: Delivery<EntityType>, id: string, body: object): OutboundRequest {
  return call(delivery, { method: "PUT", path: `products/${id}.json`, body }, Anything, () => delivered(id));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, input, settings } = delivery;
  const product = {
    sku: document.sku,
    title: document.name ?? document.sku,
    description: document.description ?? "",
    active: document.isActive,
    activepos: document.isActive,
    ...(document.barcode == null ? {} : { barcode: document.barcode }),
    ...(document.unit == null ? {} : { unitlabel: document.unit }),
  };
  if (isId(input.externalId)) return updateProduct(delivery, input.externalId, product);
  return findProduct(delivery, document.sku, (id) => {
    if (id !== null) return next(updateProduct(delivery, id, product));
    const body = [{ ...product, stockcountenable: true, ...(settings.vatId === undefined ? {} : { vatid: settings.vatId }) }];
    const Made = z.tuple([z.object({ return: z.union([z.int(), z.string()]).transform(String) })]);
    return next(call(delivery, { method: "POST", path: "products.json", body }, Made, ([made]) => delivered(made.return)));
  });
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId !== undefined) {
    const body = [{ sku: document.sku, moneyprice: document.price.amount }];
    return call(delivery, { method: "PUT", path: `pricelists/${listId}/pricelistitems.json`, body }, Anything, () => delivered());
  }
  if (document.priceList !== settings.priceList) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  const prices = { moneyprice: document.price.amount, moneypriceorg: document.compareAtPrice?.amount ?? null };
  if (isId(input.externalId)) return updateProduct(delivery, input.externalId, prices);
  return findProduct(delivery, document.sku, (id) =>
    id === null ? later("item-unknown", "Sitoo has no product with this sku yet") : next(updateProduct(delivery, id, prices)),
  );
}

/** Stock is set by a batch: opened, filled, then closed, which is what makes it count. An unclosed one changes nothing. */
function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings, input } = delivery;
  const warehouseId = Object.hasOwn(settings.warehouseIds, document.warehouse) ? settings.warehouseIds[document.warehouse] : undefined;
  if (warehouseId === undefined) return dead("mapping-missing", `mapping missing: no warehouse '${document.warehouse}' in the settings`);
  const batches = `warehouses/${warehouseId}/warehousebatches`;
  const transactiontype = settings.stockTakingType;
  const open = { transactiontype, warehousebatchstate: 0, comment: "Crossdock", externalid: input.messageId };
  return call(delivery, { method: "POST", path: `${batches}.json`, body: open }, Id, (batchId) => {
    const items = [{ sku: document.sku, decimalquantity: document.quantity }];
    const close = () =>
      next(
        call(
          delivery,
          { method: "PUT", path: `${batches}/${batchId}.json`, body: { transactiontype, warehousebatchstate: 10 } },
          Anything,
          () => delivered(),
        ),
      );
    return next(call(delivery, { method: "PUT", path: `${batches}/${batchId}/warehousebatchitems.json`, body: items }, Anything, close));
  });
}

const OrderList = z.object({ items: z.array(z.object({ orderid: z.int(), externalid: z.string().nullish() })) });

/** Its own unique external id tells an order that is there already. */
function deliverOrder(delivery: Delivery<"order">): OutboundRequest | Dead {
  const { document } = delivery;
  if (document.kind === "cancellation") return dead("not-supported", "orders are not cancelled by this connector");
  const externalid = document.orderNumber;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(externalid))
    return dead("key", "Sitoo takes order numbers of letters, digits, _ and - only, at most 40");
  const path = `orders.json?${new URLSearchParams({ externalid }).toString()}`;
  return call(delivery, { method: "GET", path }, OrderList, ({ items }) => {
    const found = items.find((order) => order.externalid === externalid);
    return found ? delivered(String(found.orderid)) : next(createOrder(delivery));
  });
}

function createOrder(delivery: Delivery<"order">): OutboundRequest {
  const { document } = delivery;
  const [billing, shipping] = [document.billingAddress ?? document.shippingAddress, document.shippingAddress ?? document.billingAddress];
  const body = {
    externalid: document.orderNumber,
    ordertypeid: 20,
    currencycode: document.currency,
    orderdate: Math.floor(Date.parse(document.orderedAt) / 1000),
    email: document.customer?.email ?? "",
    namelast: document.customer?.name ?? billing?.name ?? "",
    invoiceAddress: billing?.street?.join(", ") ?? "",
    invoiceZip: billing?.postalCode ?? "",
    invoiceCity: billing?.city ?? "",
    invoiceCountryid: billing?.country ?? "",
    deliveryAddress: shipping?.street?.join(", ") ?? "",
    deliveryZip: shipping?.postalCode ?? "",
    deliveryCity: shipping?.city ?? "",
    deliveryCountryid: shipping?.country ?? "",
    orderitems: document.lines.map((line) => ({
      sku: line.sku ?? "",
      productname: line.description ?? line.sku ?? "",
      quantity: Number(line.quantity),
      moneynetpriceperunit: line.unitPrice.amount,
      ...(line.taxRatePercent == null ? {} : { vatvalue: Number(line.taxRatePercent) }),
    })),
  };
  return call(delivery, { method: "POST", path: "orders.json", body }, Id, delivered);
}

const Order = z.object({
  orderid: Id,
  externalid: Text,
  email: Text,
  namefirst: Text,
  namelast: Text,
  company: Text,
  phone: Text,
  invoiceAddress: Text,
  invoiceZip: Text,
  invoiceCity: Text,
  invoiceCountryid: Text,
  deliveryAddress: Text,
  deliveryZip: Text,
  deliveryCity: Text,
  deliveryCountryid: Text,
  comment: Text,
  orderdate: z.int(),
  currencycode: z.string(),
  moneytotalNet: Amount,
  moneytotalVat: Amount,
  moneytotalGrossAll: Amount,
  orderitems: z.array(
    z.object({
      orderitemid: Id,
      sku: Text,
      productname: Text,
      quantity: Amount,
      moneynetpriceperunit: Amount,
      moneyitemtotalNet: Amount,
      moneyitemtotalVat: Amount,
      vatvalue: Amount,
    }),
  ),
});

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const currency = order.currencycode;
  const name = joined(order.namefirst, order.namelast);
  const address = (street: string | null, postalCode: string | null, city: string | null, country: string | null) => ({
    name,
    company: order.company,
    street: street === null ? [] : [street],
    postalCode,
    city,
    country: country?.length === 2 ? country.toUpperCase() : null,
    phone: order.phone,
  });
  const document = {
    orderNumber: order.externalid ?? order.orderid,
    orderedAt: unixTime(order.orderdate),
    currency,
    pricesIncludeTax: false,
    customer: { email: order.email, phone: order.phone, name },
    billingAddress: address(order.invoiceAddress, order.invoiceZip, order.invoiceCity, order.invoiceCountryid),
    shippingAddress: address(order.deliveryAddress, order.deliveryZip, order.deliveryCity, order.deliveryCountryid),
    lines: order.orderitems.map((line) => ({
      lineNumber: line.orderitemid,
      sku: line.sku,
      description: line.productname,
      quantity: line.quantity ?? "0",
      unitPrice: money(line.moneynetpriceperunit ?? "0", currency),
      tax: money(line.moneyitemtotalVat, currency),
      taxRatePercent: line.vatvalue,
      total: money(line.moneyitemtotalNet, currency),
    })),
    totals: {
      lines: money(order.moneytotalNet, currency),
      tax: money(order.moneytotalVat, currency),
      total: money(order.moneytotalGrossAll, currency),
    },
    note: order.comment,
  };
  return [{ entityType: "order", document }];
}

const pageSize = 100;

/** Lists go by place: `start` and `num`. Orders are added at the end, so the place reached is the cursor. */
function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  const start = /^\d{1,12}$/.test(cursor ?? "") ? Number(cursor) : 0;
  const query = new URLSearchParams({ start: String(start), num: String(pageSize), sort: "orderid" });
  return {
    request: call(context, { method: "GET", path: `orders.json?${query.toString()}` }, Anything, () => delivered()),
    read: (response) =>
      judge(response, manners, {}, (body) => {
        const orders = isRecord(body) && Array.isArray(body["items"]) ? body["items"].filter(isRecord) : [];
        return {
          kind: "page" as const,
          messages: orders.map((order) => ({
            body: JSON.stringify(order),
            name: `${asText(order["orderid"])}@${asText(order["orderstateid"])}`,
          })),
          cursor: String(start + orders.length),
          hasMore: orders.length >= pageSize,
        };
      }),
  };
}

/** Sitoo's REST API v2. */
export const sitoo = nativeConnector({
  code: "sitoo",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "`sku` and `externalid` filter lists; `start`, `num` and `sort` page them",
    "a warehouse batch is closed by state 10, an order from elsewhere has type 20",
    "creates of orders and batches answer with the bare id",
    "too many requests are answered with 429",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, order: deliverOrder },
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["items"]) ? payload["items"] : [payload].flat()),
  probe: (context) => call(context, { method: "GET", path: "products.json?num=1" }, Anything, () => delivered()),
  pull: { order: pullOrders },
});
