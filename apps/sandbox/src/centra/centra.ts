import { type Personality, type Reply, type Stage, fieldsOf, isWrong, jsonOf, listOf, ok, textOf } from "../personality.ts";

function done(name: string, result: object): Reply {
  return ok({ data: { [name]: { ...result, userErrors: [] } } });
}

/** Centra: one GraphQL door; what is refused is told in `userErrors`. A create with a known external id makes another object. */
export function centra({ shelves }: Stage): Personality {
  return {
    answer(call) {
      if (isWrong(call.headers["authorization"])) return ok({ errors: [{ message: "Unauthorized" }] }, 401);
      const { query, variables: given } = jsonOf(call);
      const [text, variables] = [textOf(query), fieldsOf(given)];
      const input = fieldsOf(variables["input"]);
      if (text.includes("createProductVariant("))
        return done("createProductVariant", { productVariant: { id: shelves.add("variants", input).id } });
      if (text.includes("createProduct(")) return done("createProduct", { product: { id: shelves.add("products", input).id } });
      if (text.includes("updateProduct("))
        return done("updateProduct", { product: shelves.merge("products", textOf(variables["id"]), input) });
      if (text.includes("setPrices("))
        return done("setPrices", shelves.merge("prices", JSON.stringify(listOf(input["productPrices"])[0]?.["product"]), input));
      if (text.includes("setStock(")) {
        for (const intent of listOf(variables["intents"])) shelves.merge("stock", textOf(fieldsOf(intent["productSize"])["SKU"]), intent);
        return done("setStock", {});
      }
      if (text.includes("createShipment(")) return done("createShipment", { shipment: { id: shelves.add("shipments", input).id } });
      if (text.includes("productVariants(")) {
        return ok({
          data: { productVariants: shelves.list("variants").filter(({ externalId }) => externalId === variables["externalId"]) },
        });
      }
      if (text.includes("products(")) {
        const products = shelves.list("products").filter(({ externalId }) => externalId === variables["externalId"]);
        return ok({ data: { products } });
      }
      // Any order is there: the shop is where orders come from.
      const lines = [{ id: 1, quantity: 3, productSize: { SKU: "A-1" } }];
      return ok({
        data: {
          orders:
            variables["number"] === undefined ? [] : [{ id: textOf(variables["number"]), lines, shipments: shelves.list("shipments") }],
        },
      });
    },
    throttled: () => ok({ errors: [{ message: "Rate limit exceeded" }] }, 429),
    refusedSoftly: () =>
      ok({
        data: {
          products: [],
          createProduct: { product: null, userErrors: [{ message: "Product number already exists", path: ["input"] }] },
        },
      }),
  };
}
