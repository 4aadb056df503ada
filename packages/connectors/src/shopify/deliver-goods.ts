import { createHash } from "node:crypto";
import type { Item, Price, Stock } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { Anything, later, next } from "../json-call.ts";
import { foreignCurrency } from "../price-guards.ts";
import { stated } from "../stated.ts";
import { isDeleted } from "../unsold-items.ts";
import { type Delivery, Id, PageInfo, call } from "./call.ts";
import { Sku } from "./payloads.ts";
import type { Settings } from "./settings.ts";

/** A variant's three ids. As an item's external id: `product/variant/inventory item`. */
type VariantIds = { productId: string; variantId: string; inventoryItemId: string };

const AnsweredVariant = z.object({ id: Id, product_id: Id, inventory_item_id: Id });
const ProductAnswer = z.object({ product: z.object({ id: Id, variants: z.array(AnsweredVariant.extend({ sku: Sku })) }) });
const Options = z
  .array(z.object({ name: z.string() }))
  .nullish()
  .transform((options) => (options ?? []).map(({ name }) => name));
const UpdatedProduct = z.object({
  product: z
    .object({ options: Options, variants: z.array(z.object({ id: Id, inventory_quantity: z.number().nullish() })).nullish() })
    .nullish(),
});
const VariantAnswer = z.object({ variant: AnsweredVariant });

/**
 * Known: update product, then variant (an update of the product that named the one variant would delete its sisters).
 * Unknown: look the sku up first, since a create that was answered too late must not be repeated; then create the product, or the
 * variant in its group's product. The shop's search comes after its changes by some seconds: the handle is asked for too.
 */
export function deliverItem(delivery: Delivery<Item>): OutboundRequest {
  const { document, input } = delivery;
  const ids = readItemId(input.externalId);
  if (ids) return updateItem(delivery, ids);
  return findVariant(delivery, document.sku, (found) => {
    if (found) return next(updateItem(delivery, found));
    return next(findProduct(delivery));
  });
}

const ShopAnswer = z.object({ shop: z.object({ currency: z.string() }) });

export function deliverPrice(delivery: Delivery<Price>): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.priceList !== settings.priceList) return dead("price-list", `the shop takes price list ${settings.priceList} only`);
  const own = settings.currency;
  if (own !== undefined) return foreignCurrency(document, own) ?? writePrice(delivery);
  return call(
    delivery,
    { method: "GET", path: "shop.json" },
    ShopAnswer,
    ({ shop: { currency } }) => foreignCurrency(document, currency) ?? next(writePrice(delivery)),
  );
}

function writePrice(delivery: Delivery<Price>): OutboundRequest {
  const { document, input } = delivery;
  const setPrice = (variantId: string) => {
    const variant = { id: Number(variantId), price: document.price.amount, compare_at_price: document.compareAtPrice?.amount ?? null };
    return call(delivery, { method: "PUT", path: `variants/${variantId}.json`, body: { variant } }, Anything, () => ({
      kind: "delivered",
      externalId: variantId,
    }));
  };
  if (isId(input.externalId)) return setPrice(input.externalId);
  return findVariant(delivery, document.sku, (found) => (found ? next(setPrice(found.variantId)) : notThereYet()));
}

export function deliverStock(delivery: Delivery<Stock>): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const locationId = locationOf(document.warehouse, settings);
  if (locationId === undefined)
    return dead("mapping-missing", `mapping missing: no location for warehouse '${document.warehouse}' in the settings`);
  const available = toWholeNumber(document.quantity);
  if (available === null) return dead("fraction", `Shopify counts whole pieces; the quantity is ${document.quantity}`);
  const setLevel = (inventoryItemId: string) => {
    const body = { location_id: Number(locationId), inventory_item_id: Number(inventoryItemId), available };
    return call(delivery, { method: "POST", path: "inventory_levels/set.json", body }, Anything, () => ({
      kind: "delivered",
      externalId: inventoryItemId,
    }));
  };
  if (isId(input.externalId)) return setLevel(input.externalId);
  return findVariant(delivery, document.sku, (found) => (found ? next(setLevel(found.inventoryItemId)) : notThereYet()));
}

export function locationOf(warehouse: string, { locationIds, locationId }: Settings): string | undefined {
  if (Object.hasOwn(locationIds, warehouse)) return locationIds[warehouse];
  return warehouse === "default" ? locationId : undefined;
}

function isId(externalId: string | null): externalId is string {
  return externalId !== null && /^[0-9]{1,16}$/.test(externalId);
}

