import { EntityType } from "@crossdock/contract";
import { type Connector, type Dead, type OutboundRequest, parseOnce } from "../connector.ts";
import { Anything, delivered } from "../json-call.ts";
import { besideFirst } from "../left-out.ts";
import { nativeConnector } from "../native.ts";
import { shopifyWebhooks } from "../signatures.ts";
import { accessOf } from "./access.ts";
import { type Delivery, call } from "./call.ts";
import { deliverCustomer } from "./deliver-customers.ts";
import { deliverItem, deliverPrice, deliverStock, optionsMax } from "./deliver-goods.ts";
import { deliverOrder } from "./deliver-orders.ts";
import { deliverShipment } from "./deliver-shipments.ts";
import { list } from "./list.ts";
import { pulls } from "./pull.ts";
import { receive } from "./receive.ts";
import { Credentials, Settings } from "./settings.ts";

const settingsOf = parseOnce(Settings);

/** Shopify's Admin API, version 2026-07. */
export const shopify: Connector = {
  ...nativeConnector({
    code: "shopify",
    settings: Settings,
    credentials: Credentials,
    unverified: ["orders are found by `name` and keep the name that is sent along", "`inventory_behaviour: bypass` leaves stock alone"],
    deliver: {
      item: withAccess(deliverItem),
      price: withAccess(deliverPrice),
      stock: withAccess(deliverStock),
      order: withAccess(deliverOrder),
      shipment: withAccess(deliverShipment),
      customer: withAccess(deliverCustomer),
    },
    leavesOut: {
      item: besideFirst(["options", optionsMax], ["categories", 1], "unit", "taxCode", "attributes"),
      price: ["tiers", "attributes"],
      stock: ["unit", "incoming", "attributes"],
      order: ["salesChannel", "fulfilmentStatus", "attributes"],
      shipment: besideFirst(["tracking", 1], "shippedAt", "service", "shippingAddress", "attributes"),
      customer: ({ email }) => ["company", "vatNumber", ...(email ? [] : (["acceptsMarketing"] as const)), "isActive", "attributes"],
    },
    signature: shopifyWebhooks,
    dedupeKey: (headers) => headers["x-shopify-webhook-id"] ?? null,
    probe({ settings, credentials }) {
      const access = accessOf({ settings, credentials });
      return "kind" in access ? access : call({ settings, access }, { method: "GET", path: "shop.json" }, Anything, () => delivered());
    },
    pull: pulls,
    list,
  }),
  entityTypes: { deliver: EntityType.options, receive: EntityType.options },
  receive: (input) => receive(input, settingsOf(input.settings)),
};

type Given<Document> = Omit<Delivery<Document>, "access"> & { credentials: Credentials };

/** With what shows who sends the request. */
function withAccess<Document>(
  deliver: (delivery: Delivery<Document>) => OutboundRequest | Dead,
): (given: Given<Document>) => OutboundRequest | Dead {
  return ({ credentials, ...given }) => {
    const access = accessOf({ credentials, settings: given.settings });
    return "kind" in access ? access : deliver({ ...given, access });
  };
}
