import {
  type Call,
  type Fields,
  type Personality,
  type Reply,
  type Stage,
  fieldsOf,
  isWrong,
  jsonOf,
  listOf,
  ok,
  routed,
  textOf,
} from "../personality.ts";

/** A page of a list of v3, which tells how many pages there are. */
function paged({ query }: Call, objects: Fields[]): Reply {
  const [page, limit] = [Number(query.get("page") ?? 1), Math.min(Number(query.get("limit") ?? 50), 250)];
  const pagination = { total: objects.length, total_pages: Math.ceil(objects.length / limit), current_page: page, per_page: limit };
  return ok({ data: objects.slice((page - 1) * limit, page * limit), meta: { pagination } });
}

/** A page of a list of v2, which answers 204 where it is empty. */
function pagedInV2({ query }: Call, objects: Fields[]): Reply {
  const [page, limit] = [Number(query.get("page") ?? 1), Math.min(Number(query.get("limit") ?? 50), 250)];
  const found = objects.slice((page - 1) * limit, page * limit);
  return found.length === 0 ? ok(null, 204) : ok(found);
}

/** The store's look-ups are not exact in letter case. */
function isSku(fields: Fields, sku: string): boolean {
  return textOf(fields["sku"]).toLowerCase() === sku.toLowerCase();
}

function hasOptions(variant: Fields): boolean {
  return listOf(variant["option_values"]).length > 0;
}

/**
 * Consignments come only when asked for, with 50 of their lines, and as an object only when that is asked for, too: without it they are a list
 * of one.
 */
function ordered(order: Fields, query: URLSearchParams): Fields {
  if (!(query.get("include") ?? "").includes("consignments.line_items")) return order;
  const [address] = listOf(order["shipping_addresses"]);
  const shipping = [{ ...address, line_items: listOf(order["products"]).slice(0, 50) }];
  const consignments = { pickups: [], shipping, downloads: [], email: { gift_certificates: [] } };
  return { ...order, consignments: query.get("consignment_structure") === "object" ? consignments : [consignments] };
}