function readItemId(externalId: string | null): VariantIds | null {
  const [, productId, variantId, inventoryItemId] = /^(\d{1,16})\/(\d{1,16})\/(\d{1,16})$/.exec(externalId ?? "") ?? [];
  return productId !== undefined && variantId !== undefined && inventoryItemId !== undefined
    ? { productId, variantId, inventoryItemId }
    : null;
}

function itemId({ productId, variantId, inventoryItemId }: VariantIds): string {
  return `${productId}/${variantId}/${inventoryItemId}`;
}

const variantQuery = `query ($query: String!, $after: String) {
  productVariants(first: 50, after: $after, query: $query) {
    nodes { sku legacyResourceId product { legacyResourceId } inventoryItem { legacyResourceId } } pageInfo { hasNextPage endCursor }
  }
}`;

const Reference = z.object({ legacyResourceId: Id });
const VariantsAnswer = z.object({
  data: z.object({
    productVariants: z.object({
      nodes: z.array(Reference.extend({ sku: Sku, product: Reference, inventoryItem: Reference })),
      pageInfo: PageInfo,
    }),
  }),
});
type FoundVariant = z.output<typeof VariantsAnswer>["data"]["productVariants"]["nodes"][number];

/**
 * REST can't search by sku, so this one question goes to GraphQL. It ignores letter case and finds words within longer skus; the answer is
 * compared exactly, to its last page.
 */
function findVariant(
  delivery: Delivery<unknown>,
  sku: string,
  then: (found: VariantIds | null) => Verdict,
  after: string | null = null,
  before: readonly FoundVariant[] = [],
): OutboundRequest {
  const body = { query: variantQuery, variables: { query: `sku:"${sku.replace(/["\\]/g, "\\$&")}"`, after } };
  return call(delivery, { method: "POST", path: "graphql.json", body }, VariantsAnswer, ({ data: { productVariants } }) => {
    const { nodes, pageInfo } = productVariants;
    const same = [...before, ...nodes.filter((node) => node.sku === sku)];
    const [found, ...others] = same;
    // The others would keep a price and a stock that are no longer true.
    if (others.length > 0)
      return dead("sku-ambiguous", "several variants of the shop have this sku: give each its own, then requeue the message");
    if (pageInfo.hasNextPage) return next(findVariant(delivery, sku, then, pageInfo.endCursor, same));
    if (!found) return then(null);
    return then({
      productId: found.product.legacyResourceId,
      variantId: found.legacyResourceId,
      inventoryItemId: found.inventoryItem.legacyResourceId,
    });
  });
}

/** Items, prices and stock travel in queues of their own; a price may be faster than its item. */
function notThereYet(): Verdict {
  return later("item-unknown", "the shop has no variant with this sku yet");
}

/**
 * The shop hides whole products only. One whose variant is no longer sold is archived where that is its only one, or none of them is sold any more;
 * otherwise its sisters stay on sale, and this one goes as far as its stock, which for one that its source deleted has to be none.
 */
function updateItem(delivery: Delivery<Item>, ids: VariantIds): OutboundRequest {
  const { document, settings } = delivery;
  const policy = document.isActive ? {} : { inventory_policy: "deny" };
  const updateVariant = (options: readonly string[], verdict: Verdict = { kind: "delivered", externalId: itemId(ids) }) => {
    const variant = { id: Number(ids.variantId), ...variantFields(document, options), ...policy };
    return call(delivery, { method: "PUT", path: `variants/${ids.variantId}.json`, body: { variant } }, Anything, () => verdict);
  };
  const update = (product: object, read: (answer: z.output<typeof UpdatedProduct>) => Verdict) =>
    call(
      delivery,
      { method: "PUT", path: `products/${ids.productId}.json`, body: { product: { id: Number(ids.productId), ...product } } },
      UpdatedProduct,
      read,
    );
  // Where new products wait as drafts, people publish them.
  const status = document.isActive && settings.newProductStatus === "active" ? { status: "active" } : {};
  return update({ ...productFields(document), ...status }, ({ product }) => {
    const [variants, options] = [product?.variants ?? [], product?.options ?? []];
    const isOver = variants.length <= 1 || document.group?.isActive === false;
    if (!document.isActive && isOver) return next(update({ status: "archived" }, () => next(updateVariant(options))));
    const pieces = variants.find(({ id }) => id === ids.variantId)?.inventory_quantity ?? 0;
    return next(updateVariant(options, isDeleted(document) && pieces > 0 ? stillOnSale(pieces) : undefined));
  });
}

/** Passes when its stock has come, or people have taken the variant out. */
function stillOnSale(pieces: number): Verdict {
  const message = `the shop hides whole products only: this variant of several is deleted at its source and sold until its stock is none; ${pieces} left`;
  return later("variant-on-sale", message);
}

