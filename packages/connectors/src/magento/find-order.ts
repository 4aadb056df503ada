import { z } from "zod";
import type { OutboundRequest, Verdict } from "../connector.ts";
import { Amount, Text } from "../foreign.ts";
import { type Delivery, call, listOf, searchCriteria } from "./call.ts";

const OrderItem = z.object({
  item_id: z.int(),
  sku: z.string().nullish(),
  product_id: z.int().nullish(),
  product_type: z.string().nullish(),
  parent_item_id: z.int().nullish(),
  qty_ordered: Amount,
  qty_canceled: Amount,
  qty_refunded: Amount,
});
const KnownAddress = z
  .object({ entity_id: z.int(), street: z.array(z.string()).nullish(), postcode: Text, city: Text, country_id: Text })
  .nullish()
  .catch(null);
const OrderList = listOf(
  z.object({
    entity_id: z.int(),
    increment_id: z.string().nullish(),
    ext_order_id: z.string().nullish(),
    state: z.string().nullish(),
    grand_total: Amount,
    total_refunded: Amount,
    billing_address: KnownAddress,
    extension_attributes: z
      .looseObject({ shipping_assignments: z.array(z.object({ shipping: z.object({ address: KnownAddress }).nullish() })).nullish() })
      .nullish()
      .catch(null),
    items: z.array(OrderItem).default([]),
  }),
);
export type FoundOrder = z.output<typeof OrderList>["items"][number];

/** The store's database ignores letter case; the answer is compared exactly. */
export function findOrder(
  delivery: Delivery<"order" | "shipment">,
  field: "ext_order_id" | "increment_id",
  value: string,
  then: (order: FoundOrder | null) => Verdict,
): OutboundRequest {
  const path = `V1/orders?${searchCriteria([[field, "eq", value]], 50)}`;
  return call(delivery, { method: "GET", path }, OrderList, ({ items }) => then(items.find((order) => order[field] === value) ?? null));
}
