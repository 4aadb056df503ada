import type { Item, Order, Price, Stock } from "@crossdock/contract";
import type { Dead, ListedObject, Listing } from "../connector.ts";
import { htmlOf } from "../descriptions.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { numberedPages, plainAmount, plainFlag, plainText } from "../listing.ts";
import { convertWeight } from "../weights.ts";
import { type Context, call, isComplete, manners, searchCriteria } from "./call.ts";
import type { Settings } from "./settings.ts";

const pageSize = 200;

type Page = Context & { cursor: string | null };
type Condition = [field: string, condition: string, value: string];

/** The store gives its last page again when asked beyond it, so its total count says where the end is. */
function pages(
  context: Page,
  path: string,
  sortBy: readonly string[],
  conditions: Condition[],
  objectsOf: (object: Record<string, unknown>) => ListedObject[],
): Listing | Dead {
  return (
    isComplete(context.credentials) ??
    numberedPages({
      cursor: context.cursor,
      manners,
      request: (page) =>
        call(context, { method: "GET", path: `${path}?${searchCriteria(conditions, pageSize, page, sortBy)}` }, Anything, () =>
          delivered(),
        ),
      read: (body, page) => {
        const answer = isRecord(body) ? body : {};
        const objects = Array.isArray(answer["items"]) ? answer["items"].filter(isRecord) : [];
        return { objects: objects.flatMap(objectsOf), hasMore: objects.length > 0 && page * pageSize < Number(answer["total_count"] ?? 0) };
      },
    })
  );
}

function attribute(product: Record<string, unknown>, code: string): unknown {
  const attributes = Array.isArray(product["custom_attributes"]) ? product["custom_attributes"].filter(isRecord) : [];
  return attributes.find((each) => each["attribute_code"] === code)?.["value"];
}

const item = {
  next: (context: Page) =>
    pages(context, "V1/products", ["entity_id"], [], (product) => [
      {
        key: String(product["sku"]),
        fields: {
          name: plainText(product["name"]),
          isActive: plainFlag(product["status"] !== 2),
          weight: plainAmount(product["weight"]),
          description: plainText(attribute(product, "description")),
        },
      },
    ]),
  // What a document leaves open is not written, so the store may hold anything there.
  expected: (document: Item, { weightUnit }: Settings): ListedObject => ({
    key: document.sku,
    fields: {
      ...(document.name == null ? {} : { name: plainText(document.name) }),
      isActive: plainFlag(document.isActive),
      ...(document.weight == null ? {} : { weight: plainAmount(convertWeight(document.weight, weightUnit)) }),
      ...(document.description == null ? {} : { description: plainText(htmlOf(document)) }),
    },
  }),
};

const price = {
  next: (context: Page) =>
    pages(context, "V1/products", ["entity_id"], [], (product) => {
      const [ordinary, special] = [plainAmount(product["price"]), plainAmount(attribute(product, "special_price"))];
      const fields = { "price.amount": special ?? ordinary, "compareAtPrice.amount": special === null ? null : ordinary };
      // A product without a price has the price 0.
      return ordinary === null || ordinary === "0" ? [] : [{ key: `${String(product["sku"])}@${context.settings.priceList}`, fields }];
    }),
  expected: ({ sku, priceList, price: { amount }, compareAtPrice }: Price, settings: Settings): ListedObject | null =>
    priceList !== settings.priceList
      ? null
      : {
          key: `${sku}@${priceList}`,
          fields: { "price.amount": plainAmount(amount), "compareAtPrice.amount": plainAmount(compareAtPrice?.amount) },
        },
};

const stock = {
  next: (context: Page) => {
    const warehouses = new Map(Object.entries(context.settings.sources).map(([warehouse, source]) => [source, warehouse]));
    const conditions: Condition[] = [["source_code", "in", [...warehouses.keys()].join(",")]];
    return pages(context, "V1/inventory/source-items", ["sku", "source_code"], conditions, (level) => {
      const warehouse = warehouses.get(String(level["source_code"]));
      return warehouse === undefined
        ? []
        : [{ key: `${String(level["sku"])}@${warehouse}`, fields: { quantity: plainAmount(level["quantity"]) } }];
    });
  },
  expected: ({ sku, warehouse, quantity }: Stock, { sources }: Settings): ListedObject | null =>
    Object.hasOwn(sources, warehouse) ? { key: `${sku}@${warehouse}`, fields: { quantity: plainAmount(quantity) } } : null,
};

const order = {
  next: (context: Page) =>
    pages(context, "V1/orders", ["entity_id"], [["ext_order_id", "notnull", "1"]], (found) => [
      {
        key: String(found["ext_order_id"]),
        fields: {
          status: found["state"] === "canceled" ? "cancelled" : "open",
          currency: plainText(found["order_currency_code"]),
          "totals.total.amount": plainAmount(found["grand_total"]),
        },
      },
    ]),
  expected: (document: Order): ListedObject | null => {
    const isCancelled = document.status === "cancelled";
    return document.kind === "cancellation"
      ? null
      : {
          key: document.orderNumber,
          fields: {
            status: isCancelled ? "cancelled" : "open",
            currency: document.currency,
            ...(document.totals?.total == null ? {} : { "totals.total.amount": plainAmount(document.totals.total.amount) }),
          },
          // One that was cancelled before it arrived is never made.
          ...(isCancelled && { mayBeMissing: true }),
        };
  },
};

/** What the store shows of what it was given. Its own orders, without a number from elsewhere, are none of it. */
export const list = { item, price, stock, order };