function createProduct(delivery: Delivery<Item>): OutboundRequest {
  const { document, settings } = delivery;
  const options = (document.options ?? []).slice(0, optionsMax).map(({ name }) => ({ name }));
  const product = {
    title: document.name ?? document.sku,
    ...productFields(document),
    status: document.isActive ? settings.newProductStatus : "draft",
    handle: handleOf(document.group?.key ?? document.sku),
    ...(options.length === 0 ? {} : { options }),
    // Only here: sent with an update, they would be fetched and stored again each time.
    images: (document.images ?? []).map(({ url, altText }) => ({ src: url, alt: altText ?? null })),
    variants: [variantFields(document, [])],
  };
  return call(delivery, { method: "POST", path: "products.json", body: { product } }, ProductAnswer, ({ product: { variants } }) => {
    const variant = variants.find(({ sku }) => sku === document.sku) ?? variants[0];
    return variant ? deliveredVariant(variant) : dead("unexpected-answer", "the created product has no variant");
  });
}

const ProductsAnswer = z.object({
  products: z.array(z.object({ id: Id, options: Options, variants: z.array(AnsweredVariant.extend({ sku: Sku })).default([]) })),
});

/** By handle, which is exact and at once: the item itself, where an earlier try has made it, or the product of its group. */
function findProduct(delivery: Delivery<Item>): OutboundRequest {
  const { group, sku } = delivery.document;
  const path = `products.json?${new URLSearchParams({ handle: handleOf(group?.key ?? sku), fields: "id,options,variants" }).toString()}`;
  return call(delivery, { method: "GET", path }, ProductsAnswer, ({ products: [product] }) => {
    const made = product?.variants.find((variant) => variant.sku === sku);
    if (made) return next(updateItem(delivery, idsOf(made)));
    if (isDeleted(delivery.document)) return { kind: "delivered" };
    return next(product && group != null ? createVariant(delivery, product) : createProduct(delivery));
  });
}

function createVariant(delivery: Delivery<Item>, { id, options }: { id: string; options: readonly string[] }): OutboundRequest {
  const body = { variant: variantFields(delivery.document, options) };
  return call(delivery, { method: "POST", path: `products/${id}/variants.json`, body }, VariantAnswer, ({ variant }) =>
    deliveredVariant(variant),
  );
}

function deliveredVariant(variant: z.output<typeof AnsweredVariant>): Verdict {
  return { kind: "delivered", externalId: itemId(idsOf(variant)) };
}

function idsOf(variant: z.output<typeof AnsweredVariant>): VariantIds {
  return { productId: variant.product_id, variantId: variant.id, inventoryItemId: variant.inventory_item_id };
}

function productFields(item: Item) {
  return stated({
    title: item.group == null ? item.name : item.group.name,
    body_html: htmlOf(item),
    vendor: item.brand,
    product_type: item.categories && (item.categories[0] ?? ""),
    tags: item.tags?.join(", "),
  });
}

/** A product has no more. */
export const optionsMax = 3;

/**
 * An item's values in the order of its product's options, which is that of the item that made it: they are known by their names. What the
 * product has no option for comes behind them; where it has none of them, the shop has names of its own, and the order is all there is.
 */
function optionValues({ options }: Item, names: readonly string[]): (string | undefined)[] {
  const own = (options ?? []).map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  const there = names.map((name) => name.toLowerCase());
  const placed = there.map((name) => own.find((option) => option.name === name)?.value);
  if (placed.every((value) => value === undefined)) return own.map(({ value }) => value);
  return [...placed, ...own.flatMap(({ name, value }) => (there.includes(name) ? [] : [value]))];
}

/** `names` are the options of the product that the variant is one of; none of one that is still to be made. */
function variantFields(item: Item, names: readonly string[]) {
  const [option1, option2, option3] = optionValues(item, names);
  // Variants of one product differ by their options; without any, the sku does.
  const isBare = (item.options ?? []).length === 0;
  return {
    sku: item.sku,
    inventory_management: "shopify",
    ...(item.weight == null ? {} : { weight: Number(item.weight.value), weight_unit: item.weight.unit }),
    ...stated({
      barcode: item.barcode,
      option1: isBare && item.group != null ? item.sku : option1,
      option2,
      option3,
    }),
  };
}

/**
 * A product's name in its address; the same key gives the same handle, which is how a group is found again. Keys that differ in nothing but
 * what an address can't hold ("A/1" and "A-1") have the end of their hash behind it, or one would be put into the other's product. Plain letters
 * only: of others the shop makes some that it chooses. https://help.shopify.com/themes/customization/collections/special-characters-in-handles
 */
function handleOf(key: string): string {
  const handle = key
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  if (handle === key) return handle;
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 12);
  return handle === "" ? hash : `${handle}-${hash}`;
}
