import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import type { Dead, Page, Pull, PulledMessage, TargetResponse } from "../connector.ts";
import { asText } from "../foreign.ts";
import { clockOf, shownBy } from "../paging.ts";
import { withAllVariants } from "./all-variants.ts";
import { type Answer, type Context, ask } from "./ask.ts";
import { type Level, askLevels } from "./levels.ts";

/** Of orders and products with all their fields. */
const pageSize = 100;

/**
 * A round asks for what has changed since `since`, in the order in which it was made: the next page begins behind `after`, the last id, or the place
 * that the shop named. What changes meanwhile, behind the page or before it, is the next round's, which goes back to `until`.
 */
const Place = z
  .object({ since: z.string().nullable(), after: z.string().nullable(), until: z.string().nullable() })
  .catch({ since: null, after: null, until: null });
type Place = z.infer<typeof Place>;

function placeOf({ cursor }: Context): Place {
  return Place.parse(cursor === null ? null : JSON.parse(cursor));
}

function page(context: Context, messages: PulledMessage[], after: string | null, { headers }: TargetResponse): Page {
  const { since, until } = placeOf(context);
  const begun = until ?? shownBy(clockOf(headers, context.now ?? new Date()));
  const next: Place = after === null ? { since: begun, after: null, until: null } : { since, after, until: begun };
  return { kind: "page", messages, cursor: JSON.stringify(next), hasMore: after !== null };
}

function changedSince({ since }: Place): Record<string, string> {
  return since === null ? {} : { updated_at_min: since };
}

type Changed = Record<string, unknown>;

type Resource = {
  name: "products" | "orders" | "customers";
  isMoved?: (object: Changed) => boolean;
  /** Goes on with the objects as they are to be moved: all, or the first ones of a page, which then ends with them. */
  complete?: (context: Context, objects: Changed[], then: (objects: Changed[]) => Answer<Page>) => Answer<Page>;
};

/** Objects with all their fields, as webhooks have them. */
function changed({ name: resource, isMoved = () => true, complete = (_context, objects, then) => then(objects) }: Resource) {
  const Objects = z.object({ [resource]: z.array(z.record(z.string(), z.unknown())) });
  return (context: Context): Pull | Dead => {
    const place = placeOf(context);
    const query = new URLSearchParams({
      limit: String(pageSize),
      since_id: place.after ?? "0",
      ...changedSince(place),
      ...(resource === "orders" && { status: "any" }),
    });
    return ask(context, { method: "GET", path: `${resource}.json?${query.toString()}` }, Objects, (answer, response) => {
      const shown = answer[resource] ?? [];
      return complete(context, shown, (objects) => {
        const messages = objects.filter(isMoved).map((object) => ({
          body: JSON.stringify(object),
          name: `${asText(object["id"])}@${asText(object["updated_at"])}`,
        }));
        const isLast = shown.length < pageSize && objects.length === shown.length;
        return page(context, messages, isLast ? null : asText(objects.at(-1)?.["id"]), response);
      });
    });
  };
}

function wasFulfilled({ fulfillments }: Changed): boolean {
  return Array.isArray(fulfillments) && fulfillments.length > 0;
}

/** What the shop doesn't count is left out, and without a sku what the settings say. */
function levels(context: Context): Pull | Dead {
  const place = placeOf(context);
  return askLevels(context, changedSince(place), place.after, (found, after, response) => {
    const isMoved = ({ sku, isCounted }: Level): boolean => isCounted && (sku !== null || context.settings.missingSku !== "skip");
    const messages = found.filter(isMoved).map(({ sku, level }) => ({
      body: JSON.stringify({ ...level, sku }),
      name: `${level.inventory_item_id}/${level.location_id}@${level.updated_at ?? ""}`,
    }));
    return page(context, messages, after, response);
  });
}

const products = changed({
  name: "products",
  complete: (context, shown, then) =>
    withAllVariants(context, shown, (some, all) =>
      then(
        some.map((product) => {
          const variants = all.get(product);
          return variants ? { ...product, variants, variant_gids: variants.map(({ id }) => ({ id })) } : product;
        }),
      ),
    ),
});

/** What of a shop has changed since it was asked last. */
export const pulls: Record<EntityType, (context: Context) => Pull | Dead> = {
  item: products,
  price: products,
  stock: (context) => (context.settings.stockFromProducts ? products : levels)(context),
  order: changed({ name: "orders" }),
  shipment: changed({ name: "orders", isMoved: wasFulfilled }),
  customer: changed({ name: "customers" }),
};
