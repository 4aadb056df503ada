import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, PriceReading, Secret } from "../forms.ts";

const CentraId = z.int().min(1);

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address of the Integration API", description: "https://{shop}.centra.com/graphql/integration" }),
  sizeChartId: CentraId.optional().meta({ title: "Size chart of new variants" }),
  priceListIds: z.record(PlaceCode, CentraId).default({}).meta({ title: "Price lists", description: "Price list → id in Centra" }),
  priceReading: PriceReading,
  warehouseIds: z.record(PlaceCode, CentraId).default({}).meta({ title: "Warehouses", description: "Warehouse → id in Centra" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  token: Secret.meta({
    title: "Token",
    description: "Of the Integration API, with permissions for each kind of object. It expires: 30 days unless set",
  }),
});
export type Credentials = z.infer<typeof Credentials>;
