import { z } from "zod";
import type { ReceivedDocument } from "../connector.ts";
import { Id, NeededAmount, Text, listOf, utcTime } from "../foreign.ts";
import { plainAmount } from "../listing.ts";
import { inPiecesOf } from "./bundles.ts";
import type { Settings } from "./settings.ts";
import { OrderLine, linesOf, orEmptyList } from "./translate.ts";

/** As a poll brings it, with what it needs of its order. */
export const Shipment = z.object({
  increment_id: Id,
  created_at: Text,
  updated_at: Text,
  items: listOf(z.object({ order_item_id: Id, sku: Text, qty: NeededAmount })),
  tracks: listOf(z.object({ track_number: Text, title: Text })).nullish(),
  extension_attributes: orEmptyList(z.object({ source_code: Text })),
  order: z.object({ increment_id: Id, items: listOf(OrderLine) }),
});
type Shipment = z.output<typeof Shipment>;

export function shipmentOf(shipment: Shipment, settings: Settings): ReceivedDocument[] {
  const tracks = (shipment.tracks ?? []).filter(({ track_number: number }) => number !== null);
  const document = {
    shipmentNumber: shipment.increment_id,
    orderNumber: shipment.order.increment_id,
    status: "shipped",
    shippedAt: utcTime(shipment.created_at),
    warehouse: warehouseOf(shipment.extension_attributes?.source_code ?? null, settings),
    carrier: tracks[0]?.title ?? null,
    tracking: tracks.map(({ track_number: number }) => ({ number })),
    lines: shippedLines(shipment),
    updatedAt: utcTime(shipment.updated_at),
  };
  return [{ entityType: "shipment", document }];
}

/** A source that the settings don't name is a warehouse by its code. */
function warehouseOf(source: string | null, { sources }: Settings): string | null {
  return Object.entries(sources).find(([, code]) => code === source)?.[0] ?? source;
}

/** By the lines that the order came with: of a bundle that was sent as one its parts, where those are the order's lines. */
function shippedLines({ items, order }: Shipment) {
  const known = new Map(order.items.map((line) => [line.item_id, line]));
  const lines = linesOf(order.items).flatMap(({ line, kind }) => (kind === "product" ? [line] : []));
  const isLine = new Set(lines.map(({ item_id: id }) => id));
  const shipped = new Map(items.map(({ order_item_id: id, qty }) => [id, qty]));
  return items.flatMap(({ order_item_id: id, sku, qty }) => {
    const whole = known.get(id);
    const parentId = whole?.parent_item_id ?? "";
    if (isLine.has(id) || whole === undefined) return [{ lineNumber: id, sku, quantity: qty }];
    const parts = lines.filter(({ parent_item_id: parent }) => parent === id);
    if (parts.length === 0) return isLine.has(parentId) && shipped.has(parentId) ? [] : [{ lineNumber: id, sku, quantity: qty }];
    return parts
      .filter(({ item_id: part }) => !shipped.has(part))
      .map((part) => ({
        lineNumber: part.item_id,
        sku: part.sku,
        quantity: plainAmount(inPiecesOf(part, qty, whole)),
      }));
  });
}
