import { type Personality, type Stage, hasToken, isWrong, jsonOf, ok, routed, textOf } from "../personality.ts";

/** Plytix: searches by query, one attribute at a time; changes are answered without a body. */
export function plytix(stage: Stage): Personality {
  const { shelves, tokens } = stage;
  const route = routed(
    {
      "GET /api/v3/products": ({ query }) => {
        const wanted = query.get("sku");
        return ok({ data: shelves.list("products").filter(({ sku }) => wanted === null || sku === wanted), errors: [], pagination: {} });
      },
      "POST /api/v3/products": (call) => {
        const product = jsonOf(call);
        if (shelves.find("products", ({ sku }) => sku === product["sku"]))
          return ok({ errors: [{ name: "AlreadyExists", description: "product data validation failed" }] }, 409);
        const id = `5f${shelves.nextId()}`;
        return ok({ data: shelves.merge("products", id, { ...product, id }), errors: [] }, 201);
      },
      "PATCH /api/v3/products/:id": (call, id) => {
        shelves.merge("products", id ?? "", jsonOf(call));
        return ok(null, 204);
      },
      "PATCH /api/v3/products/:id/attributes/:name": (call, id, name) => {
        shelves.merge("attributes", `${id ?? ""}/${name ?? ""}`, { value: call.body });
        return ok(null, 204);
      },
    },
    ok({ error: { msg: "not found" } }, 404),
  );
  return {
    answer(call) {
      if (call.path !== "/auth/api/get-token") return hasToken(call, stage) ? route(call) : ok({ error: { msg: "invalid token" } }, 401);
      return isWrong(textOf(jsonOf(call)["api_password"]))
        ? ok({ error: { msg: "invalid credentials" } }, 401)
        : ok({ data: [{ access_token: tokens.make() }] });
    },
    throttled: () => ok({ error: { msg: "Rate limit exceeded" } }, 429),
    refusedSoftly: (call) =>
      call.path.includes("get-token")
        ? ok({ data: [{ access_token: tokens.make() }] })
        : ok({ errors: [{ name: "price", description: "the attribute does not exist" }] }),
  };
}
