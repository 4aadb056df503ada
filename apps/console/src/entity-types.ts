import type { EntityType } from "@crossdock/contract";
import type { TextKey } from "./i18n/i18n.tsx";

export const entityTypes: readonly EntityType[] = ["item", "price", "stock", "order", "shipment", "customer"];
export const entityTypeLabels: Record<EntityType, TextKey> = {
  item: "entityType.item",
  price: "entityType.price",
  stock: "entityType.stock",
  order: "entityType.order",
  shipment: "entityType.shipment",
  customer: "entityType.customer",
};
