import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead, messageHeaders } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { BaseUrl, Currency, Secret } from "../forms.ts";
import { delivered } from "../json-call.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector } from "../native.ts";
import { foreignCurrency } from "../price-guards.ts";
import { priceIn } from "../price-tax.ts";
import { soapRequest } from "../soap-call.ts";
import { basic } from "../token-grant.ts";
import { type XmlElement, type XmlFields, elements, elementsOf, escaped } from "../xml.ts";
import { unsoldFault } from "../unsold-items.ts";

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Service address", description: "https://integration.jetshop.se/Webservice20/v3.0/webservice.asmx" }),
  shopId: z.string().min(1).max(100).meta({ title: "Shop id", description: "Goes into the header of every call" }),
  culture: z
    .string()
    .regex(/^[a-z]{2}-[A-Z]{2}$/)
    .default("sv-SE")
    .meta({ title: "Culture of texts" }),
  templateId: z.int().min(0).optional().meta({ title: "Template of new products" }),
  priceLists: z
    .record(PlaceCode, z.int().min(0))
    .default({ default: 1 })
    .meta({ title: "Price lists", description: "Price list → id in Jetshop" }),
  currency: Currency.optional().meta({
    title: "Currency",
    description: "Of Jetshop's price lists, which take bare numbers; prices in another one are refused",
  }),
  warehouse: PlaceCode.default("default").meta({ title: "Warehouse", description: "The shop has one stock; this warehouse's is sent" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({ username: Secret.meta({ title: "User name" }), password: Secret.meta({ title: "Password" }) });
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

function operation(
  { settings, credentials, input }: Context,
  name: string,
  parameters: XmlFields,
  read: (answer: XmlElement) => Verdict,
): OutboundRequest {
  return soapRequest(
    {
      url: settings.baseUrl,
      version: "1.2",
      header: `<ShopId>${escaped(settings.shopId)}</ShopId>`,
      body: `<${name} xmlns="WebServiceProvider">${elements(parameters)}</${name}>`,
      headers: { authorization: basic(credentials.username, credentials.password), ...(input && messageHeaders(input)) },
      secretHeaders: ["authorization"],
    },
    read,
  );
}

/** Rows answer with a word each: SuccessNew, SuccessUpdate, or what went wrong, in an answer 200. */
function rowsOf(answer: XmlElement, sku: string): Verdict {
  const words = elementsOf(answer, "StatusMainProductCreateDelete").map(({ text }) => text.trim());
  const refused = words.find((word) => word !== "SuccessNew" && word !== "SuccessUpdate");
  if (words.length === 0) return dead("unexpected-answer", "the answer has no status for the product");
  return refused === undefined ? delivered(sku) : dead("refused", `the product was refused: ${refused}`);
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const unsold = unsoldFault(document, "Jetshop");
  if (unsold) return unsold;
  const ProductData = {
    ArticleNumber: document.sku,
    Culture: settings.culture,
    TemplateId: settings.templateId,
    Name: document.name ?? document.sku,
    ProductDescription: htmlOf(document),
    EanCode: document.barcode,
  };
  return operation(delivery, "Product_AddUpdate", { products: { ProductData } }, (answer) => rowsOf(answer, document.sku));
}

/** The product's stock goes along with the product; nothing else of it is named, so nothing else changes. */
function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.warehouse !== settings.warehouse) return dead("warehouse", `the shop has one stock, of warehouse ${settings.warehouse}`);
  const quantity = toWholeNumber(document.quantity);
  if (quantity === null) return dead("fraction", `the shop counts whole pieces; the quantity is ${document.quantity}`);
  const ProductData = {
    ArticleNumber: document.sku,
    Culture: settings.culture,
    StockData: { ArticleNumber: document.sku, NewStockCount: quantity },
  };
  return operation(delivery, "Product_AddUpdate", { products: { ProductData } }, (answer) => rowsOf(answer, document.sku));
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const listId = Object.hasOwn(settings.priceLists, document.priceList) ? settings.priceLists[document.priceList] : undefined;
  if (listId === undefined) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  const foreign = settings.currency === undefined ? null : foreignCurrency(document, settings.currency);
  if (foreign) return foreign;
  const gross = priceIn("gross", document);
  if (gross === null) return dead("tax", "the shop takes prices that include tax, and this one's rate is not told");
  const ArticlePriceListIncVat = {
    ArticleNumber: document.sku,
    PriceListId: listId,
    PriceIncVat: gross.compareAt ?? gross.amount,
    // One that is not named may stay, so a reduction ends by being none.
    DiscountedPriceIncVat: gross.amount,
  };
  return operation(delivery, "PriceList_UpdateArticleIncVAT", { articlePriceLists: { ArticlePriceListIncVat } }, () => delivered());
}

/** Jetshop's SOAP service, version 3.0. */
export const jetshop = nativeConnector({
  code: "jetshop",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "stock sent alone by Product_AddUpdate leaves the rest of a product as it is",
    "a reduced price that is the ordinary one ends a reduction",
    "a price list's update answers without a status for each row",
    "orders: the names of the Order_ operations were not seen, so orders go by the generic connector",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock },
  leavesOut: {
    item: ["group", "options", "brand", "categories", "tags", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
  },
  probe: (context) =>
    operation(context, "Product_Get", { productOptions: { ArticleNumber: "-", Culture: context.settings.culture } }, () => delivered()),
});
