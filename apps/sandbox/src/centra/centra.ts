import { graphqlSync } from "graphql";
import { type Fields, type Personality, type Stage, fieldsOf, isWrong, jsonOf, listOf, ok, textOf } from "../personality.ts";
import { schema } from "./schema.ts";

type Arguments = { where?: Fields; input?: Fields; id?: number };

const done = (result: object = {}) => ({ ...result, userErrors: [] });

function refused(message: string) {
  return { userErrors: [{ message, path: ["input"] }] };
}

/** Centra: one GraphQL door; what its schema doesn't know is refused whole, other faults are told in `userErrors`, both with status 200. */
export function centra({ shelves }: Stage): Personality {
  const byExternalId = (kind: string, where: Fields = {}) => {
    const wanted: unknown = where["externalId"];
    return shelves.list(kind).filter(({ externalId }) => !Array.isArray(wanted) || wanted.includes(externalId));
  };

  /** Any order is there that is asked for by its number: the shop is where orders come from. */
  const order = (number: unknown) => ({
    __typename: "DirectToConsumerOrder",
    id: textOf(number),
    number,
    lines: [{ id: 1, quantity: 3, productSize: { id: 1, SKU: "A-1" } }],
    shipments: shelves.list("shipments").filter((shipment) => fieldsOf(shipment["order"])["id"] === textOf(number)),
  });

  const roots = {
    orders: ({ where = {} }: Arguments) => (Array.isArray(where["number"]) ? where["number"].map(order) : []),
    products: ({ where }: Arguments) => byExternalId("products", where),
    productVariants: ({ where }: Arguments) => byExternalId("variants", where),
    // With an external id that is known they make another object.
    createProduct: ({ input = {} }: Arguments) => done({ product: shelves.add("products", input) }),
    createProductVariant: ({ input = {} }: Arguments) => done({ productVariant: shelves.add("variants", input) }),
    updateProduct: ({ id, input = {} }: Arguments) => done({ product: shelves.merge("products", textOf(id), input) }),
    setPrices({ input = {} }: Arguments) {
      for (const price of listOf(input["productPrices"])) shelves.merge("prices", textOf(fieldsOf(price["product"])["id"]), price);
      return done();
    },
    setStock({ input = {} }: Arguments) {
      const sizes = listOf(input["productSizes"]);
      if (sizes.some(({ quantity }) => Number(quantity) < 0)) return refused("Stock value must be greater or equal to 0");
      for (const size of sizes) shelves.merge("stock", textOf(fieldsOf(size["productSize"])["SKU"]), size);
      return done();
    },
    createShipment({ input = {} }: Arguments) {
      const { trackingNumber } = fieldsOf(input["shipmentInfo"]);
      return done({ shipment: shelves.add("shipments", { ...input, trackingNumber, isShipped: Boolean(input["shippedAt"]) }) });
    },
    completeShipment({ id, input = {} }: Arguments) {
      const { trackingNumber } = fieldsOf(input["shipmentInfo"]);
      return done({ shipment: shelves.merge("shipments", textOf(id), { ...input, trackingNumber, isShipped: true }) });
    },
  };

  return {
    answer(call) {
      if (isWrong(call.headers["authorization"])) return ok({ errors: [{ message: "Unauthorized" }] }, 401);
      const { query, variables } = jsonOf(call);
      return ok(graphqlSync({ schema, source: textOf(query), rootValue: roots, variableValues: fieldsOf(variables) }));
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
