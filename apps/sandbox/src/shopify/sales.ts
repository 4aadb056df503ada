import {
  type Call,
  type Fields,
  type Ids,
  type Reply,
  type Resource,
  Table,
  fieldsIn,
  invalid,
  isFields,
  missing,
  moneyOf,
  notFound,
  ok,
  textOf,
  wrapped,
} from "./call.ts";
import type { Goods } from "./goods.ts";

export const emptySales = () => ({
  orders: new Map<number, Resource>(),
  fulfillmentOrders: new Map<number, Resource>(),
  fulfillments: new Map<number, Resource>(),
  byName: new Map<string, Resource[]>(),
  toFulfill: new Map<number, Resource[]>(),
  number: 1_000,
});
type SalesMemory = ReturnType<typeof emptySales>;

/** Orders, what is to be sent of them, and what was. */
export class Sales {
  readonly orders: Table;
  readonly #fulfillmentOrders: Table;
  readonly fulfillments: Table;
  readonly #ids: Ids;
  readonly #goods: Goods;
  readonly #byName: SalesMemory["byName"];
  readonly #toFulfill: SalesMemory["toFulfill"];
  readonly #memory: SalesMemory;

  constructor(ids: Ids, goods: Goods, memory: SalesMemory) {
    this.orders = new Table(ids, memory.orders);
    this.#fulfillmentOrders = new Table(ids, memory.fulfillmentOrders);
    this.fulfillments = new Table(ids, memory.fulfillments);
    this.#byName = memory.byName;
    this.#toFulfill = memory.toFulfill;
    this.#memory = memory;
    this.#ids = ids;
    this.#goods = goods;
  }