/** BigCommerce: v3 wraps in `data`, v2 does not and answers 204 where nothing is found. */
export function bigcommerce({ shelves }: Stage): Personality {
  const route = routed(
    {
      "GET /v2/store": () => ok({ id: "abc", name: "Store", currency: "SEK" }),
      "GET /v3/catalog/variants": (call) => {
        // The one variant of a product without options is found among the products.
        const sku = call.query.get("sku");
        return paged(
          call,
          shelves.list("variants").filter((variant) => sku === null || (hasOptions(variant) && isSku(variant, sku))),
        );
      },
      "GET /v3/catalog/products": (call) => {
        const byProduct = Map.groupBy(shelves.list("variants"), ({ product_id: id }) => id);
        const sku = call.query.get("sku");
        const products = shelves.list("products").filter((product) => sku === null || isSku(product, sku));
        return paged(
          call,
          products.map((product) => ({ ...product, variants: byProduct.get(product["id"]) })),
        );
      },
      "GET /v3/catalog/products/:id/variants/:variant": (_call, _id, variant) =>
        shelves.of("variants").has(variant ?? "")
          ? ok({ data: shelves.of("variants").get(variant ?? ""), meta: {} })
          : ok({ status: 404, title: "not found" }, 404),
      "GET /v3/pricelists/:id/records": (call, id) =>
        paged(
          call,
          [...shelves.of("records")].flatMap(([key, record]) => (key.startsWith(`${id ?? ""}/`) ? [record] : [])),
        ),
      "GET /v3/inventory/items": (call) => {
        const wanted = (call.query.get("location_id:in") ?? "").split(",");
        const levels = shelves.list("stock").filter(({ location_id: location }) => wanted.includes(textOf(location)));
        const bySku = Map.groupBy(levels, ({ sku }) => textOf(sku));
        return paged(
          call,
          [...bySku].map(([sku, ofSku]) => ({
            identity: { sku },
            locations: ofSku.map((level) => ({ location_id: level["location_id"], total_inventory_onhand: level["quantity"] })),
          })),
        );
      },
      "POST /v3/catalog/products": (call) => {
        const { variants, ...fields } = jsonOf(call);
        if (shelves.find("variants", ({ sku }) => sku === fields["sku"]))
          return ok({ status: 409, title: "The product sku is a duplicate" }, 409);
        const product = shelves.add("products", fields);
        // Where none are told there is one without options, which has the product's sku.
        const told = variants === undefined ? [{ sku: fields["sku"], option_values: [] }] : listOf(variants);
        const [variant] = told.map((each) => shelves.add("variants", { ...each, product_id: product.id }));
        const base = { base_variant_id: variants === undefined ? variant?.id : null };
        return ok({ data: shelves.merge("products", textOf(product.id), base), meta: {} });
      },
      "PUT /v3/catalog/products/:id": (call, id) =>
        shelves.of("products").has(id ?? "")
          ? ok({ data: shelves.merge("products", id ?? "", jsonOf(call)) })
          : ok({ status: 404, title: "not found" }, 404),
      "PUT /v3/catalog/products/:id/variants/:variant": (call, _id, variant) =>
        ok({ data: shelves.merge("variants", variant ?? "", jsonOf(call)) }),
      "PUT /v3/pricelists/:id/records": (call, id) => {
        const records: unknown = JSON.parse(call.body);
        for (const record of listOf(records))
          shelves.merge("records", `${id ?? ""}/${textOf(record["sku"])}/${textOf(record["currency"])}`, record);
        return ok({ data: {}, meta: {} });
      },
      "PUT /v3/inventory/adjustments/absolute": (call) => {
        for (const item of listOf(jsonOf(call)["items"]))
          shelves.merge("stock", `${textOf(item["sku"])}@${textOf(item["location_id"])}`, item);
        return ok({ transaction_id: "t1" });
      },
      "GET /v2/orders": (call) => {
        const wanted = call.query.get("external_order_id");
        const orders = shelves.list("orders").filter((order) => wanted === null || order["external_order_id"] === wanted);
        return pagedInV2(
          call,
          orders.map((order) => ordered(order, call.query)),
        );
      },
      "POST /v2/orders": (call) => {
        const fields = jsonOf(call);
        const lines = listOf(fields["products"]).map((line) => ({
          ...line,
          id: shelves.nextId(),
          order_address_id: 1,
          quantity_shipped: 0,
        }));
        const own = {
          products: lines,
          items_shipped: 0,
          currency_code: fields["default_currency_code"],
          date_modified: "Fri, 21 Nov 2025 08:00:00 +0000",
        };
        return ok(shelves.add("orders", { ...fields, ...own }), 201);
      },
      "PUT /v2/orders/:id": (call, id) => ok(shelves.merge("orders", id ?? "", jsonOf(call))),
      "GET /v2/orders/:id/products": (call, id) => pagedInV2(call, listOf(fieldsOf(shelves.of("orders").get(id ?? ""))["products"])),
      "GET /v2/orders/:id/shipping_addresses": (call, id) =>
        pagedInV2(
          call,
          listOf(fieldsOf(shelves.of("orders").get(id ?? ""))["shipping_addresses"]).map((address) => ({ ...address, id: 1 })),
        ),
      "PUT /v2/orders/:id/shipping_addresses/:address": (call, id) =>
        ok(shelves.merge("orders", id ?? "", { shipping_addresses: [jsonOf(call)] })),
      "GET /v2/orders/:id/shipments": (call, id) => {
        if (!shelves.of("orders").has(id ?? "")) return ok([{ status: 404, message: "The requested resource was not found." }], 404);
        return pagedInV2(
          call,
          shelves.list("shipments").filter((shipment) => textOf(shipment["order_id"]) === id),
        );
      },
      "PUT /v2/orders/:id/shipments/:shipment": (call, _id, shipment) => ok(shelves.merge("shipments", shipment ?? "", jsonOf(call))),
      "POST /v2/orders/:id/shipments": (call, id) => {
        const date = "Fri, 21 Nov 2025 09:00:00 +0000";
        const shipment = shelves.add("shipments", { ...jsonOf(call), order_id: Number(id), date_created: date });
        const pieces = listOf(shipment["items"]).reduce((sum, { quantity }) => sum + Number(quantity), 0);
        const before = Number(shelves.of("orders").get(id ?? "")?.["items_shipped"] ?? 0);
        shelves.merge("orders", id ?? "", { items_shipped: before + pieces, date_modified: date });
        return ok(shipment, 201);
      },
    },
    ok({ status: 404, title: "not found" }, 404),
  );
  return {
    answer: (call) => (isWrong(call.headers["x-auth-token"]) ? ok({ status: 401, title: "X-Auth-Token is invalid" }, 401) : route(call)),
    throttled: (seconds) => ({
      status: 429,
      headers: {
        "x-rate-limit-requests-left": "0",
        "x-rate-limit-time-reset-ms": String((seconds ?? 0) * 1000 + 500),
        "x-retry-after": String(Math.ceil(seconds ?? 0)),
      },
      body: { status: 429, title: "Too many requests" },
    }),
    refusedSoftly: () =>
      ok({ status: 207, title: "Multi-status", errors: { "0.sku": "does not exist" }, meta: { failed: 1, success: 0 } }, 207),
  };
}
