import { type Personality, type Stage, isWrong, jsonOf, ok, routed, textOf } from "../personality.ts";

/** nuORDER: every request has a signature with a nonce that was not used before. */
export function nuorder({ shelves }: Stage): Personality {
  const nonces = new Set<string>();
  const known = (kind: string, sku = "") => (shelves.of("products").has(sku) ? kind : null);
  const route = routed(
    {
      "GET /api/orders/:status/list": () => ok([]),
      "GET /api/orders/:status/detail": (_call, status) => ok(shelves.list("orders").filter((order) => order["status"] === status)),
      "POST /api/order/:id/process": (_call, id) => ok(shelves.merge("orders", id ?? "", { status: "processed" })),
      "PUT /api/product/new/force": (call) => {
        const product = jsonOf(call);
        const sku = textOf(product["external_id"]);
        return ok(shelves.merge("products", sku, { ...product, _id: `p-${sku}` }));
      },
      "GET /api/product/external_id/:id": (_call, sku) =>
        known("products", sku) === null ? ok({ code: 404, message: "no such product" }, 404) : ok(shelves.of("products").get(sku ?? "")),
      "POST /api/product/external_id/:id": (call, sku) =>
        known("products", sku) === null
          ? ok({ code: 404, message: "no such product" }, 404)
          : ok(shelves.merge("products", sku ?? "", jsonOf(call))),
      "POST /api/inventory/external_id/:id": (call, sku) =>
        known("stock", sku) === null
          ? ok({ code: 404, message: "no such product" }, 404)
          : Array.isArray(jsonOf(call)["inventory"])
            ? ok(shelves.merge("stock", sku ?? "", jsonOf(call)))
            : ok({ code: 400, message: "inventory is missing" }, 400),
      "PUT /api/company/new/force": (call) => ok(shelves.merge("companies", textOf(jsonOf(call)["code"]), jsonOf(call))),
    },
    ok({ code: 404, message: "not found" }, 404),
  );
  return {
    answer(call) {
      const authorization = call.headers["authorization"] ?? "";
      const nonce = /oauth_nonce="([^"]+)"/.exec(authorization)?.[1];
      if (isWrong(authorization) || !/oauth_signature="[^"]+"/.test(authorization) || nonce === undefined || nonces.has(nonce))
        return ok({ code: 401, message: "invalid signature or used nonce" }, 401);
      nonces.add(nonce);
      return route(call);
    },
    throttled: () => ok({ code: 429, message: "too many requests" }, 429),
    refusedSoftly: () => ok({ code: 409, message: "the product already exists" }, 409),
  };
}
