import { z } from "zod";
import { Address, Attributes, Decimal, Key, PlaceCode, SchemaVersion, ZonedTime, text } from "./values.ts";

/** What left a warehouse for one order. Business key: the shipment number. */
export const Shipment = z
  .strictObject({
    schemaVersion: SchemaVersion,
    shipmentNumber: Key,
    orderNumber: Key,
    status: z.enum(["pending", "shipped", "delivered", "failed", "cancelled"]),
    shippedAt: ZonedTime.nullish(),
    warehouse: PlaceCode.nullish(),
    carrier: text(200).nullish(),
    service: text(200).nullish(),
    tracking: z
      .array(z.strictObject({ number: text(200), url: text(2_000).nullish() }))
      .max(100)
      .nullish(),
    shippingAddress: Address.nullish(),
    lines: z
      .array(z.strictObject({ lineNumber: Key.nullish().describe("Of the order"), sku: Key.nullable(), quantity: Decimal }))
      .max(5_000)
      .describe("Empty: everything that the order still awaits"),
    attributes: Attributes.nullish(),
    updatedAt: ZonedTime.nullish(),
  })
  .meta({ id: "Shipment" });
export type Shipment = z.infer<typeof Shipment>;
