import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { Anything, type Meanings, delivered, later, next } from "../json-call.ts";
import { foreignCurrency } from "../price-guards.ts";
import { stated } from "../stated.ts";
import { isDeleted } from "../unsold-items.ts";
import { convertWeight } from "../weights.ts";
import { type Delivery, Id, call, manners } from "./call.ts";

/** As an item's external id: `product/variant`. */
type Ids = { productId: string; variantId: string };

/** `hasOptions`: it is one of several variants of its product; a product without options has one that nobody sees. */
type Found = Ids & { hasOptions: boolean };

const Variant = z.object({ id: Id, product_id: Id, sku: z.string().nullish(), option_values: z.array(z.unknown()).nullish() });
const Product = z.object({ id: Id, sku: z.string().nullish(), base_variant_id: Id.nullish() });

function findVariant(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (found: Found | null) => Verdict): OutboundRequest {
  const path = `v3/catalog/variants?${new URLSearchParams({ sku }).toString()}`;
  return call(delivery, { method: "GET", path }, z.object({ data: z.array(Variant) }), ({ data }) => {
    // The catalogue's look-up is not exact in letter case; ours is.
    const found = data.find((variant) => variant.sku === sku);
    return found ? then(foundOf(found)) : next(findProduct(delivery, sku, then));
  });
}

/** By its documentation the store looks for products without options here, and for variants of the others there. */
function findProduct(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (found: Found | null) => Verdict): OutboundRequest {
  const path = `v3/catalog/products?${new URLSearchParams({ sku }).toString()}`;
  return call(delivery, { method: "GET", path }, z.object({ data: z.array(Product) }), ({ data }) => {
    const found = data.find((product) => product.sku === sku);
    return then(found?.base_variant_id == null ? null : { productId: found.id, variantId: found.base_variant_id, hasOptions: false });
  });
}

function foundOf({ id, product_id: productId, option_values: options }: z.output<typeof Variant>): Found {
  return { productId, variantId: id, hasOptions: (options ?? []).length > 0 };
}

/** Stock and records of price lists are written by sku. One that is refused may be faster than its item. */
function orUnknown(delivery: Delivery<"price" | "stock">): Meanings {
  return { 422: (body) => next(findVariant(delivery, delivery.document.sku, (found) => (found ? refused(body) : itemUnknown()))) };
}

function refused(body: unknown): Verdict {
  return dead("http-422", `HTTP 422: ${manners.errorOf?.(body) ?? "refused"}`);
}

function itemUnknown(): Verdict {
  return later("item-unknown", "the store has no variant with this sku yet");
}

function readIds(externalId: string | null): Ids | null {
  const [, productId, variantId] = /^(\d{1,16})\/(\d{1,16})$/.exec(externalId ?? "") ?? [];
  return productId !== undefined && variantId !== undefined ? { productId, variantId } : null;
}

/** The store takes no name twice, and variants of a group, which are products of their own there, often have one name. */
export function nameOf({ name, group, options }: Delivery<"item">["document"]): string | null {
  if (name == null || group == null) return name;
  const values = (options ?? []).map(({ value }) => value).filter((value) => !inWords(name).includes(inWords(value)));
  return [name, ...values].join(" - ");
}

function inWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}

