import { Bucket } from "./bucket.ts";
import {
  type Call,
  type Reply,
  type Resource,
  Ids,
  Table,
  fieldsIn,
  invalid,
  isFields,
  missing,
  notFound,
  ok,
  textOf,
  wrapped,
} from "./call.ts";
import { isWrong } from "../personality.ts";
import { Goods, emptyGoods } from "./goods.ts";
import { Sales, emptySales } from "./sales.ts";

type Request = { method: string; path: string; query: URLSearchParams; body: string; token: string | null };
type Route = { method: string; pattern: RegExp; handle: (call: Call) => Reply };

export const emptyShop = () => ({
  ids: { last: 7_600_000_000_000 },
  goods: emptyGoods(),
  sales: emptySales(),
  customers: new Map<number, Resource>(),
  customersByEmail: new Map<string, Resource>(),
});
type ShopMemory = ReturnType<typeof emptyShop>;

/** A shop that answers in the shapes of Shopify's Admin API, version 2026-07. */
export class Shop {
  readonly #name: string;
  readonly #bucket = new Bucket();
  readonly #goods: Goods;
  readonly #sales: Sales;
  readonly #customers: Table;
  readonly #customersByEmail: ShopMemory["customersByEmail"];
  readonly #routes: Route[];
  #requests = 0;

  constructor(name: string, memory: ShopMemory) {
    const ids = new Ids(memory.ids);
    this.#name = name;
    this.#goods = new Goods(ids, memory.goods);
    this.#customers = new Table(ids, memory.customers);
    this.#customersByEmail = memory.customersByEmail;
    this.#sales = new Sales(ids, this.#goods, memory.sales);
    this.#routes = this.#routesOf(this.#sales);
  }

  /** How many of each it holds, of what it holds any. */
  counts(): Record<string, number> {
    const tables = {
      variants: this.#goods.variants,
      shopOrders: this.#sales.orders,
      fulfillments: this.#sales.fulfillments,
      shopCustomers: this.#customers,
    };
    return Object.fromEntries(Object.entries(tables).flatMap(([kind, { rows }]) => (rows.size === 0 ? [] : [[kind, rows.size]])));
  }

  answer(
    request: Request,
    limit: { size: number; leakPerSecond: number },
  ): { status: number; headers: Record<string, string>; answer: unknown } {
    const { isFull, limitHeader } = this.#bucket.add(limit);
    this.#requests += 1;
    const headers: Record<string, string> = {
      "x-shopify-shop-api-call-limit": limitHeader,
      "x-shopify-api-version": "2026-07",
      "x-request-id": `${this.#name}-${this.#requests}`,
    };
    if (request.token === null || request.token === "" || isWrong(request.token)) {
      return { status: 401, headers, answer: { errors: "[API] Invalid API key or access token (unrecognized login or wrong password)" } };
    }
    if (isFull) {
      headers["retry-after"] = "2.0";
      const errors = "Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.";
      return { status: 429, headers, answer: { errors } };
    }
    const reply = this.#dispatch(request);
    return { ...reply, headers: { ...headers, ...reply.headers } };
  }

