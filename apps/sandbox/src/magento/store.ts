import {
  type Call,
  type Fields,
  type Personality,
  type Reply,
  type Stage,
  fieldsOf,
  hasToken,
  isWrong,
  jsonOf,
  listOf,
  ok,
  routed,
  textOf,
} from "../personality.ts";

const notFound: Reply = ok({ message: "The product that was requested doesn't exist. Verify the product and try again." }, 404);
/** A web server in front of the store, as most are set up: a slash within a part of the path is none of its pages. */
const noPage: Reply = {
  status: 404,
  headers: { "content-type": "text/html; charset=iso-8859-1" },
  body: "<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
};
const refused: Reply = ok(
  { message: "The consumer isn't authorized to access %resources.", parameters: { resources: "Magento_Backend::all" } },
  401,
);

/** All groups are told in small letters, however they came. */
function groupOf({ customer_group: group }: Fields): Fields {
  return { customer_group: /^all groups$/i.test(textOf(group)) ? "all groups" : group };
}

function tierName({ sku, website_id: website, customer_group: group, quantity }: Fields): string {
  return [sku, website, textOf(group).toLowerCase(), quantity].map(textOf).join(" ");
}

/** Products and customers are asked for by `entity_id`, which they show as `id`. */
function fieldOf(object: Fields, field: string): string {
  return textOf(object[field] ?? (field === "entity_id" ? object["id"] : undefined));
}

