import { reasons as sentences } from "@crossdock/contract";
import { type Dead, type Reason, type ReceivedDocument, type Whole, dead } from "../connector.ts";
import { isReduced } from "../price-guards.ts";
import { tagsOf, textOrNull } from "./texts.ts";
import type { InventoryLevel, Product, Variant } from "./payloads.ts";
import type { Settings } from "./settings.ts";

export type Translated = { documents: ReceivedDocument[]; reasons: Reason[]; wholes?: Whole[]; remarks?: Reason[] };

const weightUnits = new Set(["g", "kg", "oz", "lb"]);

/** The most variants that a product of the REST API shows; it may have more. */
export const variantsShownMax = 100;

/** Items, prices and, when the settings say so, stock of a product: one of each for every variant. */
export function translateProduct(product: Product, settings: Settings): Translated {
  const translated: Translated = { documents: [], reasons: [] };
  const partOf = wholeName(product.id);
  const skus = new Set<string>();
  const shared = sharedFields(product);
  for (const [index, variant] of (product.variants ?? []).entries()) {
    const sku = skuOf(variant, settings);
    if (sku === null) {
      if (settings.missingSku === "reject")
        translated.reasons.push({ path: `variants.${index}.sku`, message: sentences["variant-without-sku"] });
      continue;
    }
    // The later variant would take the place of the earlier one.
    if (skus.has(sku)) {
      translated.reasons.push({ path: `variants.${index}.sku`, message: sentences["sku-repeated"] });
      continue;
    }
    skus.add(sku);
    translated.documents.push({ entityType: "item", document: itemOf(product, shared, variant, sku), partOf });
    addPrice(translated, variant, sku, `variants.${index}`, settings);
    if (settings.stockFromProducts && isCounted(variant) && variant.inventory_quantity != null) {
      const document = { sku, warehouse: "default", quantity: variant.inventory_quantity, updatedAt: variant.updated_at ?? null };
      translated.documents.push({ entityType: "stock", document, partOf });
    }
  }
  const [shown, count] = [product.variants?.length ?? 0, product.variant_gids?.length ?? 0];
  const message = `the message shows ${shown} of the product's ${count} variants; a schedule that polls the shop takes them all`;
  if (shown < count) return { ...translated, remarks: [{ path: "variants", message }] };
  return showsAll(product) ? { ...translated, wholes: [{ name: partOf, skus: [...skus], at: product.updated_at ?? null }] } : translated;
}

/** Webhooks since API version 2024-07 don't say who counts a variant. https://shopify.dev/changelog/product-variant-field-cleanup */
function isCounted({ inventory_management: counter }: Variant): boolean {
  return counter === undefined || counter === "shopify";
}

function showsAll({ variants, variant_gids: ids }: Product): boolean {
  return variants != null && variants.length > 0 && (ids != null || variants.length < variantsShownMax);
}

/** What a product's items and stock are known as parts of. */
export function wholeName(productId: string): string {
  return `product/${productId}`;
}

/** A variant on its own tells a price only; an item needs its product. */
export function translateVariant(variant: Variant, settings: Settings): Translated {
  const translated: Translated = { documents: [], reasons: [] };
  const sku = skuOf(variant, settings);
  if (sku === null) translated.reasons.push({ path: "sku", message: sentences["variant-without-sku"] });
  else addPrice(translated, variant, sku, "", settings);
  return translated;
}

/** Levels name their item by an id of Shopify; the sku has to be put beside it by whoever asked for them. */
export function translateInventoryLevel(level: InventoryLevel, settings: Settings): Translated {
  const { sku, available } = level;
  // The shop doesn't count the item: none is not what is left of it.
  if (available === null) return { documents: [], reasons: [] };
  if (sku === null) {
    const message = `the message names inventory item ${level.inventory_item_id} and no sku; take stock from product messages (stockFromProducts)`;
    return { documents: [], reasons: [{ path: "sku", message }] };
  }
  const document = { sku, warehouse: warehouseOf(level.location_id, settings), quantity: available, updatedAt: level.updated_at ?? null };
  return { documents: [{ entityType: "stock", document }], reasons: [] };
}

