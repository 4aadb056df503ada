import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import type { Dead, Page, Pull, PulledMessage, TargetResponse } from "../connector.ts";
import { asText } from "../foreign.ts";
import { shownBy } from "../paging.ts";
import { withAllVariants } from "./all-variants.ts";
import { type Context, type Told, ask, following } from "./ask.ts";
import { Id } from "./call.ts";
import { Sku } from "./payloads.ts";
import { locationsOf } from "./translate-goods.ts";

/** As many inventory items as one question takes. */
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
  const begun = until ?? shownBy(clockOf(headers, context.now));
  const next: Place = after === null ? { since: begun, after: null, until: null } : { since, after, until: begun };
  return { kind: "page", messages, cursor: JSON.stringify(next), hasMore: after !== null };
}

/** The earlier one of the shop's clock and the hub's: either may be ahead, and what lies between would never be asked for. */
function clockOf(headers: TargetResponse["headers"], now = new Date()): Date {
  const told = Date.parse(headers["date"] ?? "");
  return Number.isNaN(told) ? now : new Date(Math.min(told, now.getTime()));
}

function changedSince({ since }: Place): Record<string, string> {
  return since === null ? {} : { updated_at_min: since };
}

type Changed = Record<string, unknown>;

type Resource = {
  name: "products" | "orders" | "customers";
  isMoved?: (object: Changed) => boolean;
  /** Goes on with the objects as they are to be moved: all, or the first ones of a page, which then ends with them. */
  complete?: (context: Context, objects: Changed[], then: (objects: Changed[]) => Told) => Told;
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

const Levels = z.object({
  inventory_levels: z.array(z.looseObject({ inventory_item_id: Id, location_id: Id, updated_at: z.string().nullish() })),
});
const Items = z.object({ inventory_items: z.array(z.object({ id: Id, sku: Sku, tracked: z.boolean().nullish() })) });

/** Levels don't name a sku: their inventory items, asked for next, do. */
function levels(context: Context): Pull | Dead {
  const locations = locationsOf(context.settings);
  if ("kind" in locations) return locations;
  const place = placeOf(context);
  const wanted = place.after === null ? { location_ids: locations.join(","), ...changedSince(place) } : { page_info: place.after };
  const query = new URLSearchParams({ limit: String(pageSize), ...wanted });
  const asked = ask(
    context,
    { method: "GET", path: `inventory_levels.json?${query.toString()}` },
    Levels,
    ({ inventory_levels: found }, response) => {
      const after = nextPlace(response.headers["link"]);
      if (found.length === 0) return page(context, [], after, response);
      const ids = [...new Set(found.map(({ inventory_item_id: id }) => id))].join(",");
      const ofItems = `inventory_items.json?${new URLSearchParams({ ids, limit: String(pageSize) }).toString()}`;
      return following(
        ask(context, { method: "GET", path: ofItems }, Items, (answer) => {
          const items = new Map(answer.inventory_items.map((item) => [item.id, item]));
          const messages = found.flatMap((level) => {
            const item = items.get(level.inventory_item_id);
            const isMoved = item && item.tracked !== false && (item.sku !== null || context.settings.missingSku !== "skip");
            const name = `${level.inventory_item_id}/${level.location_id}@${level.updated_at ?? ""}`;
            return isMoved ? [{ body: JSON.stringify({ ...level, sku: item.sku }), name }] : [];
          });
          return page(context, messages, after, response);
        }),
      );
    },
  );
  if ("kind" in asked || place.after === null) return asked;
  // The shop forgets its places after a while; the round begins anew.
  const anew = { ...context, cursor: JSON.stringify({ ...place, after: null } satisfies Place) };
  return { ...asked, read: (response) => (response.status === 400 ? following(levels(anew)) : asked.read(response)) };
}

/** From `<https://…?page_info=…&limit=…>; rel="next"`, beside which the previous page may stand. */
function nextPlace(link: string | undefined): string | null {
  const next = link?.split(",").find((part) => part.includes('rel="next"')) ?? "";
  const url = next.slice(next.indexOf("<") + 1, next.indexOf(">"));
  return URL.canParse(url) ? new URL(url).searchParams.get("page_info") : null;
}

const products = changed({ name: "products", complete: withAllVariants });

/** What of a shop has changed since it was asked last. */
export const pulls: Record<EntityType, (context: Context) => Pull | Dead> = {
  item: products,
  price: products,
  stock: (context) => (context.settings.stockFromProducts ? products : levels)(context),
  order: changed({ name: "orders" }),
  shipment: changed({ name: "orders", isMoved: wasFulfilled }),
  customer: changed({ name: "customers" }),
};
