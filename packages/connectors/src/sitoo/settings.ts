import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, Currency, PriceReading, Secret } from "../forms.ts";

const SitooId = z.int().min(1);

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({
    title: "Account's address",
    description: "https://api.mysitoo.com/v2/accounts/{accountid}. Sitoo lets in addresses that it knows: have ours added there",
  }),
  siteId: SitooId.meta({ title: "Site" }),
  warehouseIds: z.record(PlaceCode, SitooId).default({}).meta({ title: "Warehouses", description: "Warehouse → id in Sitoo" }),
  currency: Currency.optional().meta({
    title: "Currency",
    description: "In which the products' own prices are; needed for those, as Sitoo doesn't tell. Price lists of Sitoo have their own",
  }),
  priceList: PlaceCode.default("default").meta({
    title: "Price list",
    description: "The price list that the products' own prices belong to",
  }),
  priceListIds: z
    .record(PlaceCode, SitooId)
    .default({})
    .meta({ title: "Price lists of Sitoo", description: "Price list → id; their prices are written there instead" }),
  /** Where there are several price lists "all your prices are stored including VAT". https://developer.sitoo.com/guides/prices-and-campaigns */
  priceReading: PriceReading.default("with-tax"),
  vatId: SitooId.optional().meta({ title: "VAT group of new products" }),
  stockTakingType: z.int().default(50).meta({ title: "Transaction type of stock", description: "50: stock-taking, which sets a level" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  apiId: Secret.meta({ title: "API id" }),
  password: Secret.meta({ title: "Password" }),
});
export type Credentials = z.infer<typeof Credentials>;
