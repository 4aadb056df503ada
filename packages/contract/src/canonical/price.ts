import { z } from "zod";
import { Attributes, Decimal, Key, Money, PlaceCode, type Placed, SchemaVersion, ZonedTime, checkCurrency } from "./values.ts";

/** The price of one item in one price list. Business key: sku@priceList. */
export const Price = z
  .strictObject({
    schemaVersion: SchemaVersion,
    sku: Key,
    priceList: PlaceCode.default("default"),
    price: Money,
    compareAtPrice: Money.nullish().describe("The ordinary price, when `price` is a reduced one"),
    includesTax: z.boolean().nullish().describe("Null: the source doesn't say"),
    taxRatePercent: Decimal.nullish(),
    tiers: z
      .array(z.strictObject({ minimumQuantity: Decimal, price: Money }))
      .max(100)
      .nullish(),
    validFrom: ZonedTime.nullish(),
    validTo: ZonedTime.nullish(),
    attributes: Attributes.nullish(),
    updatedAt: ZonedTime.nullish(),
  })
  .superRefine((price, context) => checkCurrency(price.price.currency, othersOf(price), context))
  .meta({ id: "Price" });
export type Price = z.infer<typeof Price>;

type Others = { compareAtPrice?: Placed[1]; tiers?: { price: Money }[] | null | undefined };

function* othersOf({ compareAtPrice, tiers }: Others): Generator<Placed> {
  yield [["compareAtPrice"], compareAtPrice];
  for (const [index, { price }] of (tiers ?? []).entries()) yield [["tiers", index, "price"], price];
}
