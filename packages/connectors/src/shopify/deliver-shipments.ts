import type { Shipment } from "@crossdock/contract";
import { z } from "zod";
import { type OutboundRequest, type Verdict, dead } from "../connector.ts";
import { toWholeNumber } from "../decimal.ts";
import { firstOfOurs } from "../found.ts";
import { Anything, later, next } from "../json-call.ts";
import { type Delivery, Id, call } from "./call.ts";
import { locationOf } from "./deliver-goods.ts";
import { type AnsweredOrder, findOrder, orderNotThereYet } from "./deliver-orders.ts";

const FulfillmentAnswer = z.object({ fulfillment: z.object({ id: Id }) });
const FulfillmentOrder = z.object({
  id: Id,
  status: z.string(),
  assigned_location_id: Id.nullish(),
  line_items: z.array(z.object({ id: Id, line_item_id: Id, fulfillable_quantity: z.int() })),
});
type FulfillmentOrder = z.output<typeof FulfillmentOrder>;
const FulfillmentOrdersAnswer = z.object({ fulfillment_orders: z.array(FulfillmentOrder) });

/** Since 2022-07 what is sent is sent per fulfilment order: find the order, ask what it still awaits, fulfil the shipment's part. */
export function deliverShipment(delivery: Delivery<Shipment>): OutboundRequest {
  const { document, input } = delivery;
  const id = input.externalId !== null && /^\d{1,16}$/.test(input.externalId) ? input.externalId : null;
  if (id !== null && document.status !== "cancelled") return updateTracking(delivery, id);
  return findOrder(delivery, document.orderNumber, (order) => {
    if (!order) return orderNotThereYet();
    const sent = alreadySent(order, document, id);
    return firstOfOurs(
      sent.map((each) => each.id),
      (ours) =>
        goOn(
          delivery,
          order,
          sent.find((each) => each.id === ours),
        ),
    );
  });
}

function goOn(delivery: Delivery<Shipment>, order: AnsweredOrder, sent: SentFulfillment | undefined): Verdict {
  const { document } = delivery;
  if (sent && document.status === "cancelled") return cancelFulfillment(delivery, sent);
  if (sent) return isTracked(sent, document) ? { kind: "delivered", externalId: sent.id } : next(updateTracking(delivery, sent.id));
  if (document.status !== "shipped" && document.status !== "delivered") return { kind: "delivered" };
  const path = `orders/${order.id}/fulfillment_orders.json`;
  return next(
    call(delivery, { method: "GET", path }, FulfillmentOrdersAnswer, (answer) => fulfil(delivery, order, answer.fulfillment_orders)),
  );
}

type SentFulfillment = NonNullable<AnsweredOrder["fulfillments"]>[number];

/** A fulfilment with one of this shipment's numbers is this shipment, whose answer came too late last time, or another in the same parcel. */
function alreadySent(order: AnsweredOrder, shipment: Shipment, id: string | null): SentFulfillment[] {
  const numbers = new Set([shipment.shipmentNumber, ...(shipment.tracking ?? []).map(({ number }) => number)]);
  const isSame = ({ tracking_numbers: sent }: SentFulfillment) => (sent ?? []).some((number) => numbers.has(number));
  return (order.fulfillments ?? []).filter((each) => each.id === id || (id === null && each.status === "success" && isSame(each)));
}

function isTracked({ tracking_numbers: sent }: SentFulfillment, { tracking }: Shipment): boolean {
  const number = tracking?.[0]?.number;
  return number === undefined || (sent ?? []).includes(number);
}

function fulfil(delivery: Delivery<Shipment>, order: AnsweredOrder, fulfillmentOrders: FulfillmentOrder[]): Verdict {
  const open = fulfillmentOrders.filter(({ status }) => status === "open" || status === "in_progress");
  if (open.length === 0) {
    if (fulfillmentOrders.some(({ status }) => status === "on_hold" || status === "scheduled"))
      return later("order-on-hold", "the shop holds the order back for now");
    return dead("nothing-to-fulfil", "the order awaits nothing any more");
  }
  const parts = partsOfOneLocation(delivery, order, open);
  if (!Array.isArray(parts)) return parts;
  const fulfillment = { line_items_by_fulfillment_order: parts, notify_customer: false, ...trackingFor(delivery.document) };
  return next(
    call(delivery, { method: "POST", path: "fulfillments.json", body: { fulfillment } }, FulfillmentAnswer, (answer) => ({
      kind: "delivered",
      externalId: answer.fulfillment.id,
    })),
  );
}

