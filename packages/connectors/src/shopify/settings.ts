import { PlaceCode, reasons } from "@crossdock/contract";
import { z } from "zod";
import { PriceReading, Secret } from "../forms.ts";

const Id = z.string().regex(/^[0-9]{1,16}$/, reasons["shopify-id"]);

export const Settings = z.strictObject({
  shopUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .meta({ title: "Shop address", description: "https://{shop}.myshopify.com" }),
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .default("2026-07")
    .meta({ title: "API version" }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .meta({
      title: "Currency",
      description:
        "The shop's currency. Product messages don't name it, so prices can't be read without; a target is asked for it with each price",
    }),
  priceList: PlaceCode.default("default").meta({ title: "Price list", description: "The price list that the shop's own prices belong to" }),
  priceReading: PriceReading,
  locationId: Id.optional().meta({ title: "Location", description: "Location for the warehouse `default`" }),
  locationIds: z.record(PlaceCode, Id).default({}).meta({ title: "Locations", description: "Warehouse → location" }),
  missingSku: z.enum(["reject", "skip", "variant-id"]).default("reject").meta({
    title: "Variants without a sku",
    description: "What to do with variants that have no sku: reject the message, leave them out, or take the variant's id as the sku",
  }),
  stockFromProducts: z.boolean().default(false).meta({
    title: "Stock from product messages",
    description:
      "Read stock from product messages: the sum over all locations, for the warehouse `default`. Variants that the shop does not count come as 0, since its messages of today do not tell them apart",
  }),
  newProductStatus: z.enum(["active", "draft"]).default("active").meta({ title: "Status of new products" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  accessToken: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/)
    .optional()
    .meta({
      title: "Access token",
      description: "Admin API access token of an app that the shop's admin made; targets and schedules need it, or the next two",
    }),
  clientId: Secret.optional().meta({
    title: "Client id",
    description: "Of the app in the Dev Dashboard: access tokens are fetched for it",
  }),
  clientSecret: Secret.optional().meta({ title: "Client secret" }),
});
export type Credentials = z.infer<typeof Credentials>;
