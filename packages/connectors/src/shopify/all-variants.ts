import { z } from "zod";
import type { Dead } from "../connector.ts";
import { asText } from "../foreign.ts";
import { type Answer, type Question, type Shop, ask, following } from "./ask.ts";
import { Id, PageInfo } from "./call.ts";
import { Sku } from "./payloads.ts";
import { variantsShownMax } from "./translate-goods.ts";

/** As a list of REST shows it. */
type Product = { id?: unknown; variants?: unknown };

/** Such products of a page: each takes a question for a hundred of its variants, of which it may have two thousand. */
const largeProductsMax = 4;

function isLarge({ variants }: Product): boolean {
  return Array.isArray(variants) && variants.length >= variantsShownMax;
}

/** Tells all variants of the products that show only their first ones; of many such products only of the first ones, to which the page is cut. */
export function withAllVariants<Shown extends Product, Answered>(
  shop: Shop,
  products: readonly Shown[],
  then: (products: readonly Shown[], all: ReadonlyMap<Shown, RestVariant[]>) => Answer<Answered>,
): Answer<Answered> {
  const large = products.filter(isLarge).slice(0, largeProductsMax);
  const last = large[largeProductsMax - 1];
  const end = last === undefined ? products.length : products.indexOf(last) + 1;
  const complete = (at: number, all: ReadonlyMap<Shown, RestVariant[]>): Answer<Answered> => {
    const product = large[at];
    if (product === undefined) return then(products.slice(0, end), all);
    return following(variantsOf(shop, asText(product.id), (variants) => complete(at + 1, new Map(all).set(product, variants))));
  };
  return complete(0, new Map());
}

const allVariantsQuery = `query ($id: ID!, $after: String) {
  product(id: $id) {
    variants(first: 100, after: $after, sortKey: POSITION) {
      nodes {
        legacyResourceId title sku barcode price compareAtPrice inventoryQuantity updatedAt selectedOptions { value }
        inventoryItem { legacyResourceId tracked measurement { weight { value unit } } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;

const AllVariants = z.object({
  data: z.object({
    product: z
      .object({
        variants: z.object({
          nodes: z.array(
            z.object({
              legacyResourceId: Id,
              title: z.string().nullish(),
              sku: Sku,
              barcode: z.string().nullish(),
              price: z.string().nullish(),
              compareAtPrice: z.string().nullish(),
              inventoryQuantity: z.number().nullish(),
              updatedAt: z.string().nullish(),
              selectedOptions: z.array(z.object({ value: z.string() })),
              inventoryItem: z.object({
                legacyResourceId: Id,
                tracked: z.boolean(),
                measurement: z.object({ weight: z.object({ value: z.number(), unit: z.string() }).nullish() }).nullish(),
              }),
            }),
          ),
          pageInfo: PageInfo,
        }),
      })
      .nullable(),
  }),
});
type Node = NonNullable<z.output<typeof AllVariants>["data"]["product"]>["variants"]["nodes"][number];
type RestVariant = ReturnType<typeof restVariant>;

/** All variants of a product as REST shows them; none of one that was deleted meanwhile. */
function variantsOf<Answered>(
  shop: Shop,
  productId: string,
  then: (variants: RestVariant[]) => Answer<Answered>,
  after: string | null = null,
  before: readonly RestVariant[] = [],
): Question<Answered> | Dead {
  const body = { query: allVariantsQuery, variables: { id: `gid://shopify/Product/${productId}`, after } };
  return ask(shop, { method: "POST", path: "graphql.json", body }, AllVariants, ({ data: { product } }) => {
    const variants = [...before, ...(product?.variants.nodes ?? []).map(restVariant)];
    const next = product?.variants.pageInfo;
    return next?.hasNextPage === true ? following(variantsOf(shop, productId, then, next.endCursor, variants)) : then(variants);
  });
}

const weightUnits: Record<string, string> = { KILOGRAMS: "kg", GRAMS: "g", POUNDS: "lb", OUNCES: "oz" };

function restVariant({
  legacyResourceId: id,
  compareAtPrice,
  inventoryQuantity,
  updatedAt,
  selectedOptions,
  inventoryItem,
  ...same
}: Node) {
  const [option1 = null, option2 = null, option3 = null] = selectedOptions.map(({ value }) => value);
  const weight = inventoryItem.measurement?.weight;
  return {
    ...same,
    id,
    compare_at_price: compareAtPrice ?? null,
    option1,
    option2,
    option3,
    inventory_item_id: inventoryItem.legacyResourceId,
    inventory_management: inventoryItem.tracked ? "shopify" : null,
    inventory_quantity: inventoryQuantity ?? null,
    updated_at: updatedAt ?? null,
    ...(weight && { weight: weight.value, weight_unit: weightUnits[weight.unit] ?? null }),
  };
}