/** Looked up by sku before it is made: a create whose answer was lost must not be repeated. */
export function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const own = stated({ weight: document.weight && convertWeight(document.weight, settings.weightUnit), upc: document.barcode });
  const fields = { is_visible: document.isActive, ...stated({ name: nameOf(document), description: htmlOf(document) }), ...own };
  const update = ({ productId, variantId, hasOptions }: Found) => {
    const path = `v3/catalog/products/${productId}`;
    // What is the product's is all its variants': one that is no longer sold would hide the others.
    const work = hasOptions
      ? { path: `${path}/variants/${variantId}`, body: { purchasing_disabled: !document.isActive, ...own } }
      : { path, body: fields };
    return call(delivery, { method: "PUT", ...work }, Anything, () => delivered(`${productId}/${variantId}`));
  };
  const known = readIds(delivery.input.externalId);
  if (known) {
    const path = `v3/catalog/products/${known.productId}/variants/${known.variantId}`;
    return call(delivery, { method: "GET", path }, z.object({ data: Variant }), ({ data }) => next(update(foundOf(data))));
  }
  return findVariant(delivery, document.sku, (found) => {
    if (found) return next(update(found));
    if (isDeleted(document)) return delivered();
    // Stock of a product that doesn't count it has no effect: it would sell without end.
    const body = { name: document.sku, weight: 0, ...fields, sku: document.sku, type: "physical", price: 0, inventory_tracking: "product" };
    return next(
      call(delivery, { method: "POST", path: "v3/catalog/products", body }, z.object({ data: Product }), ({ data }) =>
        data.base_variant_id == null ? delivered() : delivered(`${data.id}/${data.base_variant_id}`),
      ),
    );
  });
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings, input } = delivery;
  const { sku, price, compareAtPrice } = document;
  const amounts = {
    price: Number((compareAtPrice ?? price).amount),
    sale_price: compareAtPrice == null ? null : Number(price.amount),
  };
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId !== undefined) {
    const tiers = document.tiers && bulkPricingOf(document.tiers);
    if (tiers && "kind" in tiers) return tiers;
    const records = [{ sku, currency: price.currency.toLowerCase(), ...amounts, ...stated({ bulk_pricing_tiers: tiers }) }];
    return call(
      delivery,
      { method: "PUT", path: `v3/pricelists/${listId}/records`, body: records },
      Anything,
      () => delivered(),
      orUnknown(delivery),
    );
  }
  if (document.priceList !== settings.priceList) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  const set = ({ productId, variantId }: Ids) =>
    call(
      delivery,
      {
        method: "PUT",
        path: `v3/catalog/products/${productId}/variants/${variantId}`,
        body: { ...amounts, sale_price: amounts.sale_price ?? 0 },
      },
      Anything,
      () => delivered(`${productId}/${variantId}`),
    );
  const known = readIds(input.externalId);
  const write = () => (known ? set(known) : findVariant(delivery, sku, (found) => (found ? next(set(found)) : itemUnknown())));
  if (settings.currency !== undefined) return foreignCurrency(document, settings.currency) ?? write();
  return call(
    delivery,
    { method: "GET", path: "v2/store" },
    z.object({ currency: z.string() }),
    ({ currency }) => foreignCurrency(document, currency) ?? next(write()),
  );
}

/** From a quantity on until the next: the store takes whole pieces, two at least. */
function bulkPricingOf(tiers: NonNullable<Delivery<"price">["document"]["tiers"]>): object[] | Dead {
  const steps = tiers
    .map(({ minimumQuantity, price }) => ({ pieces: toWholeNumber(minimumQuantity), minimumQuantity, amount: Number(price.amount) }))
    .toSorted((one, other) => Number(one.minimumQuantity) - Number(other.minimumQuantity));
  const misfit = steps.find(({ pieces }) => pieces === null || pieces < 2);
  if (misfit) return dead("tiers", `the store takes prices from two whole pieces on; one is from ${misfit.minimumQuantity} on`);
  return steps.map(({ pieces, amount }, index) => {
    const following = steps[index + 1]?.pieces;
    return { quantity_min: pieces, quantity_max: following == null ? null : following - 1, type: "fixed", amount };
  });
}

/** The absolute adjustment, of which a repetition does no harm. */
export function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const locationId = Object.hasOwn(settings.locationIds, document.warehouse) ? settings.locationIds[document.warehouse] : undefined;
  if (locationId === undefined)
    return dead("mapping-missing", `mapping missing: no location for warehouse '${document.warehouse}' in the settings`);
  const pieces = toWholeNumber(document.quantity);
  if (pieces === null) return dead("fraction", `the store counts whole pieces; the quantity is ${document.quantity}`);
  // It has none below zero; refused, an oversold item would go on selling what it had before.
  const quantity = Math.max(pieces, 0);
  const body = { reason: "Crossdock", items: [{ location_id: locationId, sku: document.sku, quantity }] };
  return call(
    delivery,
    { method: "PUT", path: "v3/inventory/adjustments/absolute", body },
    Anything,
    () => delivered(),
    orUnknown(delivery),
  );
}
