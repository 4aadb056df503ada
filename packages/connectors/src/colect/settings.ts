import { PlaceCode } from "@crossdock/contract";
import { z } from "zod";
import { BaseUrl, Secret } from "../forms.ts";

const Code = z.string().min(1).max(100);

export const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Service address", description: "https://connector.colect.services/services/api/3.0" }),
  colorCode: Code.default("-").meta({
    title: "Colour code",
    description: "Colect knows a product by its id and a colour. Each item is a product of its own here, so one code serves all",
  }),
  sizeName: Code.default("ONE").meta({ title: "Size", description: "The one size of each product, which holds its stock" }),
  priceType: z.enum(["WHOLESALE", "RETAIL"]).default("WHOLESALE").meta({ title: "Kind of prices" }),
  warehouse: PlaceCode.default("default").meta({ title: "Warehouse", description: "Colect has one stock; this warehouse's is sent" }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({ apiKey: Secret.meta({ title: "API key", description: "Goes into the body of every call" }) });
export type Credentials = z.infer<typeof Credentials>;
