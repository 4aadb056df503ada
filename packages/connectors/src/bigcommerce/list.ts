import type { Item, Price, Stock } from "@crossdock/contract";
import type { ListedObject, Listing } from "../connector.ts";
import { isNegative } from "../decimal.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { expectedOrder, listed, numberedPages, plainAmount, plainFlag, plainText } from "../listing.ts";
import { convertWeight } from "../weights.ts";
import { nameOf } from "./deliver-goods.ts";
import { type Context, call, manners } from "./call.ts";
import type { Settings } from "./settings.ts";

/** The most that v3 gives in a page; of v2, what its orders are asked for at a time. */
const pageSize = 250;
const ordersSize = 50;

type Page = Context & { cursor: string | null };
type Fields = Record<string, unknown>;

/** v3 wraps its lists and tells how many pages there are. */
function pages(context: Page, path: string, objectsOf: (object: Fields) => ListedObject[]): Listing {
  return numberedPages({
    cursor: context.cursor,
    manners,
    request: (page) => call(context, { method: "GET", path: `${path}&limit=${pageSize}&page=${page}` }, Anything, () => delivered()),
    read: (body, page) => {
      const answer = isRecord(body) ? body : {};
      const { pagination } = isRecord(answer["meta"]) ? answer["meta"] : {};
      const objects = Array.isArray(answer["data"]) ? answer["data"].filter(isRecord) : [];
      const count = isRecord(pagination) ? Number(pagination["total_pages"] ?? 1) : 1;
      return { objects: objects.flatMap(objectsOf), hasMore: objects.length > 0 && page < count };
    },
  });
}

function hasOptions({ option_values: values }: Fields): boolean {
  return Array.isArray(values) && values.length > 0;
}

const item = {
  next: (context: Page) =>
    pages(context, "v3/catalog/products?sort=id&include=variants", (product) => {
      const isVisible = product["is_visible"] !== false;
      const whole = { isActive: plainFlag(isVisible), weight: plainAmount(product["weight"]), barcode: plainText(product["upc"]) };
      const variants = Array.isArray(product["variants"]) ? product["variants"].filter(isRecord) : [];
      return (variants.length === 0 ? [product] : variants).flatMap((variant): ListedObject[] => {
        const sku = plainText(variant["sku"]);
        if (sku === null) return [];
        if (!hasOptions(variant)) return [{ key: sku, fields: { ...whole, name: plainText(product["name"]) } }];
        // Its name is the product's, which is not written.
        const own = {
          isActive: plainFlag(isVisible && variant["purchasing_disabled"] !== true),
          weight: plainAmount(variant["weight"]) ?? whole.weight,
          barcode: plainText(variant["upc"]),
        };
        return [{ key: sku, fields: own }];
      });
    }),
  expected: (document: Item, { weightUnit }: Settings): ListedObject => ({
    key: document.sku,
    fields: {
      isActive: plainFlag(document.isActive),
      ...(document.name == null ? {} : { name: plainText(nameOf(document)) }),
      ...(document.weight == null ? {} : { weight: plainAmount(convertWeight(document.weight, weightUnit)) }),
      ...(document.barcode == null ? {} : { barcode: plainText(document.barcode) }),
    },
  }),
};

function pricesOf(record: Fields): Record<string, string | null> {
  const [ordinary, sale] = [plainAmount(record["price"]), plainAmount(record["sale_price"])];
  const reduced = sale === "0" ? null : sale;
  return { "price.amount": reduced ?? ordinary, "compareAtPrice.amount": reduced === null ? null : ordinary };
}

/** The catalogue's own prices first, then price list by price list: the cursor is `list:page`, 0 for the catalogue. */
function nextPrices(context: Page): Listing {
  const lists = Object.entries(context.settings.priceListIds);
  const [, at = "0", page = "1"] = /^(\d{1,4}):(\d{1,9})$/.exec(context.cursor ?? "") ?? [];
  const named = lists[Number(at) - 1];
  const [path, list] = named
    ? [`v3/pricelists/${named[1]}/records?include=sku`, named[0]]
    : ["v3/catalog/variants?sort=id", context.settings.priceList];
  const inner = pages({ ...context, cursor: page }, path, (record) => {
    const [sku, currency] = [plainText(record["sku"]), plainText(record["currency"])];
    const fields: ListedObject["fields"] = { ...pricesOf(record), ...(named && { "price.currency": currency?.toUpperCase() ?? null }) };
    return sku === null || fields["price.amount"] === null ? [] : [{ key: `${sku}@${list}`, fields }];
  });
  return {
    request: inner.request,
    read: async (response) => {
      const result = await inner.read(response);
      if (result.kind !== "listed") return result;
      const following = Number(at) < lists.length ? `${Number(at) + 1}:1` : null;
      return listed(result.objects, result.next === null ? following : `${at}:${result.next}`);
    },
  };
}

const price = {
  next: nextPrices,
  expected: (document: Price, { priceList, priceListIds }: Settings): ListedObject | null => {
    const isOfList = Object.hasOwn(priceListIds, document.priceList);
    if (!isOfList && document.priceList !== priceList) return null;
    const amounts = {
      "price.amount": plainAmount(document.price.amount),
      "compareAtPrice.amount": plainAmount(document.compareAtPrice?.amount),
      ...(isOfList && { "price.currency": document.price.currency }),
    };
    return { key: `${document.sku}@${document.priceList}`, fields: amounts };
  },
};

const stock = {
  next: (context: Page) => {
    const warehouses = new Map(Object.entries(context.settings.locationIds).map(([warehouse, id]) => [String(id), warehouse]));
    return pages(context, `v3/inventory/items?location_id:in=${[...warehouses.keys()].join(",")}`, ({ identity, locations }) => {
      const sku = isRecord(identity) ? plainText(identity["sku"]) : null;
      return (Array.isArray(locations) ? locations.filter(isRecord) : []).flatMap((level) => {
        const warehouse = warehouses.get(String(level["location_id"]));
        const fields = { quantity: plainAmount(level["total_inventory_onhand"]) };
        return sku === null || warehouse === undefined ? [] : [{ key: `${sku}@${warehouse}`, fields }];
      });
    });
  },
  expected: ({ sku, warehouse, quantity }: Stock, { locationIds }: Settings): ListedObject | null =>
    Object.hasOwn(locationIds, warehouse)
      ? { key: `${sku}@${warehouse}`, fields: { quantity: plainAmount(isNegative(quantity) ? "0" : quantity) } }
      : null,
};

/** Cancelled, declined and refunded. */
const cancelled = new Set([4, 5, 6]);

const order = {
  next: (context: Page) =>
    numberedPages({
      cursor: context.cursor,
      manners,
      request: (page) =>
        call(context, { method: "GET", path: `v2/orders?sort=id:asc&limit=${ordersSize}&page=${page}` }, Anything, () => delivered()),
      read: (body) => {
        const orders = Array.isArray(body) ? body.filter(isRecord) : [];
        const objects = orders.flatMap((found): ListedObject[] => {
          const key = plainText(found["external_order_id"]);
          const fields = {
            status: cancelled.has(Number(found["status_id"])) ? "cancelled" : "open",
            currency: plainText(found["default_currency_code"]) ?? plainText(found["currency_code"]),
          };
          return key === null ? [] : [{ key, fields }];
        });
        return { objects, hasMore: orders.length >= ordersSize };
      },
    }),
  expected: expectedOrder,
};

/** What the store shows of what it was given. Its own orders, without a number from elsewhere, are none of it. */
export const list = { item, price, stock, order };
