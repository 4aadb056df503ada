import { z } from "zod";
import { type Dead, type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { addDecimals, isNegative, isZero } from "../decimal.ts";
import { firstOfOurs } from "../found.ts";
import { Anything, delivered, later, next } from "../json-call.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { asSent, linesToShip } from "./bundles.ts";
import { type Delivery, call, isComplete, listOf, searchCriteria } from "./call.ts";
import { type FoundOrder, findOrder } from "./find-order.ts";
import type { Settings } from "./settings.ts";

const Track = z.object({ track_number: z.string().nullish() });
const Shipment = z.object({ entity_id: z.int(), order_id: z.union([z.int(), z.string()]), tracks: z.array(Track).nullish() });
const ShipmentList = listOf(Shipment);

/**
 * A shipment that has been sent before is known by a tracking number, unless that is another's in the same parcel, or else by its own number,
 * which goes along as one.
 */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest | Dead {
  const { document, input } = delivery;
  const missing = isComplete(delivery.credentials);
  if (missing) return missing;
  if (document.status === "cancelled" || document.status === "failed")
    return dead("not-supported", "the store takes no shipment back by this API");
  const tracked = (document.tracking ?? []).map(({ number }) => number);
  if (input.externalId !== null)
    return call(delivery, { method: "GET", path: `V1/shipment/${encodeURIComponent(input.externalId)}` }, Shipment, (known) =>
      track(delivery, known, tracked),
    );
  return findOrder(delivery, "increment_id", document.orderNumber, (order) => {
    if (!order) return later("order-unknown", "the store has no order with this number yet");
    const path = `V1/shipments?${searchCriteria([["order_id", "eq", String(order.entity_id)]], 100)}`;
    return next(
      call(delivery, { method: "GET", path }, ShipmentList, ({ items }) => {
        const numbers = new Set([...tracked, document.shipmentNumber]);
        const alike = items.filter(({ tracks }) => tracks?.some(({ track_number: number }) => numbers.has(number ?? "")));
        return firstOfOurs(
          alike.map(({ entity_id: id }) => String(id)),
          (ours) => {
            const known = alike.find(({ entity_id: id }) => String(id) === ours);
            return known
              ? track(delivery, known, tracked)
              : ship(delivery, order, tracked.length > 0 ? tracked : [document.shipmentNumber]);
          },
        );
      }),
    );
  });
}

/** Adds the numbers that a known shipment hasn't, one by one: tracking often comes after the parcel has gone. */
function track(delivery: Delivery<"shipment">, known: z.output<typeof Shipment>, numbers: readonly string[]): Verdict {
  const has = new Set((known.tracks ?? []).map(({ track_number: number }) => number));
  const [number] = numbers.filter((each) => !has.has(each));
  if (number === undefined) return delivered(String(known.entity_id));
  const entity = {
    ...trackOf(delivery, number),
    parent_id: known.entity_id,
    order_id: Number(known.order_id),
    weight: 0,
    qty: 1,
    description: "",
  };
  return next(
    call(delivery, { method: "POST", path: "V1/shipment/track", body: { entity } }, Anything, () =>
      track(delivery, { ...known, tracks: [...(known.tracks ?? []), { track_number: number }] }, numbers),
    ),
  );
}

function trackOf({ document }: Delivery<"shipment">, number: string) {
  return { track_number: number, title: document.carrier ?? "Shipment", carrier_code: "custom" };
}

function ship(delivery: Delivery<"shipment">, order: FoundOrder, numbers: string[]): Verdict {
  const { document } = delivery;
  const quantities = new Map<FoundOrder["items"][number], string>();
  const lines = linesOfOrder(document.lines, linesToShip(order), (line) => ({ lineNumber: String(line.item_id), sku: line.sku }));
  for (const [index, { sku, quantity }] of document.lines.entries()) {
    const line = lines[index];
    if (!line) return dead("line-unknown", `the order has no line for sku ${sku ?? ""}`);
    if (isZero(quantity) || isNegative(quantity))
      return dead("not-supported", `the store sends quantities above zero; sku ${sku ?? ""} has ${quantity}`);
    // Of two entries of one line, as two batches make them, the store takes the last alone.
    quantities.set(line, addDecimals(quantities.get(line) ?? "0", quantity));
  }
  const tracks = numbers.map((number) => trackOf(delivery, number));
  const source = sourceOf(document, delivery.settings);
  // Without one the store takes the goods out of its default source.
  const from = source === undefined ? {} : { arguments: { extension_attributes: { source_code: source } } };
  // The answer is the shipment's id, bare.
  const Created = z.union([z.int(), z.string()]).transform(String);
  return asSent(delivery, order, quantities, (sent) => {
    const items = [...sent].map(([{ item_id: id }, quantity]) => ({ order_item_id: id, qty: Number(quantity) }));
    const body = { items, notify: false, tracks, ...from };
    return next(call(delivery, { method: "POST", path: `V1/order/${order.entity_id}/ship`, body }, Created, delivered));
  });
}

/** The source of the inventory that a shipment's goods were taken out of. */
export function sourceOf({ warehouse }: Delivery<"shipment">["document"], { sources }: Settings): string | undefined {
  return warehouse != null && Object.hasOwn(sources, warehouse) ? sources[warehouse] : undefined;
}
