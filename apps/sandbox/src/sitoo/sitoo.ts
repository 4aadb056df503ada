import { type Fields, type Personality, type Reply, type Stage, isWrong, jsonOf, listOf, ok, routed, textOf } from "../personality.ts";

function listed(objects: Fields[]): Reply {
  return ok({ totalcount: objects.length, items: objects });
}

const batchStates = { open: 10, closed: 20 };
/** Order, booking, parked receipt. */
const orderTypes = new Set<unknown>([10, 100, 110]);

/** Sitoo's REST API v2: batches answer with a status for each entry, creates with a bare id. */
export function sitoo({ shelves }: Stage): Personality {
  const site = "/sites/:site";
  const route = routed(
    {
      [`GET ${site}/products.json`]: ({ query }) => {
        const [wanted, isAll] = [query.get("sku"), query.get("includeinactive") === "true"];
        return listed(
          shelves.list("products").filter(({ sku, active }) => (wanted === null || sku === wanted) && (isAll || active !== false)),
        );
      },
      [`POST ${site}/products.json`]: (call) =>
        ok(
          listOf(JSON.parse(call.body)).map((product) => {
            const made = shelves.add("products", product);
            shelves.merge("products", String(made.id), { productid: made.id });
            return { statuscode: 200, return: made.id };
          }),
        ),
      [`PUT ${site}/products/:id.json`]: (call, _site, id) =>
        shelves.of("products").has(id ?? "")
          ? ok(shelves.merge("products", id ?? "", jsonOf(call)) !== null)
          : ok({ errortext: "Product not found" }, 404),
      [`GET ${site}/pricelists/:list.json`]: (_call, _site, list) => ok({ pricelistid: Number(list), currencycode: "SEK" }),
      [`PUT ${site}/pricelists/:list/pricelistitems.json`]: (call) =>
        ok(listOf(JSON.parse(call.body)).map(() => ({ statuscode: 200, return: true }))),
      [`GET ${site}/warehouses/:id.json`]: (_call, _site, warehouse) => ok({ warehouseid: Number(warehouse), warehousetype: 10 }),
      [`POST ${site}/warehouses/:id/warehousebatches.json`]: (call) =>
        ok(shelves.add("batches", { warehousebatchstate: batchStates.open, ...jsonOf(call) }).id),
      [`PUT ${site}/warehouses/:id/warehousebatches/:batch/warehousebatchitems.json`]: (call, _site, _warehouse, batch) => {
        shelves.merge("batches", batch ?? "", { items: listOf(JSON.parse(call.body)) });
        return ok([{ statuscode: 200, return: true }]);
      },
      [`PUT ${site}/warehouses/:id/warehousebatches/:batch.json`]: (call, _site, warehouse, batch) => {
        const before = shelves.of("batches").get(batch ?? "")?.["warehousebatchstate"];
        const changed = shelves.merge("batches", batch ?? "", jsonOf(call));
        const isCommitted = before === batchStates.open && changed["warehousebatchstate"] === batchStates.closed;
        for (const item of isCommitted ? listOf(changed["items"]) : [])
          shelves.merge("stock", `${textOf(item["sku"])}@${warehouse ?? ""}`, item);
        return ok(true);
      },
      [`GET ${site}/orders.json`]: ({ query }) => {
        const start = Number(query.get("start") ?? 0);
        return listed(
          shelves
            .list("orders")
            .filter((order) => !query.has("externalid") || order["externalid"] === query.get("externalid"))
            .slice(start),
        );
      },
      [`PUT ${site}/orders/:id.json`]: (call, _site, id) => ok(shelves.merge("orders", id ?? "", jsonOf(call)) !== null),
      [`POST ${site}/orders.json`]: (call) => {
        if (!orderTypes.has(jsonOf(call)["ordertypeid"])) return ok({ errortext: "Invalid ordertypeid" }, 400);
        const made = shelves.add("orders", jsonOf(call));
        shelves.merge("orders", String(made.id), { orderid: made.id });
        return ok(made.id);
      },
    },
    ok({ statuscode: 404, errortext: "Not found" }, 404),
  );
  return {
    answer(call) {
      const secret = Buffer.from((call.headers["authorization"] ?? "").replace(/^Basic /, ""), "base64").toString();
      return isWrong(secret) ? ok({ errortext: "Unauthorized" }, 401) : route(call);
    },
    throttled: (seconds) => ({
      status: 429,
      ...(seconds === null ? {} : { headers: { "retry-after": String(seconds) } }),
      body: { errortext: "Too many requests" },
    }),
    refusedSoftly: (call) => (call.method === "GET" ? route(call) : ok([{ statuscode: 400, return: "sku does not exist" }])),
  };
}
