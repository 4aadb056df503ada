import { z } from "zod";
import { Customer } from "./customer.ts";
import { Item } from "./item.ts";
import { Order } from "./order.ts";
import { Price } from "./price.ts";
import { Shipment } from "./shipment.ts";
import { Stock } from "./stock.ts";
import { bounded } from "./values.ts";

export { Customer } from "./customer.ts";
export { Item } from "./item.ts";
export { Order, OrderLine } from "./order.ts";
export { Price } from "./price.ts";
export { Shipment } from "./shipment.ts";
export { Stock } from "./stock.ts";
export { Address, Attributes, Decimal, Money, PlaceCode, visible } from "./values.ts";

export const EntityType = z.enum(["item", "price", "stock", "order", "shipment", "customer"]);
export type EntityType = z.infer<typeof EntityType>;

export type CanonicalDocuments = { item: Item; price: Price; stock: Stock; order: Order; shipment: Shipment; customer: Customer };

export const canonicalSchemas = {
  item: bounded(Item),
  price: bounded(Price),
  stock: bounded(Stock),
  order: bounded(Order),
  shipment: bounded(Shipment),
  customer: bounded(Customer),
} satisfies Record<EntityType, z.ZodType>;

const businessKeys: { [Type in EntityType]: (document: CanonicalDocuments[Type]) => string } = {
  item: (item) => item.sku,
  price: (price) => `${price.sku}@${price.priceList}`,
  stock: (stock) => `${stock.sku}@${stock.warehouse}`,
  order: (order) => order.orderNumber,
  shipment: (shipment) => shipment.shipmentNumber,
  customer: (customer) => customer.customerNumber,
};

/** What identifies the business object within its subtenant, and its lane within a queue. `document` must have passed its schema. */
export function businessKeyOf<Type extends EntityType>(entityType: Type, document: CanonicalDocuments[Type]): string {
  return businessKeys[entityType](document);
}

/** How far ahead of the clock a source's time may be: clocks and zones that are set wrongly. Beyond it, it would outdate every later change. */
export const sourceAheadMsMax = 86_400_000;

/** What tells of two documents of one object which is the newer. */
type Dated = { updatedAt?: string | null | undefined; deletedAt?: string | null | undefined };

/** The source's time of the last change, which may be its deletion; null where it gives none. */
export function changedAtOf({ updatedAt, deletedAt }: Dated): string | null {
  return updatedAt ?? deletedAt ?? null;
}

/**
 * The source's own version: its time of the last change in microseconds since 1970 as an int8 in text, or null when it gives none.
 * Where two deliveries race, the higher one is the newer document, whichever arrived last.
 */
export function sourceVersionOf(document: Dated): string | null {
  const changedAt = changedAtOf(document);
  if (!changedAt) return null;
  // Date holds milliseconds only; digits four to six of the fraction are added from the text.
  const milliseconds = Date.parse(changedAt);
  if (Number.isNaN(milliseconds)) return null;
  const microseconds = /\.\d{3}(\d{1,3})/.exec(changedAt)?.[1]?.padEnd(3, "0") ?? "0";
  return (BigInt(milliseconds) * 1000n + BigInt(microseconds)).toString();
}
