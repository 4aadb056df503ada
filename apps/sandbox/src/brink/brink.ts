import { type Personality, type Stage, isWrong, jsonOf, listOf, ok, routed, textOf } from "../personality.ts";

/** Brink Commerce v1: products come in lists, amounts in whole numbers. */
export function brink({ shelves }: Stage): Personality {
  const route = routed(
    {
      "GET /productv1/stores": () => ok([{ countryCode: "SE", currencyUnit: "SEK" }]),
      "GET /productv1/products/:id": (_call, id) => {
        const product = shelves.of("products").get(id ?? "");
        return product === undefined ? ok({ message: "Product not found" }, 404) : ok(product);
      },
      "POST /productv1/products": (call) => {
        const products = listOf(JSON.parse(call.body));
        if (products.some(({ id }) => shelves.of("products").has(textOf(id)))) return ok({ message: "Product already exists" }, 409);
        for (const product of products) shelves.merge("products", textOf(product["id"]), product);
        return ok(products, 201);
      },
      "PUT /productv1/products": (call) => {
        const products = listOf(JSON.parse(call.body));
        if (products.some(({ id }) => !shelves.of("products").has(textOf(id)))) return ok({ message: "Product not found" }, 404);
        for (const product of products) shelves.merge("products", textOf(product["id"]), product);
        return ok(products);
      },
      "PUT /productv1/stocks": (call) => {
        const level = jsonOf(call);
        return Number.isInteger(level["stock"])
          ? ok(shelves.merge("stock", textOf(level["productId"]), level))
          : ok({ message: "Invalid request body" }, 400);
      },
    },
    ok({ message: "Missing route" }, 404),
  );
  return {
    answer: (call) => (isWrong(call.headers["x-api-key"]) ? ok({ message: "Forbidden" }, 403) : route(call)),
    throttled: () => ok({ message: "Too Many Requests" }, 429),
    refusedSoftly: () => ok({ errors: [{ id: "A-1", message: "category does not exist" }] }),
  };
}
