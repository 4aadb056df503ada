import { z } from "zod";
import type { Dead, Pull } from "../connector.ts";
import { asText } from "../foreign.ts";
import { type Context, type Told, ask, following } from "./ask.ts";
import { Id } from "./call.ts";
import { variantsShownMax } from "./translate-goods.ts";

type Product = Record<string, unknown>;

/** Such products of a page: each takes a question for a hundred of its variants, of which it may have two thousand. */
const largeProductsMax = 4;

function isLarge({ variants }: Product): boolean {
  return Array.isArray(variants) && variants.length >= variantsShownMax;
}

/** Products of which only the first variants are shown get all of them. */
export function withAllVariants(context: Context, products: Product[], then: (products: Product[]) => Told): Told {
  const large = products.filter(isLarge).slice(0, largeProductsMax);
  const end = large.length < largeProductsMax ? products.length : products.indexOf(large.at(-1) ?? {}) + 1;
  const complete = (at: number, known: ReadonlyMap<Product, object>): Told => {
    const product = large[at];
    if (product === undefined) return then(products.slice(0, end).map((each) => ({ ...each, ...known.get(each) })));
    return following(
      variantsOf(context, asText(product["id"]), (variants) =>
        complete(at + 1, new Map(known).set(product, { variants, variant_gids: variants.map(({ id }) => ({ id })) })),
      ),
    );
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
              sku: z.string().nullish(),
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
          pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        }),
      })
      .nullable(),
  }),
});
type Node = NonNullable<z.output<typeof AllVariants>["data"]["product"]>["variants"]["nodes"][number];
type RestVariant = ReturnType<typeof restVariant>;

/** All variants of a product as REST shows them; none of one that was deleted meanwhile. */
function variantsOf(
  context: Context,
  productId: string,
  then: (variants: RestVariant[]) => Told,
  after: string | null = null,
  before: readonly RestVariant[] = [],
): Pull | Dead {
  const body = { query: allVariantsQuery, variables: { id: `gid://shopify/Product/${productId}`, after } };
  return ask(context, { method: "POST", path: "graphql.json", body }, AllVariants, ({ data: { product } }) => {
    const variants = [...before, ...(product?.variants.nodes ?? []).map(restVariant)];
    const next = product?.variants.pageInfo;
    return next?.hasNextPage === true ? following(variantsOf(context, productId, then, next.endCursor, variants)) : then(variants);
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