/** The warehouse that a location stands for; a location that the settings don't name is a warehouse by its id. */
export function warehouseOf(locationId: string, { locationId: defaultId, locationIds }: Settings): string {
  if (locationId === defaultId) return "default";
  return Object.entries(locationIds).find(([, id]) => id === locationId)?.[0] ?? locationId;
}

/** The locations that stand for warehouses. */
export function locationsOf({ locationId, locationIds }: Settings): string[] | Dead {
  const locations = [...new Set([...Object.values(locationIds), ...(locationId === undefined ? [] : [locationId])])];
  return locations.length > 0 ? locations : dead("configuration", "settings: locationId and locationIds are missing");
}

function skuOf(variant: Variant, { missingSku }: Settings): string | null {
  return variant.sku ?? (missingSku === "variant-id" ? variant.id : null);
}

/** An unlisted product is sold to whoever has its address. */
const soldStatuses = new Set(["active", "unlisted"]);

/** What all variants have of their product. Made once: for each of them it would be more than the memory holds. */
function sharedFields(product: Product) {
  const description = textOrNull(product.body_html);
  const type = textOrNull(product.product_type);
  return {
    description,
    descriptionFormat: description === null ? null : "html",
    brand: textOrNull(product.vendor),
    categories: type === null ? [] : [type],
    tags: tagsOf(product.tags),
    images: (product.images ?? []).flatMap(({ src, alt }) => (src ? [{ url: src, altText: alt ?? null }] : [])),
  };
}

function itemOf(product: Product, shared: ReturnType<typeof sharedFields>, variant: Variant, sku: string) {
  const isOnlyOne = (product.variants ?? []).length === 1;
  const values = [variant.option1, variant.option2, variant.option3];
  const options = (product.options ?? []).slice(0, values.length).flatMap(({ name }, index) => {
    const value = textOrNull(values[index]);
    // Products without options have one option all the same, named Title.
    return value === null || (name === "Title" && value === "Default Title") ? [] : [{ name, value }];
  });
  const unit = variant.weight_unit ?? "";
  const isSold = product.status == null || soldStatuses.has(product.status);
  return {
    sku,
    name: textOrNull(
      isOnlyOne || options.length === 0 ? product.title : `${product.title ?? ""} - ${options.map((option) => option.value).join(" / ")}`,
    ),
    group: { key: product.id, name: textOrNull(product.title), isActive: isSold },
    options,
    ...shared,
    barcode: textOrNull(variant.barcode),
    weight: variant.weight == null || !weightUnits.has(unit) ? null : { value: variant.weight, unit },
    isActive: isSold,
    attributes: {
      shopifyProductId: product.id,
      shopifyVariantId: variant.id,
      ...(variant.inventory_item_id == null ? {} : { shopifyInventoryItemId: variant.inventory_item_id }),
    },
    // The product's time moves when a variant's does, not the other way round.
    updatedAt: product.updated_at ?? variant.updated_at ?? null,
  };
}

function addPrice({ documents, reasons }: Translated, variant: Variant, sku: string, path: string, settings: Settings): void {
  const { price, compare_at_price: compareAtPrice, presentment_prices: presentmentPrices } = variant;
  if (price == null) return;
  const only = presentmentPrices?.length === 1 ? presentmentPrices[0] : undefined;
  const currency = settings.currency ?? only?.price.currency_code;
  if (currency === undefined) {
    reasons.push({
      path: path === "" ? "price" : `${path}.price`,
      message: sentences["currency-unnamed"],
    });
    return;
  }
  const document = {
    sku,
    priceList: settings.priceList,
    price: { amount: price, currency },
    compareAtPrice: compareAtPrice == null || !isReduced(price, compareAtPrice) ? null : { amount: compareAtPrice, currency },
    updatedAt: variant.updated_at ?? null,
  };
  documents.push({ entityType: "price", document });
}
