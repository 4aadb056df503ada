import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { firstOfOurs } from "../found.ts";
import { delivered, later, next } from "../json-call.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { type Delivery, Errors, ask } from "./call.ts";

const Shipments = z.object({
  orders: z.array(
    z.object({
      id: z.string(),
      lines: z.array(z.object({ id: z.int(), productSize: z.object({ SKU: z.string().nullish() }).nullish(), quantity: z.number() })),
      shipments: z
        .array(
          z.object({
            id: z.int(),
            number: z.string().nullish(),
            isShipped: z.boolean(),
            trackingNumber: z.string().nullish(),
            lines: z.array(z.object({ quantity: z.number(), orderLine: z.object({ id: z.int() }) })).default([]),
          }),
        )
        .default([]),
    }),
  ),
});

/** The order tells which shipments it has; one of the same id or tracking number is not made again, unless that one is another's in the same parcel. */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document } = delivery;
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "shipments are not taken back by this connector");
  if (!/^\d{1,12}$/.test(document.orderNumber)) return dead("order-unknown", "order numbers of Centra are digits only");
  const trackingNumber = document.tracking?.[0]?.number ?? document.shipmentNumber;
  const shipped = document.lines.length > 0 ? "" : "lines { quantity orderLine { id } }";
  const query = `query ($number: Int!) { orders(where: { number: [$number] }, limit: 1) { id lines { id quantity productSize { SKU } } shipments { id isShipped trackingNumber ${shipped} } } }`;
  return ask(delivery, query, { number: Number(document.orderNumber) }, Shipments, ({ orders: [order] }) => {
    if (!order) return later("order-unknown", "Centra has no order with this number");
    const numbers = new Set([trackingNumber, document.shipmentNumber]);
    const alike = order.shipments.filter(
      ({ id, trackingNumber: its }) => String(id) === delivery.input.externalId || numbers.has(its ?? ""),
    );
    return firstOfOurs(
      alike.map(({ id }) => String(id)),
      (ours) => {
        if (ours === null) return createShipment(delivery, order, trackingNumber);
        const isShipped = alike.some((shipment) => String(shipment.id) === ours && shipment.isShipped);
        return isShipped || document.status === "pending" ? delivered(ours) : completeShipment(delivery, Number(ours), trackingNumber);
      },
    );
  });
}

type Order = z.output<typeof Shipments>["orders"][number];

/** What no shipment of the order holds yet. */
function awaited({ lines, shipments }: Order): { lineNumber: string; sku: null; quantity: string }[] {
  const shipped = shipments.flatMap((shipment) => shipment.lines);
  return lines.flatMap(({ id, quantity }) => {
    const left = shipped.reduce((rest, line) => (line.orderLine.id === id ? rest - line.quantity : rest), quantity);
    return left > 0 ? [{ lineNumber: String(id), sku: null, quantity: String(left) }] : [];
  });
}

function createShipment(delivery: Delivery<"shipment">, order: Order, trackingNumber: string): Verdict {
  const { document } = delivery;
  const wanted = document.lines.length > 0 ? document.lines : awaited(order);
  if (wanted.length === 0) return dead("nothing-to-fulfil", "the order awaits nothing any more");
  const lines: object[] = [];
  const found = linesOfOrder(wanted, order.lines, (line) => ({ lineNumber: String(line.id), sku: line.productSize?.SKU }));
  for (const [index, { sku, quantity }] of wanted.entries()) {
    const line = found[index];
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    lines.push({ orderLine: { id: line.id }, quantity: Number(quantity) });
  }
  const create = `mutation ($input: ShipmentCreateInput!) { createShipment(input: $input) { shipment { id } ${Errors} } }`;
  // A shipment is sent once it says when.
  const shippedAt = document.shippedAt ?? (document.status === "pending" ? null : (delivery.input.now?.toISOString() ?? null));
  const input = {
    order: { id: order.id },
    lines,
    isGoodToGo: shippedAt !== null,
    ...(shippedAt === null ? {} : { shippedAt }),
    shipmentInfo: { trackingNumber },
    sendEmail: false,
  };
  const Made = z.object({ createShipment: z.object({ shipment: z.object({ id: z.int() }) }) });
  return next(ask(delivery, create, { input }, Made, ({ createShipment: { shipment } }) => delivered(String(shipment.id))));
}

/** What was made while it was pending is sent: without a time of its own, now. */
function completeShipment(delivery: Delivery<"shipment">, id: number, trackingNumber: string): Verdict {
  const { shippedAt } = delivery.document;
  const complete = `mutation ($id: Int!, $input: ShipmentCompleteInput!) { completeShipment(id: $id, input: $input) { shipment { id } ${Errors} } }`;
  const input = { ...(shippedAt && { shippedAt }), shipmentInfo: { trackingNumber }, sendEmail: false };
  const Sent = z.object({ completeShipment: z.object({ shipment: z.object({ id: z.int() }) }) });
  return next(ask(delivery, complete, { id, input }, Sent, () => delivered(String(id))));
}
