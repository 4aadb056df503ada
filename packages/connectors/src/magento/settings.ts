import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, Currency, PriceReading, Secret } from "../forms.ts";

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({
    title: "Store address",
    description: "Where the store's REST API begins, without /rest: https://shop.example.com",
  }),
  storeCode: z
    .string()
    .regex(/^[a-z0-9_]{1,32}$/)
    .default("default")
    .meta({ title: "Store view", description: "Code of the store view that is written to; `all` for every one" }),
  storeId: z.int().min(0).default(0).meta({ title: "Store id for prices", description: "0: prices for all stores" }),
  websiteId: z
    .int()
    .min(1)
    .optional()
    .meta({ title: "Website of customers", description: "Where the store keeps each website's customers apart; otherwise leave it empty" }),
  attributeSetId: z.int().min(1).default(4).meta({ title: "Attribute set of new products", description: "4 is the one called Default" }),
  sources: z
    .record(PlaceCode, z.string().max(255))
    .default({ default: "default" })
    .meta({ title: "Sources", description: "Warehouse → source code of the inventory" }),
  priceList: PlaceCode.default("default").meta({
    title: "Price list",
    description: "The price list that the store's base prices belong to",
  }),
  currency: Currency.optional().meta({
    title: "Currency",
    description:
      "The base currency of the store's prices; prices in another one are refused. Left empty, the store is asked with each price",
  }),
  priceReading: PriceReading,
  weightUnit: z
    .enum(["kg", "lb"])
    .default("kg")
    .meta({ title: "Unit of weight", description: "As the store's settings have it, in which weights bear no unit" }),
  options: z
    .array(z.string().min(1).max(60))
    .max(20)
    .default(["color", "size"])
    .meta({ title: "Attributes that are options", description: "What tells variants apart: taken from products under these names" }),
  isAsynchronous: z.boolean().default(false).meta({
    title: "Hand in and look for the result",
    description: "Products go through the store's queue: it accepts them at once and reports later",
  }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  accessToken: Secret.optional().meta({
    title: "Access token",
    description: "Of an integration of the store. Without it, user name and password are exchanged for a token",
  }),
  username: Secret.optional().meta({ title: "User name", description: "Of an administrator" }),
  password: Secret.optional().meta({ title: "Password" }),
});
export type Credentials = z.infer<typeof Credentials>;
