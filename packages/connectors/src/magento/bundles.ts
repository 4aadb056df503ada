import { z } from "zod";
import type { Verdict } from "../connector.ts";
import { divideDecimals, isNegative, multiplyDecimals, subtractDecimals } from "../decimal.ts";
import { next } from "../json-call.ts";
import { type Delivery, call, listOf, searchCriteria } from "./call.ts";
import type { FoundOrder } from "./find-order.ts";

type Line = FoundOrder["items"][number];
type Ordered = Pick<Line, "qty_ordered">;
type Quantities = Map<Line, string>;

/** Lines of which goods may be sent: parts of a bundle are goods of their own, that of a configurable product goes by its parent. */
export function linesToShip({ items }: FoundOrder): Line[] {
  const bundles = bundlesOf(items);
  return items.filter(({ parent_item_id: parentId }) => parentId == null || bundles.has(parentId));
}

function bundlesOf(items: readonly Line[]): Map<number, Line> {
  return new Map(items.filter(({ product_type: type }) => type === "bundle").map((line) => [line.item_id, line]));
}

const Attribute = z.object({ attribute_code: z.string(), value: z.unknown().optional() });
const Products = listOf(z.object({ id: z.int(), custom_attributes: z.array(Attribute).default([]) }));

function goesSeparately({ attribute_code: code, value }: z.output<typeof Attribute>): boolean {
  return code === "shipment_type" && String(value) === "1";
}

/**
 * What was shipped as the store takes it: by the bundle where its parts are sent together, by the parts where they are sent separately; it
 * refuses the other. https://github.com/magento/magento2/pull/30813
 */
export function asSent(
  delivery: Delivery<"shipment">,
  { items }: FoundOrder,
  shipped: Quantities,
  then: (sent: Quantities) => Verdict,
): Verdict {
  const bundles = bundlesOf(items);
  const bundleOf = (line: Line) => bundles.get(line.parent_item_id ?? line.item_id);
  const asked = new Set([...shipped.keys()].flatMap((line) => bundleOf(line)?.product_id ?? []));
  if (asked.size === 0) return then(shipped);
  const criteria = searchCriteria([["entity_id", "in", [...asked].join(",")]], asked.size);
  const path = `V1/products?${criteria}&fields=items[id,custom_attributes]`;
  return next(
    call(delivery, { method: "GET", path }, Products, (products) => {
      const separate = new Set(
        products.items.filter(({ custom_attributes: attributes }) => attributes.some(goesSeparately)).map(({ id }) => id),
      );
      const sent: Quantities = new Map();
      for (const [line, quantity] of shipped) {
        const bundle = bundleOf(line);
        const isSeparate = separate.has(bundle?.product_id ?? 0);
        const taken = isSeparate ? line : (bundle ?? line);
        const isWhole = isSeparate && line === bundle;
        for (const each of isWhole ? items.filter(({ parent_item_id: parentId }) => parentId === line.item_id) : [taken]) {
          const share = inPiecesOf(each, quantity, line);
          const known = sent.get(each);
          if (known === undefined || isNegative(subtractDecimals(known, share))) sent.set(each, share);
        }
      }
      return then(sent);
    }),
  );
}

/** So many of a line of a bundle as so many of another: both were ordered in their proportion. */
export function inPiecesOf({ qty_ordered: other }: Ordered, quantity: string, { qty_ordered: own }: Ordered): string {
  return own === null || other === null || own === other ? quantity : divideDecimals(multiplyDecimals(quantity, other), own, 4);
}
