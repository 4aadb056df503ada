import type { EntityType } from "@crossdock/contract";
import { allOf } from "./all-of.ts";
import type { TextKey, useText } from "./i18n/i18n.tsx";

export const entityTypes = allOf<EntityType>()(["item", "price", "stock", "order", "shipment", "customer"]);
export const entityTypeLabels: Record<EntityType, TextKey> = {
  item: "entityType.item",
  price: "entityType.price",
  stock: "entityType.stock",
  order: "entityType.order",
  shipment: "entityType.shipment",
  customer: "entityType.customer",
};

/** An object's kind in the reader's words; as it was kept where it is none that is known. */
export function entityTypeText(t: ReturnType<typeof useText>, entityType: string): string {
  const known = entityTypes.find((type) => type === entityType);
  return known ? t(entityTypeLabels[known]) : entityType;
}
