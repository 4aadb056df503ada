import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { isDeleted } from "../unsold-items.ts";
import { type Delivery, Errors, ask } from "./call.ts";

const Found = z.object({ products: z.array(z.object({ id: z.int() })) });

/** A create that is sent twice makes two products and moves the external id to the second, so each is looked up first. */
function findProduct(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (id: number | null) => Verdict): OutboundRequest {
  const query = "query ($externalId: String!) { products(where: { externalId: [$externalId] }, limit: 1) { id } }";
  return ask(delivery, query, { externalId: sku }, Found, ({ products: [product] }) => then(product?.id ?? null));
}

function fieldsOf({ document }: Delivery<"item">) {
  return { name: document.name ?? document.sku, status: document.isActive ? "ACTIVE" : "INACTIVE" };
}

function updateProduct(delivery: Delivery<"item">, id: number): OutboundRequest {
  const query = `mutation ($id: Int!, $input: ProductUpdateInput!) { updateProduct(id: $id, input: $input) { product { id } ${Errors} } }`;
  return ask(delivery, query, { id, input: fieldsOf(delivery) }, Anything, () => delivered(String(id)));
}

export function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings, input } = delivery;
  if (input.externalId !== null && /^\d{1,12}$/.test(input.externalId)) return updateProduct(delivery, Number(input.externalId));
  return findProduct(delivery, document.sku, (id) => {
    if (id !== null) return next(isDeleted(document) ? updateProduct(delivery, id) : findVariant(delivery, id));
    if (isDeleted(document)) return delivered();
    const query = `mutation ($input: ProductCreateInput!) { createProduct(input: $input) { product { id } ${Errors} } }`;
    const values = { ...fieldsOf(delivery), productNumber: document.sku, externalId: document.sku };
    const Made = z.object({ createProduct: z.object({ product: z.object({ id: z.int() }) }) });
    return next(
      ask(delivery, query, { input: values }, Made, ({ createProduct: { product } }) =>
        next(createVariant(delivery, product.id, settings.sizeChartId)),
      ),
    );
  });
}

const Variants = z.object({ productVariants: z.array(z.object({ id: z.int() })) });

/** A product that is there may have lost the answer before its variant was made. */
function findVariant(delivery: Delivery<"item">, productId: number): OutboundRequest {
  const query = "query ($externalId: String!) { productVariants(where: { externalId: [$externalId] }, limit: 1) { id } }";
  return ask(delivery, query, { externalId: variantId(delivery.document.sku) }, Variants, ({ productVariants: [variant] }) =>
    next(variant === undefined ? createVariant(delivery, productId, delivery.settings.sizeChartId) : updateProduct(delivery, productId)),
  );
}

function variantId(sku: string): string {
  return `${sku}-variant`;
}

function createVariant(delivery: Delivery<"item">, productId: number, sizeChartId: number | undefined): OutboundRequest {
  const { document } = delivery;
  const query = `mutation ($input: ProductVariantCreateInput!) { createProductVariant(input: $input) { productVariant { id } ${Errors} } }`;
  const input = {
    product: { id: productId },
    name: document.options?.map(({ value }) => value).join(" ") || document.sku,
    variantNumber: document.sku,
    externalId: variantId(document.sku),
    status: "ACTIVE",
    ...(sizeChartId === undefined ? {} : { sizeChart: { id: sizeChartId } }),
  };
  return ask(delivery, query, { input }, Anything, () => delivered(String(productId)));
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const listId = Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined;
  if (listId === undefined) return dead("price-list", `no price list '${document.priceList}' in the settings`);
  return findProduct(delivery, document.sku, (id) => {
    if (id === null) return later("item-unknown", "Centra has no product with this external id yet");
    const query = `mutation ($input: ProductPricesSetInput!) { setPrices(input: $input) { ${Errors} } }`;
    const price = { value: Number(document.price.amount), currencyIsoCode: document.price.currency };
    // A price that people gave a single variant in Centra stays.
    const productPrices = [{ product: { id }, price, overrideIndividualVariantPrices: false }];
    return next(ask(delivery, query, { input: { pricelist: { id: listId }, productPrices } }, Anything, () => delivered()));
  });
}

export function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const warehouseId = Object.hasOwn(settings.warehouseIds, document.warehouse) ? settings.warehouseIds[document.warehouse] : undefined;
  if (warehouseId === undefined) return dead("mapping-missing", `mapping missing: no warehouse '${document.warehouse}' in the settings`);
  const pieces = toWholeNumber(document.quantity);
  if (pieces === null) return dead("fraction", `Centra counts whole pieces; the quantity is ${document.quantity}`);
  const query = `mutation ($input: StockSetInput!) { setStock(input: $input) { ${Errors} } }`;
  const input = {
    warehouse: { id: warehouseId },
    description: "Crossdock",
    stockQuantityType: "PHYSICAL",
    // Below zero Centra refuses: more was sold than is there, so none is.
    productSizes: [{ productSize: { SKU: document.sku }, quantity: Math.max(0, pieces) }],
  };
  return findProduct(delivery, document.sku, (id) =>
    id === null
      ? later("item-unknown", "Centra has no product with this external id yet")
      : next(ask(delivery, query, { input }, Anything, () => delivered())),
  );
}