type Part = { fulfillment_order_id: number; fulfillment_order_line_items?: { id: number; quantity: number }[] };

/** One fulfilment is of one location: that of the shipment's warehouse, or else one that awaits all of it. */
function partsOfOneLocation({ document, settings }: Delivery<Shipment>, order: AnsweredOrder, open: FulfillmentOrder[]): Part[] | Verdict {
  const wanted = document.warehouse == null ? undefined : locationOf(document.warehouse, settings);
  const byLocation = Map.groupBy(open, ({ assigned_location_id: location }) => location ?? "");
  const own = wanted === undefined ? undefined : byLocation.get(wanted);
  const candidates = [...(own ? [own] : []), ...[...byLocation.values()].filter((each) => each !== own)];
  const several = dead(
    "several-locations",
    "the shop sends the order from several locations: each has to be a shipment of its own, with its lines",
  );
  if (document.lines.length === 0) {
    const [first] = candidates;
    if (first === undefined || (!own && candidates.length > 1)) return several;
    return first.map(({ id }) => ({ fulfillment_order_id: Number(id) }));
  }
  const parts = candidates.map((each) => choose(document, order, each)).find((each) => Array.isArray(each));
  if (parts) return parts;
  const spread = choose(document, order, open);
  return Array.isArray(spread) ? several : spread;
}

/** Spreads each line of the shipment over what the fulfilment orders still await of it. */
function choose(shipment: Shipment, order: AnsweredOrder, open: FulfillmentOrder[]): Part[] | Verdict {
  const parts = new Map<string, Part>();
  const awaited = open.flatMap(({ id, line_items: lines }) => lines.map((line) => ({ id, line })));
  const left = new Map(awaited.map(({ line }) => [line.id, line.fulfillable_quantity]));
  for (const { lineNumber, sku, quantity } of shipment.lines) {
    const alike = new Set(order.line_items.filter((line) => sku !== null && line.sku === sku).map(({ id }) => id));
    let wanted = toWholeNumber(quantity) ?? 0;
    if (wanted < 1) return dead("not-supported", `Shopify takes whole positive quantities; sku ${sku ?? ""} has ${quantity}`);
    // The line of that very number first: an order may have a sku twice.
    const numbered = awaited.filter(({ line }) => line.line_item_id === lineNumber);
    const others = awaited.filter(({ line }) => line.line_item_id !== lineNumber && alike.has(line.line_item_id));
    for (const { id, line } of [...numbered, ...others]) {
      const taken = Math.min(wanted, left.get(line.id) ?? 0);
      if (taken < 1) continue;
      const { fulfillment_order_line_items: lines = [] } = parts.get(id) ?? {};
      parts.set(id, {
        fulfillment_order_id: Number(id),
        fulfillment_order_line_items: [...lines, { id: Number(line.id), quantity: taken }],
      });
      left.set(line.id, (left.get(line.id) ?? 0) - taken);
      wanted -= taken;
    }
    if (wanted > 0) return dead("nothing-to-fulfil", `the order awaits ${wanted} less of sku ${sku ?? ""} than was sent`);
  }
  return [...parts.values()];
}

function updateTracking(delivery: Delivery<Shipment>, id: string): OutboundRequest {
  const body = { fulfillment: { notify_customer: false, ...trackingFor(delivery.document) } };
  return call(delivery, { method: "POST", path: `fulfillments/${id}/update_tracking.json`, body }, Anything, () => ({
    kind: "delivered",
    externalId: id,
  }));
}

/** The shop refuses to cancel what is cancelled, which a repetition must not meet. */
function cancelFulfillment(delivery: Delivery<Shipment>, { id, status }: SentFulfillment): Verdict {
  const delivered: Verdict = { kind: "delivered", externalId: id };
  if (status === "cancelled") return delivered;
  return next(call(delivery, { method: "POST", path: `fulfillments/${id}/cancel.json`, body: {} }, Anything, () => delivered));
}

/** REST takes one tracking number for a fulfilment. A shipment without one goes by its own number, as nothing else of a fulfilment can be chosen. */
function trackingFor({ shipmentNumber, tracking, carrier }: Shipment) {
  const first = tracking?.[0];
  return { tracking_info: { number: first?.number ?? shipmentNumber, url: first?.url ?? null, company: carrier ?? null } };
}