/** Magento 2: saving by sku makes or changes; the asynchronous twin accepts and reports later. */
export function magento(stage: Stage): Personality {
  const { shelves, tokens } = stage;

  function found(kind: string, { query }: Call, page: number): Fields[] {
    const conditions = [...query]
      .filter(([name]) => name.includes("[filter_groups]") && name.endsWith("[field]"))
      .map(([name, field]) => ({
        field,
        value: query.get(name.replace("[field]", "[value]")) ?? "",
        condition: query.get(name.replace("[field]", "[condition_type]")) ?? "eq",
      }));
    const fits = (object: Fields) =>
      conditions.every(({ field, value, condition }) => {
        const own = fieldOf(object, field);
        if (condition === "notnull") return own !== "";
        if (condition === "in") return value.split(",").includes(own);
        return condition === "gteq" ? own >= value : own === value;
      });
    const order = [...query].filter(([name]) => /\[sortOrders\]\[\d+\]\[field\]$/.test(name)).map(([, field]) => field);
    const placeOf = (object: Fields) => order.map((field) => fieldOf(object, field)).join(" ");
    // Products are kept by their sku, and asked for by it with each new item.
    const bySku = kind === "products" ? conditions.find(({ field, condition }) => field === "sku" && condition === "eq") : undefined;
    const objects = bySku ? [shelves.of(kind).get(bySku.value) ?? []].flat() : shelves.list(kind);
    // A database puts those that are alike in what they are ordered by as it comes, and otherwise with another page.
    const alike = page % 2 === 0 ? objects.toReversed() : objects;
    return alike.filter(fits).toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0));
  }

  function list(kind: string, call: Call): Reply {
    const [size, page] = [
      Number(call.query.get("searchCriteria[pageSize]") ?? 100),
      Number(call.query.get("searchCriteria[currentPage]") ?? 1),
    ];
    const all = found(kind, call, page);
    const items = all.slice((page - 1) * size, page * size);
    return ok({ items: items.length > 0 ? items : null, search_criteria: {}, total_count: all.length });
  }

  function saveProduct(call: Call): Fields {
    const product = fieldsOf(jsonOf(call)["product"]);
    const sku = textOf(product["sku"]);
    const codes = new Set(listOf(product["custom_attributes"]).map(({ attribute_code: code }) => code));
    const kept = listOf(shelves.of("products").get(sku)?.["custom_attributes"]).filter(({ attribute_code: code }) => !codes.has(code));
    const id = shelves.of("products").get(sku)?.["id"] ?? shelves.nextId();
    return shelves.merge("products", sku, { ...product, id, custom_attributes: [...kept, ...listOf(product["custom_attributes"])] });
  }

  function accept(call: Call): Reply {
    const bulkId = `bulk-${shelves.nextId()}`;
    const product = saveProduct(call);
    shelves.of("bulks").set(bulkId, { rounds: 0, sku: product["sku"], isRefused: textOf(product["name"]) === "" });
    return ok({ bulk_uuid: bulkId, request_items: [{ id: 0, data_hash: "0", status: "accepted" }], errors: false }, 202);
  }

  function prices(call: Call): Reply {
    const unknown = listOf(jsonOf(call)["prices"]).filter(({ sku }) => !shelves.of("products").has(textOf(sku)));
    if (unknown.length > 0)
      return ok(unknown.map(({ sku }) => ({ message: "Invalid attribute %fieldName = %fieldValue.", parameters: ["SKU", sku] })));
    const isSpecial = call.path.endsWith("special-price");
    for (const price of listOf(jsonOf(call)["prices"])) {
      shelves.merge(isSpecial ? "specialPrices" : "prices", textOf(price["sku"]), price);
      shelves.merge(
        "products",
        textOf(price["sku"]),
        isSpecial ? withSpecialPrice(textOf(price["sku"]), price) : { price: price["price"] },
      );
    }
    return ok([]);
  }

  function attributesBut(sku: string, code: string): Fields[] {
    return listOf(shelves.of("products").get(sku)?.["custom_attributes"]).filter((attribute) => attribute["attribute_code"] !== code);
  }

  function withSpecialPrice(sku: string, { price }: Fields): Fields {
    return { custom_attributes: [...attributesBut(sku, "special_price"), { attribute_code: "special_price", value: price }] };
  }

  const route = routed(
    {
      "GET V1/store/storeConfigs": () => ok([{ id: 1, code: "default", base_currency_code: "SEK", timezone: "Europe/Stockholm" }]),
      "GET V1/modules": () => ok(["Magento_Store", "Magento_Catalog"]),
      "GET V1/products/:sku": (_call, sku) =>
        shelves.of("products").has(sku ?? "") ? ok(shelves.of("products").get(sku ?? "")) : notFound,
      "POST V1/products": (call) => ok(saveProduct(call)),
      "PUT V1/products/:sku": (call) => ok(saveProduct(call)),
      "DELETE V1/products/:sku": (_call, sku) => (shelves.of("products").delete(sku ?? "") ? ok(true) : notFound),
      "POST async/V1/products": accept,
      "GET V1/bulk/:id/status": (_call, id) => {
        const bulk = shelves.of("bulks").get(id ?? "");
        const rounds = Number(bulk?.["rounds"] ?? 0) + 1;
        shelves.merge("bulks", id ?? "", { rounds });
        const status = rounds < 2 ? 4 : bulk?.["isRefused"] === true ? 3 : 1;
        return ok({ operations_list: [{ id: 1, status, result_message: status === 3 ? "The product name is required." : null }] });
      },
      "GET V1/products": (call) => list("products", call),
      "POST V1/products/base-prices": prices,
      "POST V1/products/special-price": prices,
      "POST V1/products/special-price-information": (call) => {
        const { skus } = jsonOf(call);
        const asked = Array.isArray(skus) ? skus.map(textOf) : [];
        return ok(asked.flatMap((sku) => shelves.of("specialPrices").get(sku) ?? []));
      },
      "POST V1/products/special-price-delete": (call) => {
        for (const { sku } of listOf(jsonOf(call)["prices"])) {
          shelves.of("specialPrices").delete(textOf(sku));
          shelves.merge("products", textOf(sku), { custom_attributes: attributesBut(textOf(sku), "special_price") });
        }
        return ok([]);
      },
      "POST V1/products/tier-prices": (call) => {
        for (const tier of listOf(jsonOf(call)["prices"])) shelves.merge("tierPrices", tierName(tier), { ...tier, ...groupOf(tier) });
        return ok([]);
      },
      "POST V1/products/tier-prices-information": (call) => {
        const { skus } = jsonOf(call);
        const asked = new Set(Array.isArray(skus) ? skus.map(textOf) : []);
        return ok([...shelves.of("tierPrices").values()].filter(({ sku }) => asked.has(textOf(sku))));
      },
      "POST V1/products/tier-prices-delete": (call) => {
        for (const tier of listOf(jsonOf(call)["prices"])) shelves.of("tierPrices").delete(tierName(tier));
        return ok([]);
      },
      "POST V1/inventory/source-items": (call) => {
        for (const item of listOf(jsonOf(call)["sourceItems"]))
          shelves.merge("stock", `${textOf(item["sku"])}@${textOf(item["source_code"])}`, item);
        return ok([]);
      },
      "GET V1/inventory/source-items": (call) => list("stock", call),
      "GET V1/orders": (call) => list("orders", call),
      "POST V1/orders": (call) => {
        const entity = fieldsOf(jsonOf(call)["entity"]);
        const id = shelves.nextId();
        const items = listOf(entity["items"]).map((item) => ({ ...item, item_id: shelves.nextId() }));
        const billing = { ...fieldsOf(entity["billing_address"]), entity_id: shelves.nextId() };
        const [assignment] = listOf(fieldsOf(entity["extension_attributes"])["shipping_assignments"]);
        const address = { ...fieldsOf(fieldsOf(assignment?.["shipping"])["address"]), entity_id: shelves.nextId() };
        const places = {
          billing_address: billing,
          extension_attributes: assignment ? { shipping_assignments: [{ shipping: { address } }] } : [],
        };
        const order = {
          ...entity,
          ...places,
          items,
          entity_id: id,
          increment_id: textOf(entity["ext_order_id"]),
          updated_at: "2025-11-21 08:00:00",
        };
        shelves.of("orders").set(String(id), order);
        return ok(order);
      },
      "PUT V1/orders/:id": (call, id) => {
        const address = fieldsOf(jsonOf(call)["entity"]);
        const isBilling = address["address_type"] === "billing";
        const shipping = { extension_attributes: { shipping_assignments: [{ shipping: { address } }] } };
        return ok(shelves.merge("orders", id ?? "", isBilling ? { billing_address: address } : shipping));
      },
      "POST V1/orders/:id/cancel": (_call, id) => ok(shelves.merge("orders", id ?? "", { state: "canceled" }) !== null),
      "GET V1/shipments": (call) => list("shipments", call),
      "GET V1/shipment/:id": (_call, id) => ok(shelves.of("shipments").get(id ?? "") ?? null),
      "POST V1/shipment/track": (call) => {
        const track = fieldsOf(jsonOf(call)["entity"]);
        const id = textOf(track["parent_id"]);
        shelves.merge("shipments", id, { tracks: [...listOf(shelves.of("shipments").get(id)?.["tracks"]), track] });
        return ok(track);
      },
      "POST V1/order/:id/ship": (call, id) => {
        const { items, ...fields } = jsonOf(call);
        const lines = listOf(shelves.of("orders").get(id ?? "")?.["items"]);
        const skuOf = ({ order_item_id: wanted }: Fields) => lines.find((line) => line["item_id"] === wanted)?.["sku"];
        const packed = listOf(items).map((item) => ({ ...item, sku: skuOf(item) }));
        const at = "2025-11-21 09:00:00";
        const shipment = shelves.add("shipments", { order_id: Number(id), ...fields, items: packed, created_at: at, updated_at: at });
        const shown = { entity_id: shipment.id, increment_id: String(shipment.id).padStart(9, "0") };
        shelves.merge("shipments", String(shipment.id), shown);
        return ok(String(shipment.id));
      },
      "GET V1/customers/search": (call) => list("customers", call),
      "GET V1/customers/:id": (_call, id) => (shelves.of("customers").has(id ?? "") ? ok(shelves.of("customers").get(id ?? "")) : notFound),
      "POST V1/customers": (call) => ok(shelves.add("customers", fieldsOf(jsonOf(call)["customer"]))),
      "PUT V1/customers/:id": (call, id) => ok(shelves.merge("customers", id ?? "", fieldsOf(jsonOf(call)["customer"]))),
    },
    ok({ message: "Request does not match any route.", trace: null }, 404),
  );

  return {
    answer(call) {
      if (/%2f/i.test(call.path)) return noPage;
      const [, , , ...rest] = call.path.split("/");
      const inner = { ...call, path: rest.join("/") };
      if (inner.path === "V1/integration/admin/token") {
        return isWrong(textOf(jsonOf(call)["password"]))
          ? ok({ message: "The account sign-in was incorrect." }, 401)
          : ok(JSON.stringify(tokens.make()));
      }
      const isBearer = tokens.issued > 0 ? hasToken(call, stage) : !isWrong(call.headers["authorization"]);
      return isBearer ? route(inner) : refused;
    },
    throttled: () => ok({ message: "Too Many Requests", trace: null }, 429),
    refusedSoftly: () => ok([{ message: "Requested product doesn't exist: %sku", parameters: { sku: "A-1" } }]),
  };
}
