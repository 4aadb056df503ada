import type { Item, Price, Stock } from "@crossdock/contract";
import { z } from "zod";
import type { ListedObject, ListedPage } from "../connector.ts";
import type { Call } from "../json-call.ts";
import { expectedOrder, listed, plainAmount, plainFlag, plainText } from "../listing.ts";
import { withAllVariants } from "./all-variants.ts";
import { ask } from "./ask.ts";
import { Id } from "./call.ts";
import { askLevels } from "./levels.ts";
import { Sku } from "./payloads.ts";
import type { Credentials, Settings } from "./settings.ts";
import { warehouseOf } from "./translate-goods.ts";

type Page = { settings: Settings; credentials: Credentials; cursor: string | null };

/** The most that the API gives in a page. */
const pageSize = 250;

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
          }),
        )
        .default([]),
    }),
  ),
});
type Product = z.output<typeof Products>["products"][number];
type Variant = Product["variants"][number];

/** The variants of a page of products. */
function listVariants(context: Page, toObject: (sku: string, variant: Variant, product: Product) => ListedObject) {
  return ask(context, behind("products", context, productFields), Products, ({ products: shown }) =>
    withAllVariants<Product, ListedPage>(context, shown, (products, all) => {
      const objects = products.flatMap((product) =>
        (all.get(product) ?? product.variants).flatMap((variant) =>
          variant.sku === null ? [] : [toObject(variant.sku, variant, product)],
        ),
      );
      return listed(objects, products.length < shown.length ? (products.at(-1)?.id ?? null) : nextOf(shown));
    }),
  );
}

function nextOf(objects: readonly { id: string }[]): string | null {
  return objects.length < pageSize ? null : (objects.at(-1)?.id ?? null);
}

const item = {
  next: (context: Page) =>
    listVariants(context, (key, { barcode }, { title, vendor, product_type: type, status }) => ({
      key,
      fields: {
        name: plainText(title),
        brand: plainText(vendor),
        categories: plainText(type),
        barcode: plainText(barcode),
        isActive: plainFlag(status == null || status === "active"),
      },
    })),
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
    listVariants(context, (sku, variant) => ({
      key: `${sku}@${context.settings.priceList}`,
      fields: { "price.amount": plainAmount(variant.price), "compareAtPrice.amount": plainAmount(variant.compare_at_price) },
    })),
  expected: (document: Price, { priceList, currency }: Settings): ListedObject | null => {
    const { sku, price: own, compareAtPrice } = document;
    if (document.priceList !== priceList || (currency !== undefined && own.currency !== currency)) return null;
    const fields = { "price.amount": plainAmount(own.amount), "compareAtPrice.amount": plainAmount(compareAtPrice?.amount) };
    return { key: `${sku}@${priceList}`, fields };
  },
};

const stock = {
  next: (context: Page) =>
    askLevels(context, {}, context.cursor, (levels, next) =>
      listed(
        levels.flatMap(({ sku, level }) => {
          const key = `${sku ?? ""}@${warehouseOf(level.location_id, context.settings)}`;
          return sku === null ? [] : [{ key, fields: { quantity: plainAmount(level.available) } }];
        }),
        next,
      ),
    ),
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
