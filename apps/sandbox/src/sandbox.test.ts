import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.reset("erp");
  sandbox.reset("shop");
});

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { "x-shopify-access-token": "token", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) };
}

const deliver = (key: string, messageId: string, body = "{}") =>
  call("POST", "/generic/erp/items", body, { "x-crossdock-key": encodeURIComponent(key), "x-crossdock-message-id": messageId });

describe("the ledger", () => {
  test("keeps what came, byte for byte, in order for each key", async () => {
    await deliver("å/1", "1", '{"a": 1.10}');
    await deliver("b", "2");
    await deliver("å/1", "3", "second");
    const { entries } = (await call("GET", `/_received/erp?key=${encodeURIComponent("å/1")}`)).json();
    expect(entries.map((entry: { body: string }) => entry.body)).toEqual(['{"a": 1.10}', "second"]);
    expect(sandbox.counts("erp")).toMatchObject({ received: 3, distinct: 3, duplicates: 0, byEntity: { items: 3 } });
  });

  test("tells a message that came twice from two messages", async () => {
    await deliver("a", "7");
    await deliver("a", "7");
    await deliver("a", "8");
    expect(sandbox.counts("erp")).toMatchObject({ received: 3, distinct: 2, duplicates: 1 });
    expect((await call("GET", "/_received/erp?view=duplicates")).json()).toEqual({
      duplicates: [{ messageId: "7", request: "POST /items", times: 2 }],
    });
  });

  test("wakes those who wait for a number of receipts, and forgets on request", async () => {
    const third = sandbox.whenReceived("erp", 3);
    await Promise.all([deliver("a", "1"), deliver("b", "2"), deliver("c", "3")]);
    await third;
    await call("DELETE", "/_received/erp");
    expect(sandbox.counts("erp").received).toBe(0);
  });

  test("pages through what it holds", async () => {
    for (const id of ["1", "2", "3"]) await deliver("a", id);
    const first = (await call("GET", "/_received/erp?view=entries&limit=2")).json();
    const second = (await call("GET", `/_received/erp?view=entries&limit=2&after=${first.next}`)).json();
    expect([first.entries.length, second.entries.length, second.next]).toEqual([2, 1, null]);
  });
});

describe("a system that misbehaves", () => {
  test.each([
    ["429", 429, "2.0", "Exceeded 2 calls per second"],
    ["500", 500, null, '"Internal Server Error"'],
    ["500-text", 500, null, "upstream connect error"],
    ["200-error", 200, null, '"errors":["is not valid"]'],
  ] as const)("answers %s and takes nothing", async (mode, status, retryAfter, words) => {
    await call("PUT", "/_control/erp", { mode });
    const response = await deliver("a", "1");
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe(retryAfter);
    expect(response.text).toContain(words);
    expect(sandbox.counts("erp")).toMatchObject({ received: 0, refused: 1 });
  });

  test("resets the connection; when told so, after it took the message, which is how duplicates come about", async () => {
    sandbox.control("erp", { mode: "reset" });
    await expect(deliver("a", "1")).rejects.toThrow("fetch failed");
    expect(sandbox.counts("erp").received).toBe(0);
    sandbox.control("erp", { mode: "reset", when: "after" });
    await expect(deliver("a", "1")).rejects.toThrow("fetch failed");
    expect(sandbox.counts("erp").received).toBe(1);
  });

  test("hangs until the caller gives up", async () => {
    sandbox.control("erp", { mode: "hang" });
    const controller = new AbortController();
    const hanging = fetch(`${sandbox.url}/generic/erp/items`, { method: "POST", body: "{}", signal: controller.signal });
    // An answered request behind it shows that the hanging one has been taken in and left without an answer.
    await call("GET", "/_control/erp");
    controller.abort();
    await expect(hanging).rejects.toThrow(/abort/i);
  });

  test("fails for the given share of the requests, the same ones in every run", async () => {
    sandbox.control("erp", { mode: "500", rate: 0.25 });
    const statuses: number[] = [];
    for (let id = 0; id < 8; id += 1) statuses.push((await deliver("a", String(id))).status);
    expect(statuses).toEqual([200, 200, 200, 500, 200, 200, 200, 500]);
  });

  test("fails on the named paths only", async () => {
    sandbox.control("erp", { mode: "500", only: "/ord*" });
    expect((await deliver("a", "1")).status).toBe(200);
    expect((await call("POST", "/generic/erp/orders", "{}")).status).toBe(500);
  });

  test("refuses settings it does not know", async () => {
    expect((await call("PUT", "/_control/erp", { mode: "sulk" })).status).toBe(400);
    expect((await call("PUT", "/_control/erp", "no json")).status).toBe(400);
    expect(() => sandbox.control("erp", { rate: 2 })).toThrow(TypeError);
  });
});

