import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead, messageHeaders } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { asText } from "../foreign.ts";
import { BaseUrl, PriceReading, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, type Meanings, delivered, jsonRequest, later, next } from "../json-call.ts";
import { toMinorUnits } from "../minor-units.ts";
import { besideFirst } from "../left-out.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector } from "../native.ts";
import { isDeleted } from "../unsold-items.ts";

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "https://api.{environment}.brinkcommerce.com" }),
  category: z
    .string()
    .min(1)
    .max(200)
    .default("default")
    .meta({ title: "Category", description: "Of items that name none; Brink needs one" }),
  priceList: PlaceCode.default("default").meta({ title: "Price list", description: "The price list whose prices are sent" }),
  priceReading: PriceReading,
  warehouse: PlaceCode.default("default").meta({ title: "Warehouse", description: "The warehouse whose stock is sent" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({ apiKey: Secret.meta({ title: "Product API key", description: "Sent as x-api-key" }) });
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["message"] ?? body["error"]) || null : null),
  failureOf: (body) =>
    isRecord(body) && Array.isArray(body["errors"]) && body["errors"].length > 0
      ? dead("refused", `refused: ${JSON.stringify(body["errors"]).slice(0, 400)}`)
      : null,
};

function call(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  read: () => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const headers = { "x-api-key": credentials.apiKey, ...(input && messageHeaders(input)) };
  return jsonRequest(
    { method, url: at(settings.baseUrl, path), headers, secretHeaders: ["x-api-key"], body },
    Anything,
    read,
    manners,
    meanings,
  );
}

function productPath(id: string): string {
  return `productv1/products/${encodeURIComponent(id)}`;
}

/** A variant is what is sold; it belongs to a product, which is the item's group or, without one, a product of its own. */
function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings, input } = delivery;
  const category = document.categories?.[0] ?? settings.category;
  const productId = document.group?.key ?? `${document.sku}-product`;
  const [image] = document.images ?? [];
  const variant = {
    id: document.sku,
    name: document.name ?? document.sku,
    type: "productVariant",
    category,
    relatedProduct: productId,
    active: document.isActive,
    ...(image === undefined ? {} : { imageUrl: image.url }),
  };
  const product = { id: productId, name: document.group?.name ?? document.name ?? document.sku, type: "product", category };
  const save = (method: "POST" | "PUT", body: object[]) =>
    call(delivery, { method, path: "productv1/products", body }, () => delivered(document.sku));
  if (input.externalId !== null) return save("PUT", [variant]);
  // What isn't there is made, what is there is changed: making one twice would be refused.
  return call(delivery, { method: "GET", path: productPath(document.sku) }, () => next(save("PUT", [variant])), {
    404: () =>
      isDeleted(document)
        ? delivered()
        : next(
            call(delivery, { method: "GET", path: productPath(productId) }, () => next(save("POST", [variant])), {
              404: () => next(save("POST", [product, variant])),
            }),
          ),
  });
}

/**
 * What is to be paid. A promotion is there the difference to that price, in a field whose name is not told.
 * https://docs.brinkcommerce.com/v1/management-api/price-management/
 */
function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.priceList !== settings.priceList) return dead("price-list", `prices of price list ${settings.priceList} are sent only`);
  const amount = toMinorUnits(document.price);
  if (amount === null) return dead("fraction", "Brink takes whole numbers of the smallest unit");
  const price = [{ currencyUnit: document.price.currency, amount }];
  return call(delivery, { method: "PUT", path: "productv1/products", body: [{ id: document.sku, price }] }, () => delivered(), {
    404: () => later("item-unknown", "Brink has no product with this id yet"),
  });
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.warehouse !== settings.warehouse) return dead("warehouse", `stock of warehouse ${settings.warehouse} is sent only`);
  const stock = toWholeNumber(document.quantity);
  if (stock === null) return dead("fraction", `whole pieces only; the quantity is ${document.quantity}`);
  return call(delivery, { method: "PUT", path: "productv1/stocks", body: { productId: document.sku, stock } }, () => delivered(), {
    404: () => later("item-unknown", "Brink has no product with this id yet"),
  });
}

/** Brink Commerce, API v1. */
export const brink = nativeConnector({
  code: "brink",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "limits of the rate are not documented; 429 is taken for one",
    "orders and shipments: the form of orders and the path of their states were not seen, so they are taken and sent in the canonical form only",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock },
  leavesOut: {
    item: besideFirst(
      ["categories", 1],
      ["images", 1],
      "description",
      "options",
      "brand",
      "tags",
      "barcode",
      "weight",
      "unit",
      "taxCode",
      "attributes",
    ),
    price: ["compareAtPrice", "tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
  },
  // A webhook says that an order changed, not how.
  topicOf: (_headers, payload) => (isRecord(payload) && ("service" in payload || "message" in payload) ? null : "order"),
  probe: (context) => call(context, { method: "GET", path: "productv1/stores" }, () => delivered()),
});
