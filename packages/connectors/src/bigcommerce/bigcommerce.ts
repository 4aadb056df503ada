import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { nativeConnector, orOurs, translator } from "../native.ts";
import { bigcommerceWebhooks } from "../signatures.ts";
import { call } from "./call.ts";
import { deliverItem, deliverPrice, deliverStock } from "./deliver-goods.ts";
import { deliverOrder } from "./deliver-orders.ts";
import { deliverShipment } from "./deliver-shipments.ts";
import { list } from "./list.ts";
import { Order, orderOf, pullOrders } from "./orders.ts";
import { Product, goneIn, itemsOf, pullItems, wholeOf } from "./products.ts";
import { Credentials, Settings } from "./settings.ts";
import { Shipment, pullShipments, shipmentOf } from "./shipments.ts";

/** BigCommerce: catalogue, prices and stock by v3, orders and shipments by v2 of its REST API. */
export const bigcommerce = nativeConnector({
  code: "bigcommerce",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "`total_inventory_onhand` of v3/inventory/items is what an absolute adjustment sets",
    "`base_variant_id` names the variant of a product that was just made",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, order: deliverOrder, shipment: deliverShipment },
  leavesOut: {
    item: ["group", "brand", "categories", "tags", "images", "unit", "taxCode", "attributes"],
    price: ({ priceList }, { priceListIds }) => (Object.hasOwn(priceListIds, priceList) ? ["attributes"] : ["tiers", "attributes"]),
    stock: ["unit", "incoming", "attributes"],
    order: ["salesChannel", "note", "tags", "paymentStatus", "fulfilmentStatus", "attributes"],
    shipment: besideFirst(["tracking", 1], "shippedAt", "service", "shippingAddress", "attributes"),
  },
  netPricePlaces: 4,
  receive: {
    item: translator<typeof Product, Settings>(Product, itemsOf, wholeOf),
    order: translator<typeof Order, Settings>(Order, orderOf),
    shipment: orOurs("shipment", "shipmentNumber", translator<typeof Shipment, Settings>(Shipment, shipmentOf)),
  },
  signature: bigcommerceWebhooks,
  goneIn,
  // Other webhooks carry nothing but an id, too; what changed is pulled.
  topicOf: (_headers, payload) => (isRecord(payload) && typeof payload["scope"] === "string" ? null : "order"),
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["data"]) ? payload["data"] : [payload].flat()),
  probe: (context) => call(context, { method: "GET", path: "v2/store" }, Anything, () => delivered()),
  list,
  pull: { item: pullItems, order: pullOrders, shipment: pullShipments },
});
