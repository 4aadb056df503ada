import type { Item, Price, Stock } from "@crossdock/contract";
import { z } from "zod";
import type { Dead, ListedObject, Listing } from "../connector.ts";
import type { Call } from "../json-call.ts";
import { expectedOrder, listed, plainAmount, plainFlag, plainText } from "../listing.ts";
import { ask } from "./ask.ts";
import { Id } from "./call.ts";
import { Sku } from "./payloads.ts";
import type { Credentials, Settings } from "./settings.ts";
import { locationsOf, warehouseOf } from "./translate-goods.ts";

type Page = { settings: Settings; credentials: Credentials; cursor: string | null };

/** The most that the API gives in a page; and the inventory items that it takes in one question for levels, of which it gives 250. */
const pageSize = 250;
const levelsMax = 250;
const inventoryItemsMax = 50;

/** Lists go on behind the last id: what is made meanwhile comes at the end, and nothing moves from page to page. */
function behind(resource: string, { cursor }: Page, fields: string, more: Record<string, string> = {}): Call {
  const query = new URLSearchParams({ limit: String(pageSize), since_id: cursor ?? "0", fields, ...more });
  return { method: "GET", path: `${resource}.json?${query.toString()}` };
}

const productFields = "id,title,vendor,product_type,status,variants";
const Products = z.object({
  products: z.array(
    z.object({
      id: Id,
      title: z.string().nullish(),
      vendor: z.string().nullish(),
      product_type: z.string().nullish(),
      status: z.string().nullish(),
      variants: z
        .array(
          z.object({
            sku: Sku,
            barcode: z.string().nullish(),
            price: z.union([z.string(), z.number()]).nullish(),
            compare_at_price: z.union([z.string(), z.number()]).nullish(),
            inventory_item_id: Id.nullish(),
          }),
        )
        .default([]),
    }),
  ),
});
type Product = z.output<typeof Products>["products"][number];
type Variant = Product["variants"][number];

function variantsOf(products: Product[], toObject: (sku: string, variant: Variant, product: Product) => ListedObject[]): ListedObject[] {
  return products.flatMap((product) =>
    product.variants.flatMap((variant) => {
      const { sku } = variant;
      return sku === null ? [] : toObject(sku, variant, product);
    }),
  );
}

function nextOf(objects: readonly { id: string }[], limit = pageSize): string | null {
  return objects.length < limit ? null : (objects.at(-1)?.id ?? null);
}

const item = {
  next: (context: Page) =>
    ask(context, behind("products", context, productFields), Products, ({ products }) =>
      listed(
        variantsOf(products, (key, { barcode }, { title, vendor, product_type: type, status }) => [
          {
            key,
            fields: {
              name: plainText(title),
              brand: plainText(vendor),
              categories: plainText(type),
              barcode: plainText(barcode),
              isActive: plainFlag(status == null || status === "active"),
            },
          },
        ]),
        nextOf(products),
      ),
    ),
  expected: (document: Item, { newProductStatus }: Settings): ListedObject => {
    // Sisters share their product, so what differs between them can't be told from a difference.
    const ofProduct = {
      ...(document.brand != null && { brand: plainText(document.brand) }),
      ...(document.categories != null && { categories: plainText(document.categories[0]) }),
      // A draft is published by people.
      ...(newProductStatus === "active" && { isActive: plainFlag(document.isActive) }),
    };
    const title = document.group == null ? document.name : document.group.name;
    const fields = {
      ...(title != null && { name: plainText(title) }),
      ...(document.barcode != null && { barcode: plainText(document.barcode) }),
    };
    return { key: document.sku, fields: { ...fields, ...(document.group == null && ofProduct) } };
  },
};

