import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { nativeConnector, translator } from "../native.ts";
import { centraWebhooks } from "../signatures.ts";
import { ask } from "./call.ts";
import { deliverItem, deliverPrice, deliverStock } from "./deliver-goods.ts";
import { deliverShipment } from "./deliver-shipments.ts";
import { Order, orderOf, pullOrders } from "./orders.ts";
import { Credentials, Settings } from "./settings.ts";

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
    "amounts go as `value` and `currencyIsoCode`, and a product is changed by its id",
    "sizes are known by their SKU, products by the external id that they were made with",
    "too many requests are answered with 429, or by an error that speaks of the rate limit",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, shipment: deliverShipment },
  leavesOut: {
    item: ["description", "group", "brand", "categories", "tags", "barcode", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["compareAtPrice", "tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
    shipment: besideFirst(["tracking", 1], "carrier", "service", "shippingAddress", "attributes"),
  },
  signature: centraWebhooks,
  unwrap: payloadOf,
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  // Lists of ids or of events: what changed, not how.
  topicOf: (_headers, payload) => (isRecord(payload) && Object.values(payload).every(Array.isArray) ? null : undefined),
  probe: (context) => ask(context, "query { orders(limit: 1) { id } }", {}, Anything, () => delivered()),
  pull: { order: pullOrders },
});
