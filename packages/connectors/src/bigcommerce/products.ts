import { z } from "zod";
import type { ReceivedDocument, Whole } from "../connector.ts";
import { Amount, Id, Text, listOf, unixTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import type { Pulling } from "../paging.ts";
import { type Context, rfc2822 } from "./call.ts";
import { pullChanged } from "./pull.ts";
import type { Settings } from "./settings.ts";

const Variant = z.object({
  sku: Text,
  upc: Text,
  weight: Amount,
  purchasing_disabled: z.boolean().nullish(),
  option_values: listOf(z.object({ option_display_name: Text, label: Text })).nullish(),
});
export const Product = z.object({
  id: Id,
  sku: Text,
  name: Text,
  description: Text,
  weight: Amount,
  upc: Text,
  is_visible: z.boolean().nullish(),
  date_modified: Text,
  variants: listOf(Variant).nullish(),
});
type Product = z.output<typeof Product>;

/** Each variant is what is sold, and a product without options is its only one. */
export function itemsOf(product: Product, settings: Settings): ReceivedDocument[] {
  const { sku, upc: barcode, name } = product;
  const isActive = product.is_visible ?? true;
  const made = (own: object, weight: string | null): ReceivedDocument => {
    const document = {
      name,
      description: product.description,
      descriptionFormat: "html",
      weight: weight === null ? null : { value: weight, unit: settings.weightUnit },
      isActive,
      updatedAt: rfc2822(product.date_modified),
      ...own,
    };
    return { entityType: "item", document, partOf: wholeName(product.id) };
  };
  const variants = variantsOf(product);
  if (variants.length === 0) return [made({ sku, barcode }, product.weight)];
  return variants.map((variant) => {
    const options = (variant.option_values ?? []).map(({ option_display_name: option, label }) => ({ name: option, value: label }));
    const own = {
      sku: variant.sku,
      barcode: variant.upc,
      group: { key: sku ?? product.id, name, isActive },
      options,
      isActive: isActive && variant.purchasing_disabled !== true,
    };
    return made(own, variant.weight ?? product.weight);
  });
}

/** Those that differ by an option: a product without any has one variant behind the scenes, which has its sku. */
function variantsOf({ variants }: Product): z.output<typeof Variant>[] {
  return (variants ?? []).filter(({ option_values: values }) => (values ?? []).length > 0);
}

/** A product with other skus than before has the ones before no more. */
export function wholeOf(product: Product): Whole {
  const variants = variantsOf(product);
  const skus = (variants.length === 0 ? [product] : variants).flatMap(({ sku }) => (sku === null ? [] : [sku]));
  return { name: wholeName(product.id), skus, at: rfc2822(product.date_modified) };
}

function wholeName(productId: string): string {
  return `product/${productId}`;
}

const Deletion = z.object({ scope: z.literal("store/product/deleted"), created_at: z.int().nullish(), data: z.object({ id: Id }) });

/** Webhooks name an id and nothing else, which for a deletion is enough. */
export function goneIn(payload: unknown): Whole[] | null {
  const deletion = Deletion.safeParse(payload);
  if (!deletion.success) return null;
  const { created_at: at, data } = deletion.data;
  return [{ name: wholeName(data.id), skus: [], at: at == null ? null : unixTime(at) }];
}

export function pullItems(input: Context & Pulling) {
  return pullChanged(input, {
    path: "v3/catalog/products",
    query: { sort: "date_modified", direction: "asc", include: "variants" },
    sinceName: "date_modified:min",
    objectsOf: (body) => (isRecord(body) && Array.isArray(body["data"]) ? body["data"] : []),
    changedAt: (product) => product["date_modified"],
  });
}