  #dispatch({ method, path, query, body }: Request): Reply {
    const resource = /^\/admin\/api\/\d{4}-\d{2}\/(.*)\.json$/.exec(path)?.[1];
    const found =
      resource === undefined ? undefined : this.#routes.find((route) => route.method === method && route.pattern.test(resource));
    if (!found || resource === undefined) return notFound;
    let parsed: unknown = {};
    try {
      if (body !== "") parsed = JSON.parse(body);
    } catch {
      return { status: 400, answer: { errors: "Required parameter missing or invalid" } };
    }
    const ids = (found.pattern.exec(resource) ?? []).slice(1).map(Number);
    return found.handle({ ids, query, body: isFields(parsed) ? parsed : {} });
  }

  #routesOf(sales: Sales): Route[] {
    const goods = this.#goods;
    return [
      route("GET shop", () =>
        ok({ shop: { id: 548380009, name: this.#name, currency: "SEK", myshopify_domain: `${this.#name}.myshopify.com` } }),
      ),
      route("POST graphql", (call) => this.#graphql(call)),
      route("GET products", (call) => goods.listProducts(call)),
      route("POST products", (call) => goods.createProduct(call)),
      route("GET products/:id", (call) => goods.getProduct(call)),
      route("PUT products/:id", (call) => goods.updateProduct(call)),
      route("DELETE products/:id", (call) => goods.deleteProduct(call)),
      route("POST products/:id/variants", (call) => goods.createVariant(call)),
      route("GET variants/:id", (call) => goods.getVariant(call)),
      route("PUT variants/:id", (call) => goods.updateVariant(call)),
      route("POST inventory_levels/set", (call) => goods.setLevel(call)),
      route("POST inventory_levels/adjust", (call) => goods.adjustLevel(call)),
      route("GET inventory_levels", (call) => goods.listLevels(call)),
      route("GET inventory_items", ({ query }) => ok({ inventory_items: goods.inventoryItems.list(query) })),
      route("GET locations", ({ query }) => ok({ locations: goods.locations.list(query) })),
      route("GET orders", (call) => sales.listOrders(call)),
      route("POST orders", (call) => sales.createOrder(call)),
      route("GET orders/:id", (call) => sales.getOrder(call)),
      route("PUT orders/:id", (call) => sales.updateOrder(call)),
      route("POST orders/:id/cancel", (call) => sales.markOrder(call, "cancelled_at", true)),
      route("POST orders/:id/close", (call) => sales.markOrder(call, "closed_at", true)),
      route("POST orders/:id/open", (call) => sales.markOrder(call, "closed_at", false)),
      route("GET orders/:id/fulfillment_orders", (call) => sales.listFulfillmentOrders(call)),
      route("POST fulfillments", (call) => sales.createFulfillment(call)),
      route("POST fulfillments/:id/update_tracking", (call) => sales.updateTracking(call)),
      route("POST fulfillments/:id/cancel", (call) => sales.cancelFulfillment(call)),
      route("GET customers", ({ query }) => ok({ customers: this.#customers.list(query) })),
      route("GET customers/search", (call) => this.#searchCustomers(call)),
      route("POST customers", (call) => this.#createCustomer(call)),
      route("PUT customers/:id", (call) => this.#updateCustomer(call)),
    ];
  }

  #createCustomer({ body }: Call): Reply {
    const fields = wrapped(body, "customer");
    if (!fields) return missing("customer");
    const email = textOf(fields["email"]).toLowerCase();
    if (email === "" && textOf(fields["phone"]) === "" && textOf(fields["first_name"]) === "" && textOf(fields["last_name"]) === "") {
      return invalid({ customer: ["must have a name, phone number or email address"] });
    }
    if (email === "" && fields["email_marketing_consent"]) return invalid({ email_marketing_consent: ["needs an email"] });
    if (email !== "" && this.#customersByEmail.has(email)) return invalid({ email: ["has already been taken"] });
    const customer = this.#customers.create({ state: "disabled", ...fields, addresses: fieldsIn(fields["addresses"]) });
    if (email !== "") this.#customersByEmail.set(email, customer);
    return ok({ customer }, 201);
  }

  #updateCustomer({ ids: [id], body }: Call): Reply {
    const [customer, fields] = [this.#customers.get(id), wrapped(body, "customer")];
    if (!customer) return notFound;
    if (!fields) return missing("customer");
    return ok({ customer: this.#customers.update(customer, fields) });
  }

  #searchCustomers({ query }: Call): Reply {
    const [, field, value = ""] = /^(email|phone|tag):"?([^"]*)"?$/.exec(query.get("query") ?? "") ?? [];
    if (field === "email") {
      const found = this.#customersByEmail.get(value.toLowerCase());
      return ok({ customers: found ? [found] : [] });
    }
    const customers = [...this.#customers.rows.values()];
    const isAsked = (customer: Resource) =>
      field === "phone" ? digitsOf(customer["phone"]) === digitsOf(value) : textOf(customer["tags"]).split(", ").includes(value);
    return ok({ customers: customers.filter(isAsked) });
  }

  /** Two queries only: variants by their sku, in the form `sku:"…"`, and those of a product. */
  #graphql({ body }: Call): Reply {
    const variables = isFields(body["variables"]) ? body["variables"] : {};
    const productId = /^gid:\/\/shopify\/Product\/(\d+)$/.exec(textOf(variables["id"]))?.[1];
    if (productId !== undefined) {
      const page = this.#goods.variantsPage(Number(productId), Number(variables["after"] ?? 0));
      return ok({ data: { product: page && { variants: page } } });
    }
    const sku = /^sku:"((?:[^"\\]|\\.)*)"$/.exec(textOf(variables["query"]))?.[1]?.replace(/\\(.)/g, "$1");
    if (sku === undefined || !textOf(body["query"]).includes("productVariants")) {
      return ok({
        errors: [
          {
            message: "the sandbox knows two queries: productVariants by sku, and variants of a product",
            extensions: { code: "undefinedField" },
          },
        ],
      });
    }
    const variant = this.#goods.bySku(sku);
    const nodes = variant
      ? [
          {
            sku: variant["sku"],
            legacyResourceId: String(variant.id),
            product: { legacyResourceId: textOf(variant["product_id"]) },
            inventoryItem: { legacyResourceId: textOf(variant["inventory_item_id"]) },
          },
        ]
      : [];
    const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1990, restoreRate: 100 };
    return ok({
      data: { productVariants: { nodes, pageInfo: { hasNextPage: false, endCursor: null } } },
      extensions: { cost: { requestedQueryCost: 4, actualQueryCost: 3, throttleStatus } },
    });
  }
}

function route(notation: string, handle: Route["handle"]): Route {
  const [method = "", path = ""] = notation.split(" ");
  return { method, pattern: new RegExp(`^${path.replaceAll(":id", "(\\d{1,16})")}$`), handle };
}

function digitsOf(text: unknown): string {
  return textOf(text).replace(/\D/g, "");
}
