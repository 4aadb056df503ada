import { z } from "zod";
import { Address, Attributes, Key, SchemaVersion, ZonedTime, text } from "./values.ts";

/** A person or company that buys. Business key: the customer number. */
export const Customer = z
  .strictObject({
    schemaVersion: SchemaVersion,
    customerNumber: Key,
    email: text(320).nullish(),
    phone: text(100).nullish(),
    firstName: text(200).nullish(),
    lastName: text(200).nullish(),
    company: text(300).nullish(),
    vatNumber: text(100).nullish(),
    country: Address.shape.country,
    countryName: text(200).nullish(),
    acceptsMarketing: z.boolean().nullish().describe("Null: never asked"),
    isActive: z.boolean().default(true),
    addresses: z
      .array(Address.extend({ isDefault: z.boolean().nullish() }))
      .max(200)
      .nullish(),
    note: text(10_000).nullish(),
    tags: z.array(text(255)).max(500).nullish(),
    attributes: Attributes.nullish(),
    updatedAt: ZonedTime.nullish(),
  })
  .meta({ id: "Customer" });
export type Customer = z.infer<typeof Customer>;
