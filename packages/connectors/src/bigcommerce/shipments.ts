import { z } from "zod";
import type { Page, PulledMessage, ReceivedDocument } from "../connector.ts";
import { Id, NeededAmount, Text, asText, listOf } from "../foreign.ts";
import { type Asked, type Pulling, followed } from "../paging.ts";
import { type Context, rfc2822 } from "./call.ts";
import { askAll, linesOf, withAllLines } from "./order-lines.ts";
import { Address, addressOf, changedOrders } from "./orders.ts";

/** As a poll brings it, with what it needs of its order. */
export const Shipment = z.object({
  id: Id,
  order_id: Id,
  date_created: Text,
  tracking_number: Text,
  tracking_link: Text,
  tracking_carrier: Text,
  shipping_provider: Text,
  shipping_method: Text,
  shipping_address: Address.nullish(),
  items: listOf(z.object({ order_product_id: Id, quantity: NeededAmount })),
  order: z.object({ date_modified: Text, lines: listOf(z.object({ id: Id, sku: Text })) }),
});

export function shipmentOf(shipment: z.output<typeof Shipment>): ReceivedDocument[] {
  const { tracking_number: number, order } = shipment;
  const skus = new Map(order.lines.map(({ id, sku }) => [id, sku]));
  const document = {
    shipmentNumber: shipment.id,
    orderNumber: shipment.order_id,
    status: "shipped",
    shippedAt: rfc2822(shipment.date_created),
    carrier: shipment.tracking_carrier ?? shipment.shipping_provider,
    service: shipment.shipping_method,
    tracking: number === null ? [] : [{ number, url: shipment.tracking_link }],
    shippingAddress: addressOf(shipment.shipping_address),
    lines: shipment.items.map(({ order_product_id: id, quantity }) => ({ lineNumber: id, sku: skus.get(id) ?? null, quantity })),
    updatedAt: rfc2822(order.date_modified),
  };
  return [{ entityType: "shipment", document }];
}

/** Shipments have no list of their own: those of the orders that have changed are asked for. */
export function pullShipments(input: Context & Pulling) {
  return followed(changedOrders(input), (page) => {
    const messages = page.messages.filter(({ body }) => Number(JSON.parse(body).items_shipped) > 0);
    return withAllLines(input, { ...page, messages }, (orders) => shipmentsOf(input, orders, 0, []));
  });
}

function shipmentsOf(context: Context, page: Page, index: number, found: PulledMessage[]): Asked {
  const order = page.messages[index];
  if (!order) return { ...page, messages: found };
  const fields: Record<string, unknown> = JSON.parse(order.body);
  const own = { date_modified: fields["date_modified"], lines: linesOf(fields).map(({ id, sku }) => ({ id, sku })) };
  return askAll(context, `v2/orders/${asText(fields["id"])}/shipments`, [], (shipments) => {
    const messages = shipments.map((shipment) => ({
      body: JSON.stringify({ ...shipment, order: own }),
      name: `${asText(shipment["id"])}@${asText(own.date_modified)}`,
    }));
    return shipmentsOf(context, page, index + 1, [...found, ...messages]);
  });
}
