import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { firstOfOurs } from "../found.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { type Delivery, Id, call, partsOfOrder } from "./call.ts";

const Shipment = z.object({ id: Id, tracking_number: z.string().nullish() });
const Line = z.object({
  id: z.int(),
  sku: z.string().nullish(),
  quantity: z.number(),
  quantity_shipped: z.number().default(0),
  order_address_id: z.int(),
});

/**
 * The order's number is the store's id: orders come from there. One shipment of it is known by its id, by its tracking number, unless that is
 * another's in the same parcel, or by its own, which goes along until there is one.
 */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document } = delivery;
  if (!/^\d{1,16}$/.test(document.orderNumber)) return dead("order-unknown", "order numbers of the store are digits only");
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "shipments are not taken back by this connector");
  const tracked = document.tracking?.[0]?.number;
  const number = tracked ?? document.shipmentNumber;
  const orderPath = `v2/orders/${document.orderNumber}`;
  return partsOfOrder(
    delivery,
    `${orderPath}/shipments`,
    Shipment,
    (shipments) => {
      const alike = shipments.filter(
        ({ id, tracking_number: its }) => id === delivery.input.externalId || its === number || its === document.shipmentNumber,
      );
      return firstOfOurs(
        alike.map(({ id }) => id),
        (ours) => {
          const known = alike.find(({ id }) => id === ours);
          if (known)
            return known.tracking_number === number || tracked === undefined ? delivered(known.id) : track(delivery, known.id, number);
          return next(partsOfOrder(delivery, `${orderPath}/products`, Line, (lines) => ship(delivery, lines, number)));
        },
      );
    },
    { 404: () => later("order-unknown", "the store has no order with this number") },
  );
}

function track(delivery: Delivery<"shipment">, id: string, number: string): Verdict {
  const { orderNumber } = delivery.document;
  const work = { method: "PUT", path: `v2/orders/${orderNumber}/shipments/${id}`, body: { tracking_number: number } } as const;
  return next(call(delivery, work, Anything, () => delivered(id)));
}

function ship(delivery: Delivery<"shipment">, lines: z.output<typeof Line>[], number: string): Verdict {
  const { document } = delivery;
  const wanted =
    document.lines.length > 0
      ? document.lines
      : lines
          .filter((line) => line.quantity > line.quantity_shipped)
          .map((line) => ({
            lineNumber: String(line.id),
            sku: line.sku ?? null,
            quantity: String(line.quantity - line.quantity_shipped),
          }));
  if (wanted.length === 0) return dead("nothing-to-fulfil", "the order awaits nothing any more");
  const items: { order_product_id: number; quantity: number }[] = [];
  let addressId: number | undefined;
  const found = linesOfOrder(wanted, lines, (line) => ({ lineNumber: String(line.id), sku: line.sku }));
  for (const [index, { sku, quantity }] of wanted.entries()) {
    const line = found[index];
    const pieces = toWholeNumber(quantity);
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    if (pieces === null || pieces < 1) return dead("fraction", `whole positive quantities only; sku ${sku ?? ""} has ${quantity}`);
    addressId ??= line.order_address_id;
    items.push({ order_product_id: line.id, quantity: pieces });
  }
  const body = { order_address_id: addressId, tracking_number: number, shipping_provider: "", comments: document.carrier ?? "", items };
  return next(
    call(delivery, { method: "POST", path: `v2/orders/${document.orderNumber}/shipments`, body }, z.object({ id: Id }), ({ id }) =>
      delivered(id),
    ),
  );
}