  createOrder({ body }: Call): Reply {
    const fields = wrapped(body, "order");
    if (!fields) return missing("order");
    const lines = fieldsIn(fields["line_items"]);
    if (lines.length === 0) return invalid({ line_items: ["must have at least one line item"] });
    const faulty = lines.find((line) => !(Number(line["quantity"]) >= 1) || (textOf(line["title"]) === "" && !line["variant_id"]));
    if (faulty) return invalid({ line_items: [`is invalid: quantity must be at least 1, title or variant_id present`] });
    this.#memory.number += 1;
    const order = this.orders.create({
      ...fields,
      name: textOf(fields["name"], `#${this.#memory.number}`),
      order_number: this.#memory.number,
      cancelled_at: null,
      closed_at: null,
      financial_status: fields["financial_status"] ?? "paid",
      fulfillment_status: null,
      fulfillments: [],
      line_items: lines.map((line) => this.#line(line)),
    });
    this.#byName.set(textOf(order["name"]), [...(this.#byName.get(textOf(order["name"])) ?? []), order]);
    this.#openFulfillmentOrder(order);
    return ok({ order }, 201);
  }

  listOrders({ query }: Call): Reply {
    const name = query.get("name");
    const status = query.get("status") ?? "open";
    const candidates = name === null ? this.orders.list(query) : (this.#byName.get(name) ?? []);
    const isAsked = (order: Resource) =>
      status === "any" || status === (order["cancelled_at"] !== null ? "cancelled" : order["closed_at"] === null ? "open" : "closed");
    return ok({ orders: candidates.filter(isAsked) });
  }

  getOrder({ ids: [id] }: Call): Reply {
    const order = this.orders.get(id);
    return order ? ok({ order }) : notFound;
  }

  updateOrder({ ids: [id], body }: Call): Reply {
    const [order, fields] = [this.orders.get(id), wrapped(body, "order")];
    if (!order) return notFound;
    if (!fields) return missing("order");
    const { line_items: _lines, name: _name, ...others } = fields;
    return ok({ order: this.orders.update(order, others) });
  }

  /** `cancelled_at` or `closed_at` is set to now, or to null. */
  markOrder({ ids: [id] }: Call, mark: "cancelled_at" | "closed_at", isSet: boolean): Reply {
    const order = this.orders.get(id);
    if (!order) return notFound;
    if (mark === "cancelled_at" && order["fulfillment_status"] !== null) return invalid("Cannot cancel a fulfilled order");
    this.orders.update(order, { [mark]: isSet ? new Date().toISOString().replace(/\.\d+Z$/, "+00:00") : null });
    return ok({ order });
  }

  listFulfillmentOrders({ ids: [orderId] }: Call): Reply {
    if (!this.orders.get(orderId)) return notFound;
    return ok({ fulfillment_orders: this.#toFulfill.get(Number(orderId)) ?? [] });
  }

  createFulfillment({ body }: Call): Reply {
    const fields = wrapped(body, "fulfillment");
    const parts = fieldsIn(fields?.["line_items_by_fulfillment_order"]);
    if (!fields || parts.length === 0) return missing("fulfillment");
    const fulfilled: Fields[] = [];
    let order: Resource | undefined;
    for (const part of parts) {
      const fulfillmentOrder = this.#fulfillmentOrders.get(Number(part["fulfillment_order_id"]));
      if (!fulfillmentOrder) return notFound;
      if (fulfillmentOrder["status"] === "closed")
        return invalid(`Fulfillment order ${fulfillmentOrder.id} has an unfulfillable status= closed.`);
      order = this.orders.get(Number(fulfillmentOrder["order_id"]));
      const taken = takeLines(fulfillmentOrder, fieldsIn(part["fulfillment_order_line_items"]));
      if (!taken) return invalid("Invalid fulfillment order line item quantity requested.");
      fulfilled.push(...taken);
    }
    if (!order) return notFound;
    const tracking = isFields(fields["tracking_info"]) ? fields["tracking_info"] : {};
    const fulfillment = this.fulfillments.create({
      order_id: order.id,
      status: "success",
      service: "manual",
      line_items: fulfilled,
      ...trackingOf(tracking),
    });
    const isComplete = (this.#toFulfill.get(order.id) ?? []).every((each) => each["status"] === "closed");
    this.orders.update(order, {
      fulfillments: [...fieldsIn(order["fulfillments"]), fulfillment],
      fulfillment_status: isComplete ? "fulfilled" : "partial",
    });
    return ok({ fulfillment }, 201);
  }

  updateTracking({ ids: [id], body }: Call): Reply {
    const [fulfillment, fields] = [this.fulfillments.get(id), wrapped(body, "fulfillment")];
    if (!fulfillment) return notFound;
    const tracking = fields?.["tracking_info"];
    if (!isFields(tracking)) return missing("fulfillment");
    return ok({ fulfillment: this.fulfillments.update(fulfillment, trackingOf(tracking)) });
  }

  cancelFulfillment({ ids: [id] }: Call): Reply {
    const fulfillment = this.fulfillments.get(id);
    return fulfillment ? ok({ fulfillment: this.fulfillments.update(fulfillment, { status: "cancelled" }) }) : notFound;
  }

  #line(line: Fields): Fields {
    const variant = this.#goods.variants.get(Number(line["variant_id"]));
    return {
      ...line,
      id: this.#ids.next(),
      sku: line["sku"] ?? variant?.["sku"] ?? null,
      price: moneyOf(line["price"] ?? variant?.["price"]),
    };
  }

  #openFulfillmentOrder(order: Resource): void {
    const lines = fieldsIn(order["line_items"]).map((line) => ({
      id: this.#ids.next(),
      line_item_id: line["id"],
      variant_id: line["variant_id"] ?? null,
      quantity: Number(line["quantity"]),
      fulfillable_quantity: Number(line["quantity"]),
    }));
    const fulfillmentOrder = this.#fulfillmentOrders.create({
      order_id: order.id,
      assigned_location_id: 655441491,
      status: "open",
      request_status: "unsubmitted",
      line_items: lines,
    });
    this.#toFulfill.set(order.id, [fulfillmentOrder]);
  }
}

/** Takes the asked lines, or all that is left when none are named, off a fulfilment order; null when more is asked than is left. */
function takeLines(fulfillmentOrder: Resource, asked: Fields[]): Fields[] | null {
  const lines = fieldsIn(fulfillmentOrder["line_items"]);
  const wanted = asked.length > 0 ? asked : lines.map((line) => ({ id: line["id"], quantity: line["fulfillable_quantity"] }));
  const pairs = wanted.map((want) => ({ line: lines.find((line) => line["id"] === want["id"]), quantity: Number(want["quantity"]) }));
  const taken: Fields[] = [];
  for (const { line, quantity } of pairs) {
    if (!line || !(quantity >= 1) || quantity > Number(line["fulfillable_quantity"])) return null;
  }
  for (const { line, quantity } of pairs) {
    if (!line) return null;
    line["fulfillable_quantity"] = Number(line["fulfillable_quantity"]) - quantity;
    taken.push({ id: line["line_item_id"], variant_id: line["variant_id"], quantity });
  }
  if (lines.every((line) => line["fulfillable_quantity"] === 0)) fulfillmentOrder["status"] = "closed";
  else fulfillmentOrder["status"] = "in_progress";
  return taken;
}

function trackingOf({ number, url, company }: Fields): Fields {
  const [numbers, urls] = [number, url].map((value) => (typeof value === "string" ? [value] : []));
  return {
    tracking_company: company ?? null,
    tracking_number: numbers?.[0] ?? null,
    tracking_numbers: numbers,
    tracking_url: urls?.[0] ?? null,
    tracking_urls: urls,
  };
}
