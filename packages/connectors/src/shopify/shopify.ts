import { EntityType, canonicalSchemas } from "@crossdock/contract";
import type { z } from "zod";
import { verdictOfStatus } from "../answers.ts";
import { type Connector, type Dead, type OutboundRequest, type RequestInput, type Retry, dead, parseOnce } from "../connector.ts";
import { Anything } from "../json-call.ts";
import { type LeavesOut, type Omission, besideFirstTracking, withLeftOut } from "../left-out.ts";
import { readersToList } from "../native.ts";
import { shopifyWebhooks, verifiedBy } from "../signatures.ts";
import { type Access, accessOf } from "./access.ts";
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
const credentialsOf = parseOnce(Credentials);

/** Shopify's Admin API, version 2026-07. */
export const shopify: Connector = {
  code: "shopify",
  settingsSchema: Settings,
  credentialsSchema: Credentials,
  entityTypes: { deliver: EntityType.options, receive: EntityType.options },
  receive: (input) => receive(input, settingsOf(input.settings)),
  verify: verifiedBy(shopifyWebhooks),
  dedupeKey: (headers) => headers["x-shopify-webhook-id"] ?? null,
  request: async (input) => {
    const { settings, access } = contextOf(input);
    return "kind" in access ? access : deliverers[input.entityType](input, { settings, access });
  },
  verdict: ({ request, response }) => request.read?.(response) ?? verdictOfStatus(response),
  unverified: ["orders are found by `name` and keep the name that is sent along", "`inventory_behaviour: bypass` leaves stock alone"],
  pull: { entityTypes: EntityType.options, next: (input) => pulls[input.entityType]({ ...input, ...parsed(input) }) },
  list: readersToList(list, parsed, settingsOf),
  probe(input) {
    const { settings, access } = contextOf(input);
    if ("kind" in access) return access;
    return call({ settings, access }, { method: "GET", path: "shop.json" }, Anything, () => ({ kind: "delivered" }));
  },
};

type Context = Pick<Delivery<unknown>, "settings" | "access">;

type Given = { settings: unknown; credentials: unknown };

function parsed({ settings, credentials }: Given): { settings: Settings; credentials: Credentials } {
  return { settings: settingsOf(settings), credentials: credentialsOf(credentials) };
}

function contextOf(given: Given): { settings: Settings; access: Access | Dead } {
  const known = parsed(given);
  return { settings: known.settings, access: accessOf(known) };
}

const leavesOut: LeavesOut<Context["settings"]> = {
  item: ({ options }) => [...((options ?? []).length > optionsMax ? (["options"] as const) : []), "unit", "taxCode", "attributes"],
  price: ["tiers", "attributes"],
  stock: ["unit", "incoming", "attributes"],
  order: ["salesChannel", "fulfilmentStatus", "attributes"],
  shipment: besideFirstTracking("shippedAt", "service", "shippingAddress", "attributes"),
  customer: ({ email }) => ["company", "vatNumber", ...(email ? [] : (["acceptsMarketing"] as const)), "isActive", "attributes"],
};

const deliverers: Record<EntityType, (input: RequestInput, context: Context) => OutboundRequest | Retry | Dead> = {
  item: delivering(canonicalSchemas.item, deliverItem, leavesOut.item),
  price: delivering(canonicalSchemas.price, deliverPrice, leavesOut.price),
  stock: delivering(canonicalSchemas.stock, deliverStock, leavesOut.stock),
  order: delivering(canonicalSchemas.order, deliverOrder, leavesOut.order),
  shipment: delivering(canonicalSchemas.shipment, deliverShipment, leavesOut.shipment),
  customer: delivering(canonicalSchemas.customer, deliverCustomer, leavesOut.customer),
};

/** Parses the document again: mappings may have put a value into it that its schema refuses. */
function delivering<Document extends object>(
  schema: z.ZodType<Document>,
  deliver: (delivery: Delivery<Document>) => OutboundRequest | Retry | Dead,
  omission: Omission<Document, Context["settings"]> | undefined,
): (input: RequestInput, context: Context) => OutboundRequest | Retry | Dead {
  return (input, context) => {
    const result = schema.safeParse(JSON.parse(input.document));
    if (!result.success) {
      const paths = result.error.issues.map((issue) => issue.path.join(".")).join(", ");
      return dead("validation", `the document doesn't fit its schema at ${paths}`);
    }
    return withLeftOut(deliver({ document: result.data, input, ...context }), omission, result.data, context.settings);
  };
}
