import { z } from "zod";
import { reasons } from "../reasons.ts";
import { Attributes, Decimal, Key, SchemaVersion, ZonedTime, text, unbroken } from "./values.ts";

/** One thing that is sold and stocked: a variant, where the source groups variants into products. Business key: the sku. */
export const Item = z
  .strictObject({
    schemaVersion: SchemaVersion,
    sku: Key,
    name: text(1_000).nullable().describe("Null where the source has none"),
    description: text(200_000).nullish(),
    descriptionFormat: z.enum(["plain", "html"]).nullish(),
    group: z
      .strictObject({
        key: Key,
        name: text(1_000).nullish(),
        isActive: z.boolean().nullish().describe("False: no variant of the product is sold any more"),
      })
      .nullish()
      .describe("The product that this item is a variant of"),
    options: z
      .array(z.strictObject({ name: text(200), value: text(500) }))
      .max(20)
      .nullish()
      .describe("What tells it from its sister variants, e.g. size L"),
    brand: text(300).nullish(),
    categories: z.array(text(500)).max(100).nullish(),
    tags: z.array(text(255)).max(500).nullish(),
    barcode: text(100).nullish().describe("GTIN"),
    weight: z.strictObject({ value: Decimal, unit: z.enum(["g", "kg", "oz", "lb"]) }).nullish(),
    images: z
      .array(z.strictObject({ url: unbroken(z.url({ protocol: /^https?$/ }).max(2_000)), altText: text(1_000).nullish() }))
      .max(250)
      .nullish(),
    unit: text(50).nullish(),
    taxCode: text(100).nullish(),
    isActive: z.boolean().default(true).describe("False: no longer sold"),
    deletedAt: ZonedTime.nullish().describe(
      "When its source deleted it. Of such a document only this, `sku` and `updatedAt` are read: the item stays as it was known, and is no longer sold",
    ),
    attributes: Attributes.nullish(),
    updatedAt: ZonedTime.nullish().describe("When the source changed it last; decides which of two versions is newer"),
  })
  .refine(({ isActive, deletedAt }) => deletedAt == null || !isActive, { error: reasons["deleted-active"], path: ["isActive"] })
  .meta({ id: "Item" });
export type Item = z.infer<typeof Item>;