describe("a shop", () => {
  const base = "/shopify/shop/admin/api/2026-07";

  async function createProduct(sku = "A-1") {
    const response = await call("POST", `${base}/products.json`, { product: { title: "Boots", variants: [{ sku, price: "10" }] } });
    return response.json().product;
  }

  test("creates with 201, shows prices with two places, and ids beyond 2^31", async () => {
    const product = await createProduct();
    expect(product.id).toBeGreaterThan(2 ** 31);
    expect(product.variants).toMatchObject([{ sku: "A-1", price: "10.00", product_id: product.id }]);
  });

  test("drops variants that an update of the product does not name, as the real one does", async () => {
    const product = await createProduct();
    await call("POST", `${base}/products/${product.id}/variants.json`, { variant: { option1: "Blue", sku: "A-2" } });
    const [first] = product.variants;
    const update = { product: { title: "Boots", variants: [{ id: first.id }] } };
    expect((await call("PUT", `${base}/products/${product.id}.json`, update)).json().product.variants).toHaveLength(1);
  });

  test("finds variants by sku over GraphQL", async () => {
    await createProduct('quo"ted');
    const body = { query: "{ productVariants }", variables: { query: 'sku:"quo\\"ted"' } };
    const { data } = (await call("POST", `${base}/graphql.json`, body)).json();
    expect(data.productVariants.nodes).toMatchObject([{ sku: 'quo"ted' }]);
  });

  test("sets stock levels in whole pieces only", async () => {
    const [variant] = (await createProduct()).variants;
    const level = { location_id: 655441491, inventory_item_id: variant.inventory_item_id };
    expect((await call("POST", `${base}/inventory_levels/set.json`, { ...level, available: 42 })).json().inventory_level.available).toBe(
      42,
    );
    expect((await call("POST", `${base}/inventory_levels/set.json`, { ...level, available: 1.5 })).status).toBe(400);
    expect((await call("POST", `${base}/inventory_levels/set.json`, { ...level, location_id: 1, available: 1 })).status).toBe(404);
  });

  test("fulfils an order once, and no more than was ordered", async () => {
    const order = { name: "1001", line_items: [{ title: "Boots", quantity: 2, price: "5.00" }] };
    const { id } = (await call("POST", `${base}/orders.json`, { order })).json().order;
    const { fulfillment_orders: open } = (await call("GET", `${base}/orders/${id}/fulfillment_orders.json`)).json();
    const [line] = open[0].line_items;
    const fulfil = (quantity: number) =>
      call("POST", `${base}/fulfillments.json`, {
        fulfillment: {
          line_items_by_fulfillment_order: [
            { fulfillment_order_id: open[0].id, fulfillment_order_line_items: [{ id: line.id, quantity }] },
          ],
          tracking_info: { number: "T1" },
        },
      });
    expect([(await fulfil(1)).status, (await fulfil(2)).status, (await fulfil(1)).status, (await fulfil(1)).status]).toEqual([
      201, 422, 201, 422,
    ]);
    const [shown] = (await call("GET", `${base}/orders.json?status=any&name=1001`)).json().orders;
    expect(shown).toMatchObject({ fulfillment_status: "fulfilled", fulfillments: [{ tracking_numbers: ["T1"] }, {}] });
  });

  test("answers faults in Shopify's forms", async () => {
    expect((await call("POST", `${base}/products.json`, { product: { title: "" } })).json()).toEqual({
      errors: { title: ["can't be blank"] },
    });
    expect((await call("GET", `${base}/products/1.json`)).json()).toEqual({ errors: "Not Found" });
    expect((await call("POST", `${base}/products.json`, "{")).status).toBe(400);
    expect((await call("GET", `${base}/shop.json`, undefined, { "x-shopify-access-token": "" })).status).toBe(401);
  });

  test("counts calls in a leaky bucket and answers 429 with a decimal Retry-After when it is full", async () => {
    sandbox.control("shop", { bucket: { size: 2, leakPerSecond: 0 } });
    const calls = [await call("GET", `${base}/shop.json`), await call("GET", `${base}/shop.json`), await call("GET", `${base}/shop.json`)];
    expect(calls.map((each) => each.headers.get("x-shopify-shop-api-call-limit"))).toEqual(["1/2", "2/2", "2/2"]);
    expect(calls.map((each) => each.status)).toEqual([200, 200, 429]);
    expect(calls[2]?.headers.get("retry-after")).toBe("2.0");
  });

  test("records writes that it accepted, and nothing else", async () => {
    await createProduct();
    await call("GET", `${base}/products.json`);
    await call("POST", `${base}/products.json`, { product: {} });
    expect(sandbox.counts("shop")).toMatchObject({ received: 1, refused: 1, byEntity: { products: 1 } });
  });
});

const askShop = async (url: string, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${url}/shopify/shop/admin/api/2026-07/${path}`, {
    method,
    headers: { "x-shopify-access-token": "token" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: JSON.parse(await response.text()) };
};
const product = (title: string, sku: string) => ({ product: { title, variants: [{ sku, price: "1.00" }] } });

test("what systems hold outlives the process with a file, so that ids given out before are known", async () => {
  const dir = mkdtempSync(join(tmpdir(), "sandbox-"));
  const memoryFile = join(dir, "data", "sandbox");
  const first = await startSandbox({ memoryFile });
  const { product: lamp } = (await askShop(first.url, "POST", "products.json", product("Lamp", "LAMP-1"))).answer;
  await first.close();

  const second = await startSandbox({ memoryFile });
  try {
    const [variant] = lamp.variants;
    const level = { location_id: 655441491, inventory_item_id: variant.inventory_item_id, available: 7 };
    expect((await askShop(second.url, "POST", "inventory_levels/set.json", level)).status).toBe(200);
    expect((await askShop(second.url, "PUT", `variants/${variant.id}.json`, { variant: { price: "2.50" } })).status).toBe(200);
    expect((await askShop(second.url, "GET", `products/${lamp.id}.json`)).answer.product.variants).toMatchObject([
      { id: variant.id, sku: "LAMP-1", price: "2.50" },
    ]);
    const { product: other } = (await askShop(second.url, "POST", "products.json", product("Lamp", "LAMP-2"))).answer;
    expect([other.id > variant.inventory_item_id, other.handle]).toEqual([true, "lamp-1"]);
  } finally {
    await second.close();
    rmSync(dir, { recursive: true });
  }
});
