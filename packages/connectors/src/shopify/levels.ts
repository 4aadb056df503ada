import { z } from "zod";
import type { Dead, TargetResponse } from "../connector.ts";
import { type Answer, type Question, type Shop, ask, following } from "./ask.ts";
import { Id } from "./call.ts";
import { Sku } from "./payloads.ts";
import { locationsOf } from "./translate-goods.ts";

/** As many inventory items as one question takes. */
const pageSize = 100;

const Levels = z.object({
  inventory_levels: z.array(
    z.looseObject({
      inventory_item_id: Id,
      location_id: Id,
      available: z.union([z.string(), z.number()]).nullish(),
      updated_at: z.string().nullish(),
    }),
  ),
});
const Items = z.object({ inventory_items: z.array(z.object({ id: Id, sku: Sku, tracked: z.boolean().nullish() })) });

/** `level` as the shop tells it. */
export type Level = { level: z.output<typeof Levels>["inventory_levels"][number]; sku: string | null; isCounted: boolean };

/**
 * The levels at the locations in the settings, a page of them. They don't name a sku: their inventory items, asked for next, do. `after` is the
 * place that the shop named for the page; `then` is told the one for the page behind it.
 */
export function askLevels<Answered>(
  shop: Shop,
  filter: Record<string, string>,
  after: string | null,
  then: (levels: Level[], after: string | null, response: TargetResponse) => Answer<Answered>,
): Question<Answered> | Dead {
  const locations = locationsOf(shop.settings);
  if ("kind" in locations) return locations;
  const wanted = after === null ? { location_ids: locations.join(","), ...filter } : { page_info: after };
  const asked = ask<typeof Levels, Answered>(
    shop,
    get("inventory_levels", { limit: String(pageSize), ...wanted }),
    Levels,
    ({ inventory_levels: levels }, response) => {
      const next = nextPlace(response.headers["link"]);
      if (levels.length === 0) return then([], next, response);
      const ids = [...new Set(levels.map(({ inventory_item_id: id }) => id))].join(",");
      return following(
        ask(shop, get("inventory_items", { ids, limit: String(pageSize) }), Items, ({ inventory_items: found }) => {
          const items = new Map(found.map((item) => [item.id, item]));
          const known = levels.flatMap((level) => {
            const item = items.get(level.inventory_item_id);
            return item ? [{ level, sku: item.sku, isCounted: item.tracked !== false }] : [];
          });
          return then(known, next, response);
        }),
      );
    },
  );
  if ("kind" in asked || after === null) return asked;
  // The shop forgets its places after a while; the list is begun anew.
  const anew = (): Answer<Answered> => following(askLevels(shop, filter, null, then));
  return { ...asked, read: (response) => (response.status === 400 ? anew() : asked.read(response)) };
}

function get(resource: string, query: Record<string, string>): { method: "GET"; path: string } {
  return { method: "GET", path: `${resource}.json?${new URLSearchParams(query).toString()}` };
}

/** From `<https://…?page_info=…&limit=…>; rel="next"`, beside which the previous page may stand. */
function nextPlace(link: string | undefined): string | null {
  const next = link?.split(",").find((part) => part.includes('rel="next"')) ?? "";
  const url = next.slice(next.indexOf("<") + 1, next.indexOf(">"));
  return URL.canParse(url) ? new URL(url).searchParams.get("page_info") : null;
}
