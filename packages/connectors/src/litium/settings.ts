import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, Currency, PriceReading, Secret } from "../forms.ts";

const LitiumId = z.string().min(1).max(200);

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "Where Litium answers: https://shop.example.com" }),
  inventoryIds: z
    .record(PlaceCode, LitiumId)
    .default({})
    .meta({ title: "Inventories", description: "Warehouse → id of the inventory. A warehouse that is not named goes by its own name" }),
  priceListIds: z
    .record(PlaceCode, LitiumId)
    .default({})
    .meta({ title: "Price lists", description: "Price list → id in Litium. One that is not named goes by its own name" }),
  currency: Currency.optional().meta({
    title: "Currency",
    description: "Of Litium's price lists, which take bare numbers; prices in another one are refused",
  }),
  priceReading: PriceReading,
  culture: z
    .string()
    .regex(/^[a-z]{2}-[A-Z]{2}$/)
    .default("en-US")
    .meta({ title: "Language of texts" }),
  productTemplateId: LitiumId.optional().meta({ title: "Field template of new products" }),
  personTemplateId: LitiumId.optional().meta({ title: "Field template of new persons" }),
  addressTypeId: LitiumId.default("Address").meta({
    title: "Address type of persons",
    description: "Id of the type that their addresses are imported as. Litium's accelerator looks for Address",
  }),
  unitId: LitiumId.optional().meta({ title: "Unit of new variants" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  clientId: Secret.meta({ title: "Client id", description: "Of a service account" }),
  clientSecret: Secret.meta({ title: "Client secret" }),
});
export type Credentials = z.infer<typeof Credentials>;
