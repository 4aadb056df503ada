import type { EntityType } from "@crossdock/contract";
import type { Dead, Page, Pull } from "../connector.ts";
import { asText } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered, judge } from "../json-call.ts";
import { type Asked, type Pulling, type Step, changesSince, followed } from "../paging.ts";
import { type Context as Store, call, isComplete, manners, searchCriteria } from "./call.ts";

type Context = Pulling & Store;

const pageSize = 100;

function itemsOf(body: unknown): unknown[] {
  return isRecord(body) && Array.isArray(body["items"]) ? body["items"] : [];
}

/** Lists by time of change; the store counts pages from 1 and gives the last one again when asked beyond it. */
function changes(path: string, idField: string, complete?: (context: Context, page: Page) => Asked) {
  return (context: Context): Pull | Dead => {
    const missing = isComplete(context.credentials);
    if (missing) return missing;
    const pull = changesSince({
      cursor: context.cursor,
      now: context.now,
      pageSize,
      request: ({ since, page }: Step) => {
        const conditions: [string, string, string][] = since === null ? [] : [["updated_at", "gteq", since]];
        const criteria = searchCriteria(conditions, pageSize, page, ["updated_at", "entity_id"]);
        return call(context, { method: "GET", path: `${path}?${criteria}` }, Anything, () => delivered());
      },
      manners,
      objectsOf: itemsOf,
      hasMore: (body, page) =>
        isRecord(body) && typeof body["total_count"] === "number" ? page * pageSize < body["total_count"] : undefined,
      idOf: (object) => object[idField],
      changedAt: (object) => object["updated_at"],
    });
    return complete ? followed(pull, (page) => complete(context, page)) : pull;
  };
}

const orderFields = "items[entity_id,increment_id,items[item_id,parent_item_id,sku,product_type,qty_ordered,row_total]]";

/** A shipment names its order by an id of the store, and has neither the order's number nor what its lines are parts of. */
function withOrders(context: Context, page: Page): Asked {
  const shipments = page.messages.map(({ body }): Record<string, unknown> => JSON.parse(body));
  const ids = [...new Set(shipments.map(({ order_id: id }) => asText(id)))];
  if (ids.length === 0) return page;
  const path = `V1/orders?${searchCriteria([["entity_id", "in", ids.join(",")]], ids.length)}&fields=${orderFields}`;
  const read = (body: unknown): Asked => {
    const orders = new Map(
      itemsOf(body)
        .filter(isRecord)
        .map((order) => [asText(order["entity_id"]), order]),
    );
    const messages = page.messages.map((message, index) => {
      const shipment = shipments[index];
      return { ...message, body: JSON.stringify({ ...shipment, order: orders.get(asText(shipment?.["order_id"])) }) };
    });
    return { ...page, messages };
  };
  const request = call(context, { method: "GET", path }, Anything, () => delivered());
  return { kind: "question", question: { request, read: (response) => judge(response, manners, {}, read) } };
}

/** What of a store has changed since it was asked last. */
export const pulls: { [Type in EntityType]?: (context: Context) => Pull | Dead } = {
  item: changes("V1/products", "sku"),
  order: changes("V1/orders", "entity_id"),
  shipment: changes("V1/shipments", "entity_id", withOrders),
  customer: changes("V1/customers/search", "id"),
};