const price = {
  next: (context: Page) =>
    ask(context, behind("products", context, productFields), Products, ({ products }) =>
      listed(
        variantsOf(products, (sku, variant) => [
          {
            key: `${sku}@${context.settings.priceList}`,
            fields: {
              "price.amount": plainAmount(variant.price),
              "compareAtPrice.amount": plainAmount(variant.compare_at_price),
            },
          },
        ]),
        nextOf(products),
      ),
    ),
  expected: (document: Price, { priceList, currency }: Settings): ListedObject | null => {
    const { sku, price: own, compareAtPrice } = document;
    if (document.priceList !== priceList || (currency !== undefined && own.currency !== currency)) return null;
    const fields = { "price.amount": plainAmount(own.amount), "compareAtPrice.amount": plainAmount(compareAtPrice?.amount) };
    return { key: `${sku}@${priceList}`, fields };
  },
};

const Levels = z.object({
  inventory_levels: z.array(z.object({ inventory_item_id: Id, location_id: Id, available: z.union([z.string(), z.number()]).nullish() })),
});

/** Levels name their item by an id of the shop: a page of products first, then the levels of their inventory items, some at a time. */
function nextStock(context: Page): Listing | Dead {
  const locations = locationsOf(context.settings);
  if ("kind" in locations) return locations;
  const step = Math.max(1, Math.min(inventoryItemsMax, Math.floor(levelsMax / locations.length)));
  return ask(context, behind("products", context, productFields, { limit: String(inventoryItemsMax) }), Products, ({ products }) => {
    const next = nextOf(products, inventoryItemsMax);
    const skus = new Map<string, string>();
    for (const { variants } of products)
      for (const { sku, inventory_item_id: id } of variants) if (id != null && sku !== null) skus.set(id, sku);
    return levelsOf(context, [...skus.keys()], { locations, step, skus, next }, []);
  });
}

type Asked = { locations: string[]; step: number; skus: ReadonlyMap<string, string>; next: string | null };

function levelsOf(context: Page, ids: string[], asked: Asked, found: ListedObject[]): Awaited<ReturnType<Listing["read"]>> {
  const { locations, step, skus, next } = asked;
  if (ids.length === 0) return listed(found, next);
  const query = new URLSearchParams({
    inventory_item_ids: ids.slice(0, step).join(","),
    location_ids: locations.join(","),
    limit: String(levelsMax),
  });
  const listing = ask(
    context,
    { method: "GET", path: `inventory_levels.json?${query.toString()}` },
    Levels,
    ({ inventory_levels: levels }) => {
      const more = levels.flatMap((level) => {
        const sku = skus.get(level.inventory_item_id);
        const key = `${sku ?? ""}@${warehouseOf(level.location_id, context.settings)}`;
        return sku === undefined ? [] : [{ key, fields: { quantity: plainAmount(level.available) } }];
      });
      return levelsOf(context, ids.slice(step), asked, [...found, ...more]);
    },
  );
  return "kind" in listing ? listing : { kind: "listing", listing };
}

const stock = {
  next: nextStock,
  expected: ({ sku, warehouse, quantity }: Stock, { locationId, locationIds }: Settings): ListedObject | null => {
    const isKept = Object.hasOwn(locationIds, warehouse) || (warehouse === "default" && locationId !== undefined);
    return isKept ? { key: `${sku}@${warehouse}`, fields: { quantity: plainAmount(quantity) } } : null;
  },
};

const Orders = z.object({
  orders: z.array(z.object({ id: Id, name: z.string(), currency: z.string().nullish(), cancelled_at: z.string().nullish() })),
});

const order = {
  next: (context: Page) =>
    ask(context, behind("orders", context, "id,name,currency,cancelled_at", { status: "any" }), Orders, ({ orders }) =>
      listed(
        orders.map(({ name, currency, cancelled_at: cancelledAt }) => ({
          key: name.replace(/^#/, ""),
          fields: { status: cancelledAt == null ? "open" : "cancelled", currency: plainText(currency) },
        })),
        nextOf(orders),
      ),
    ),
  expected: expectedOrder,
};

export const list = { item, price, stock, order };
