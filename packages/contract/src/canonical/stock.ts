import { z } from "zod";
import { Attributes, Decimal, Key, PlaceCode, SchemaVersion, ZonedTime, text } from "./values.ts";

/** What one warehouse can sell of one item. Business key: sku@warehouse. */
export const Stock = z
  .strictObject({
    schemaVersion: SchemaVersion,
    sku: Key,
    warehouse: PlaceCode.default("default"),
    quantity: Decimal.describe("An absolute level, not a change; negative when oversold"),
    unit: text(50).nullish(),
    incoming: z.strictObject({ quantity: Decimal, expectedAt: ZonedTime.nullish() }).nullish(),
    attributes: Attributes.nullish(),
    updatedAt: ZonedTime.nullish(),
  })
  .meta({ id: "Stock" });
export type Stock = z.infer<typeof Stock>;
