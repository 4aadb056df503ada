import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, Currency, PriceReading, Secret } from "../forms.ts";

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({
    title: "API path",
    description: "As the store's API account shows it, without the version: https://api.bigcommerce.com/stores/{hash}",
  }),
  locationIds: z
    .record(PlaceCode, z.int().min(1))
    .default({ default: 1 })
    .meta({ title: "Locations", description: "Warehouse → id of the location; 1 is the default one" }),
  priceList: PlaceCode.default("default").meta({
    title: "Price list",
    description: "The price list that the catalogue's own prices belong to",
  }),
  priceListIds: z.record(PlaceCode, z.int().min(1)).default({}).meta({
    title: "Price lists of the store",
    description: "Price list → id; their prices are written there instead of into the catalogue",
  }),
  currency: Currency.optional().meta({
    title: "Currency",
    description:
      "The store's currency, in which the catalogue's own prices are; others are refused. Left empty, the store is asked with each price",
  }),
  priceReading: PriceReading,
  weightUnit: z
    .enum(["kg", "g", "lb", "oz"])
    .default("kg")
    .meta({ title: "Unit of weight", description: "As the store's settings have it" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  accessToken: Secret.meta({ title: "Access token", description: "Of an API account of the store; sent as X-Auth-Token" }),
});
export type Credentials = z.infer<typeof Credentials>;
