import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { Id } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { nativeConnector, translator } from "../native.ts";
import { foreignCurrency } from "../price-guards.ts";
import { stated } from "../stated.ts";
import { type Delivery, call } from "./call.ts";
import { deliverOrder, isForBuyer } from "./deliver-orders.ts";
import { Order, orderOf, pullOrders } from "./orders.ts";
import { Credentials, Settings } from "./settings.ts";
import { isDeleted } from "../unsold-items.ts";

const Products = z.object({ items: z.array(z.object({ productid: z.int(), sku: z.string() })) });

function findProduct(delivery: Delivery<"item" | "price">, sku: string, then: (id: string | null) => Verdict): OutboundRequest {
  // Without this what isn't sold would seem not to be there, and be made once more.
  const path = `products.json?${new URLSearchParams({ sku, includeinactive: "true", fields: "productid,sku" }).toString()}`;
  return call(delivery, { method: "GET", path }, Products, ({ items }) => {
    const found = items.find((product) => product.sku === sku);
    return then(found ? String(found.productid) : null);
  });
}

function isId(externalId: string | null): externalId is string {
  return externalId !== null && /^\d{1,16}$/.test(externalId);
}

function updateProduct(delivery: Delivery<EntityType>, id: string, body: object): OutboundRequest {
  return call(delivery, { method: "PUT", path: `products/${id}.json`, body }, Anything, () => delivered(id));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, input, settings } = delivery;
  const product = {
    sku: document.sku,
    active: document.isActive,
    activepos: document.isActive,
    ...stated({ title: document.name, description: htmlOf(document), barcode: document.barcode, unitlabel: document.unit }),
  };
  if (isId(input.externalId)) return updateProduct(delivery, input.externalId, product);
  return findProduct(delivery, document.sku, (id) => {
    if (id !== null) return next(updateProduct(delivery, id, product));
    if (isDeleted(document)) return delivered();
    const body = [
      { title: document.sku, ...product, stockcountenable: true, ...(settings.vatId === undefined ? {} : { vatid: settings.vatId }) },
    ];
    // Of several, an answer for each; of one, that or the bare id.
    const Made = z.union([z.tuple([z.object({ return: Id })]).transform(([made]) => made.return), Id]);
    return next(call(delivery, { method: "POST", path: "products.json", body }, Made, delivered));
  });
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId !== undefined) {
    const tiers = document.tiers && volumePricesOf(document);
    if (tiers && "kind" in tiers) return tiers;
    const body = [{ sku: document.sku, moneyprice: document.price.amount, ...stated({ moneypricevolume: tiers }) }];
    const write = () =>
      call(delivery, { method: "PUT", path: `pricelists/${listId}/pricelistitems.json`, body }, Anything, () => delivered());
    const List = z.object({ currencycode: z.string() });
    return call(
      delivery,
      { method: "GET", path: `pricelists/${listId}.json` },
      List,
      ({ currencycode: own }) => foreignCurrency(document, own) ?? next(write()),
    );
  }
  if (document.priceList !== settings.priceList) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  if (settings.currency === undefined)
    return dead("configuration", "settings: currency is missing: Sitoo doesn't tell that of its products' prices");
  const foreign = foreignCurrency(document, settings.currency);
  if (foreign) return foreign;
  const prices = { moneyprice: document.price.amount, moneypriceorg: document.compareAtPrice?.amount ?? null };
  if (isId(input.externalId)) return updateProduct(delivery, input.externalId, prices);
  return findProduct(delivery, document.sku, (id) =>
    id === null ? later("item-unknown", "Sitoo has no product with this sku yet") : next(updateProduct(delivery, id, prices)),
  );
}

/** For whole pieces. */
function volumePricesOf(price: Delivery<"price">["document"]): object[] | Dead {
  const levels = (price.tiers ?? []).map((tier) => ({
    levelstart: toWholeNumber(tier.minimumQuantity),
    moneyprice: tier.price.amount,
  }));
  return levels.every(({ levelstart }) => levelstart !== null) ? levels : dead("tiers", "Sitoo takes prices from whole pieces on");
}

/** What commits a batch: "changing the warehousebatchstate from 10 (Open) to 20 (Closed)". https://developer.sitoo.com/api-reference/warehouse-batches */
const closed = 20;

/** "Transactions cannot be added to warehouses with warehousetype Virtual (20)." https://developer.sitoo.com/api-reference/warehouse-transactions */
const virtual = 20;

/** A virtual warehouse is told the level itself, which is read-only in any other: there it comes by a transaction. */
function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const warehouseId = Object.hasOwn(settings.warehouseIds, document.warehouse) ? settings.warehouseIds[document.warehouse] : undefined;
  if (warehouseId === undefined) return dead("mapping-missing", `mapping missing: no warehouse '${document.warehouse}' in the settings`);
  const Warehouse = z.object({ warehousetype: z.int().nullish() });
  return call(delivery, { method: "GET", path: `warehouses/${warehouseId}.json` }, Warehouse, ({ warehousetype: type }) => {
    if (type !== virtual) return next(takeStock(delivery, warehouseId));
    const body = [{ sku: document.sku, decimaltotal: document.quantity }];
    return next(
      call(delivery, { method: "PUT", path: `warehouses/${warehouseId}/warehouseitems.json`, body }, Anything, () => delivered()),
    );
  });
}

/** Stock is set by a batch: opened, filled, then closed, which is what makes it count. An unclosed one changes nothing. */
function takeStock(delivery: Delivery<"stock">, warehouseId: number): OutboundRequest {
  const { document, settings, input } = delivery;
  const batches = `warehouses/${warehouseId}/warehousebatches`;
  const transactiontype = settings.stockTakingType;
  const open = { transactiontype, comment: "Crossdock", externalid: input.messageId };
  return call(delivery, { method: "POST", path: `${batches}.json`, body: open }, Id, (batchId) => {
    const items = [{ sku: document.sku, decimalquantity: document.quantity }];
    const close = () =>
      next(
        call(
          delivery,
          { method: "PUT", path: `${batches}/${batchId}.json`, body: { transactiontype, warehousebatchstate: closed } },
          Anything,
          () => delivered(),
        ),
      );
    return next(call(delivery, { method: "PUT", path: `${batches}/${batchId}/warehousebatchitems.json`, body: items }, Anything, close));
  });
}

/** Sitoo's REST API v2. */
export const sitoo = nativeConnector({
  code: "sitoo",
  settings: Settings,
  credentials: Credentials,
  unverified: [],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock, order: deliverOrder },
  leavesOut: {
    item: ["group", "options", "brand", "categories", "tags", "weight", "images", "taxCode", "attributes"],
    price: ({ priceList }, { priceListIds }) =>
      Object.hasOwn(priceListIds, priceList) ? ["compareAtPrice", "attributes"] : ["tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
    order: (order) => [
      ...(isForBuyer(order) ? [] : (["shippingAddress"] as const)),
      "salesChannel",
      "tags",
      "paymentStatus",
      "fulfilmentStatus",
      "attributes",
    ],
  },
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["items"]) ? payload["items"] : [payload].flat()),
  probe: (context) => call(context, { method: "GET", path: "products.json?num=1" }, Anything, () => delivered()),
  pull: { order: pullOrders },
});
