import { type EntityType, reasons as sentences } from "@crossdock/contract";
import type { z } from "zod";
import { type ReceiveInput, type Received, reasonsOf, rejected } from "../connector.ts";
import { utcTime } from "../foreign.ts";
import { decodeJson, isRecord } from "../json.ts";
import { Customer, Deleted, Fulfillment, InventoryLevel, Order, Product, Variant } from "./payloads.ts";
import type { Settings } from "./settings.ts";
import { type Translated, translateInventoryLevel, translateProduct, translateVariant, wholeName } from "./translate-goods.ts";
import { translateCustomer, translateFulfillment, translateFulfillmentsOf, translateOrder } from "./translate-sales.ts";

type Translate = (value: unknown, settings: Settings, entityType: EntityType | undefined) => Translated;

/** By the name of the resource as it stands in webhook topics and, in the singular, around objects in REST answers. */
const translators = new Map<string, Translate>(
  Object.entries({
    products: reading(Product, translateProduct),
    variants: reading(Variant, translateVariant),
    inventory_levels: reading(InventoryLevel, translateInventoryLevel),
    orders: reading(Order, (order, settings, entityType) =>
      entityType === "shipment" ? translateFulfillmentsOf(order, settings) : translateOrder(order),
    ),
    fulfillments: reading(Fulfillment, (fulfillment, settings) => translateFulfillment(fulfillment, settings)),
    customers: reading(Customer, (customer) => translateCustomer(customer)),
  }),
);

const resourceOf: Record<EntityType, string> = {
  item: "products",
  price: "products",
  stock: "inventory_levels",
  order: "orders",
  shipment: "fulfillments",
  customer: "customers",
};

/** Topics of these resources whose messages only tell of the object: parts of it, or what is to become of it. Not all hold its fields. */
const hollowTopics = new Set([
  "customers/data_request",
  "customers/merge",
  "customers/purchasing_summary",
  "customers/redact",
  "orders/edited",
  "orders/risk_assessment_changed",
  "orders/shopify_protect_eligibility_changed",
]);

/**
 * A webhook (the topic in its header, the bare object as its body), or an answer of the REST API (an object or a list under its
 * name). A product holds items and prices; those the caller didn't ask for are left out.
 */
export async function receive(input: Omit<ReceiveInput, "settings">, settings: Settings): Promise<Received> {
  const topic = input.headers["x-shopify-topic"];
  if (topic?.endsWith("/delete") && topic !== "products/delete")
    return { kind: "ignored", reason: `${topic} names an id only; nothing is removed by a message` };
  const decoded = input.json === undefined ? decodeJson(input.body) : { kind: "json" as const, value: input.json };
  if (decoded.kind === "rejected") return decoded;
  if (!isRecord(decoded.value)) return rejected("must be a JSON object");
  if (topic === "products/delete") return goneProduct(decoded.value, input.headers);
  const found = find(decoded.value, topic, input.entityType);
  if (found.kind !== "found") return found;
  const values = found.values.filter((value) => input.isDevelopment === true || !isTest(value, input.headers));
  if (values.length === 0 && found.values.length > 0) return { kind: "ignored", reason: sentences["test-order"] };
  const translated = values.map((value) => found.translate(value, settings, input.entityType));
  const reasons = translated.flatMap((part) => part.reasons);
  if (reasons.length > 0) return { kind: "rejected", reasons: reasons.slice(0, 100) };
  const documents = translated
    .flatMap((part) => part.documents)
    .filter((document) => input.entityType === undefined || document.entityType === input.entityType);
  const wholes = translated.flatMap((part) => part.wholes ?? []);
  if (documents.length === 0 && wholes.length === 0) return { kind: "ignored", reason: "no document in the message" };
  return { kind: "documents", documents, wholes, remarks: translated.flatMap((part) => part.remarks ?? []) };
}

/**
 * An order of the shop's test gateway or of a gateway in its test mode: nobody has paid, and nobody waits for the goods. Of what the button for
 * test notifications sends, which is made up, a header says so.
 */
function isTest(value: unknown, headers: ReceiveInput["headers"]): boolean {
  return headers["x-shopify-test"] === "true" || (isRecord(value) && value["test"] === true);
}

/** Its body is the product's id; when the shop noticed stands in a header. */
function goneProduct(body: unknown, headers: ReceiveInput["headers"]): Received {
  const product = Deleted.safeParse(body);
  if (!product.success) return { kind: "rejected", reasons: reasonsOf(product.error) };
  return {
    kind: "documents",
    documents: [],
    wholes: [{ name: wholeName(product.data.id), skus: [], at: utcTime(headers["x-shopify-triggered-at"]) }],
  };
}

type Found = { kind: "found"; translate: Translate; values: unknown[] };

function find(body: Record<string, unknown>, topic: string | undefined, entityType: EntityType | undefined): Found | Received {
  // A topic decides alone: what a message holds beside or instead of its object may have the name of another.
  if (topic !== undefined) {
    const translate = hollowTopics.has(topic) ? undefined : translators.get(topic.split("/", 1)[0] ?? "");
    return translate
      ? { kind: "found", translate, values: [body] }
      : { kind: "ignored", reason: `topic ${topic.slice(0, 100)} is not moved` };
  }
  for (const [plural, translate] of translators) {
    const [list, single] = [body[plural], body[plural.slice(0, -1)]];
    // An order holds a list named fulfillments and more; a REST answer holds nothing else at this level.
    if (Array.isArray(list) && body["id"] === undefined) return { kind: "found", translate, values: list };
    if (isRecord(single) && body["id"] === undefined) return { kind: "found", translate, values: [single] };
  }
  if (entityType === undefined) return rejected("header x-shopify-topic is missing");
  // A bare order may be handed in for its shipments, a bare product for its stock.
  const resource =
    Array.isArray(body["line_items"]) && body["currency"] !== undefined
      ? "orders"
      : Array.isArray(body["variants"])
        ? "products"
        : resourceOf[entityType];
  const translate = translators.get(resource);
  return translate ? { kind: "found", translate, values: [body] } : rejected("unknown kind of message");
}

function reading<Schema extends z.ZodType>(
  schema: Schema,
  translate: (value: z.output<Schema>, settings: Settings, entityType: EntityType | undefined) => Translated,
): Translate {
  return (value, settings, entityType) => {
    const result = schema.safeParse(value);
    if (result.success) return translate(result.data, settings, entityType);
    return { documents: [], reasons: reasonsOf(result.error) };
  };
}
