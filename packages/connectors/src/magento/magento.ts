import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { nativeConnector, orOurs, translator } from "../native.ts";
import { adobeCommerceWebhooks } from "../signatures.ts";
import { call, isComplete } from "./call.ts";
import { deliverCustomer } from "./deliver-customers.ts";
import { deliverItem, deliverPrice, deliverStock } from "./deliver-goods.ts";
import { deliverOrder } from "./deliver-orders.ts";
import { deliverShipment, sourceOf } from "./deliver-shipments.ts";
import { list } from "./list.ts";
import { pulls } from "./pull.ts";
import { Credentials, Settings } from "./settings.ts";
import { Shipment, shipmentOf } from "./shipments.ts";
import { Customer, Order, Product, customerOf, itemOf, orderOf } from "./translate.ts";

/** Magento 2 and Adobe Commerce, REST API V1. */
export const magento = nativeConnector({
  code: "magento",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "orders made by POST V1/orders keep `ext_order_id`, by which they are found again",
    "an order's address is changed by PUT V1/orders/{id} with its entity_id",
    "an unlimited special price is one until 2100",
    "the times of a scheduled special price are UTC",
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
  receive: {
    item: translator<typeof Product, Settings>(Product, itemOf),
    order: translator<typeof Order, Settings>(Order, orderOf),
    shipment: orOurs("shipment", "shipmentNumber", translator<typeof Shipment, Settings>(Shipment, shipmentOf)),
    customer: translator<typeof Customer, Settings>(Customer, customerOf),
  },
  objectsOf: (payload) =>
    isRecord(payload) && Array.isArray(payload["items"]) && "search_criteria" in payload ? payload["items"] : [payload].flat(),
  probe: (context) =>
    isComplete(context.credentials) ?? call(context, { method: "GET", path: "V1/store/storeConfigs" }, Anything, () => delivered()),
  list,
  pull: pulls,
});
