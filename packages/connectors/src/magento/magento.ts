import type { Dead, Pull } from "../connector.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { nativeConnector } from "../native.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { adobeCommerceWebhooks } from "../signatures.ts";
import { call, isComplete, manners, searchCriteria } from "./call.ts";
import { deliverCustomer } from "./deliver-customers.ts";
import { deliverItem, deliverPrice, deliverStock } from "./deliver-goods.ts";
import { deliverOrder } from "./deliver-orders.ts";
import { deliverShipment, sourceOf } from "./deliver-shipments.ts";
import { list } from "./list.ts";
import { Credentials, Settings } from "./settings.ts";
import { receive } from "./translate.ts";

type Context = Pulling & { settings: Settings; credentials: Credentials };

/** Lists by time of change; the store counts pages from 1 and gives the last one again when asked beyond it. */
function changes(path: string, idField: string) {
  return (context: Context): Pull | Dead =>
    isComplete(context.credentials) ??
    changesSince({
      cursor: context.cursor,
      now: context.now,
      pageSize,
      request: ({ since, page }: Step) => {
        const conditions: [string, string, string][] = since === null ? [] : [["updated_at", "gteq", since]];
        const criteria = searchCriteria(conditions, pageSize, page, ["updated_at", "entity_id"]);
        return call(context, { method: "GET", path: `${path}?${criteria}` }, Anything, () => delivered());
      },
      manners,
      objectsOf: (body) => (isRecord(body) && Array.isArray(body["items"]) ? body["items"] : []),
      hasMore: (body, page) =>
        isRecord(body) && typeof body["total_count"] === "number" ? page * pageSize < body["total_count"] : undefined,
      idOf: (object) => object[idField],
      changedAt: (object) => object["updated_at"],
    });
}

const pageSize = 100;

/** Magento 2 and Adobe Commerce, REST API V1. */
export const magento = nativeConnector({
  code: "magento",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "orders made by POST V1/orders keep `ext_order_id`, by which they are found again",
    "an order's address is changed by PUT V1/orders/{id} with its entity_id",
    "an unlimited special price is one until 2100",
    "POST V1/products leaves a known product's price alone where it is not named",
    "a product's attributes of choice, such as its colour, come as their option's id or, where the store gives it, as its name",
    "source items are listed in the order of their sku",
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
    item: ["group", "options", "brand", "categories", "tags", "barcode", "images", "unit", "taxCode", "attributes"],
    price: ["attributes"],
    stock: ["unit", "incoming", "attributes"],
    order: ["salesChannel", "note", "tags", "paymentStatus", "fulfilmentStatus", "attributes"],
    shipment: (document, settings) => [
      ...(sourceOf(document, settings) === undefined ? (["warehouse"] as const) : []),
      "shippedAt",
      "service",
      "shippingAddress",
      "attributes",
    ],
    customer: ["phone", "company", "addresses", "note", "tags", "isActive", "attributes"],
  },
  // Special prices have a beginning and an end; ordinary ones don't.
  keepsPeriod: ({ compareAtPrice }) => compareAtPrice != null,
  netPricePlaces: 4,
  signature: adobeCommerceWebhooks,
  receive,
  objectsOf: (payload) =>
    isRecord(payload) && Array.isArray(payload["items"]) && "search_criteria" in payload ? payload["items"] : [payload].flat(),
  probe: (context) =>
    isComplete(context.credentials) ?? call(context, { method: "GET", path: "V1/store/storeConfigs" }, Anything, () => delivered()),
  list,
  pull: { item: changes("V1/products", "sku"), order: changes("V1/orders", "entity_id"), customer: changes("V1/customers/search", "id") },
});
