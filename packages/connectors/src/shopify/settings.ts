import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";

const Id = z.string().regex(/^[0-9]{1,16}$/, "an id of Shopify, digits only");

export const Settings = z.strictObject({
  shopUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .describe("https://{shop}.myshopify.com"),
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .default("2026-07"),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .describe("The shop's currency. Product messages don't name it, so prices can't be read without"),
  priceList: PlaceCode.default("default").describe("The price list that the shop's own prices belong to"),
  locationId: Id.optional().describe("Location for the warehouse `default`"),
  locationIds: z.record(PlaceCode, Id).default({}).describe("Warehouse → location"),
  missingSku: z
    .enum(["reject", "skip", "variant-id"])
    .default("reject")
    .describe("What to do with variants that have no sku: reject the message, leave them out, or take the variant's id as the sku"),
  stockFromProducts: z
    .boolean()
    .default(false)
    .describe("Read stock from product messages: the sum over all locations, for the warehouse `default`"),
  newProductStatus: z.enum(["active", "draft"]).default("active"),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/)
    .optional()
    .describe("Admin API access token; needed by targets"),
  webhookSecret: z.string().min(1).max(500).optional().describe("The app's API secret key, which signs its webhooks"),
});
export type Credentials = z.infer<typeof Credentials>;
