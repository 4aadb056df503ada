import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { canonicalSchemas, reasons } from "@crossdock/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Received } from "../connector.ts";
import { connectors } from "../index.ts";

const data = process.env["CROSSDOCK_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data");
const payloads = join(data, "api-payloads/shopify");
const settings = { shopUrl: "https://shop.myshopify.com", currency: "USD" };

function receive(body: unknown, more: object = {}): Promise<Received> {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return connectors.shopify.receive({ body: bytes, headers: {}, settings, ...more });
}

function documentsOf(received: Received) {
  return received.kind === "documents" ? received.documents : [];
}

/** The documents as they go over the wire. */
async function translate(body: unknown, more: object = {}) {
  return JSON.parse(JSON.stringify(documentsOf(await receive(body, more))));
}

function read(path: string) {
  return JSON.parse(readFileSync(join(payloads, path), "utf8"));
}

type Line = { kind: string; sku: string; quantity: string; unitPrice: { amount: string } } & Partial<
  Record<"discount" | "tax", { amount: string }>
>;

/** Text like 1.10 or 1.1, whatever the source wrote. */
function cents(amount: string | null | undefined): number {
  return Math.round(Number(amount ?? "0") * 100);
}

/** Every response of the documentation's examples, and every fixture of two clients. */
function allPayloads(): { name: string; body: unknown }[] {
  const examples = ["2026-07", "2022-04"].flatMap((version) =>
    ["product", "variant", "order", "fulfillment", "customer"].flatMap((resource) =>
      read(`rest-examples/${version}/${resource}.json`).map((example: { method: string; response_body: unknown }, index: number) => ({
        name: `${version} ${resource} ${index} ${example.method}`,
        body: example.response_body,
      })),
    ),
  );
  const fixtures = ["fixtures-go-shopify", "fixtures-shopify_python_api"].flatMap((folder) =>
    readdirSync(join(payloads, folder))
      .filter((file) => file.endsWith(".json"))
      .map((file) => ({ name: `${folder} ${file}`, body: readFileSync(join(payloads, folder, file)) })),
  );
  return [...examples, ...fixtures];
}

describe.skipIf(!existsSync(payloads))(`payloads of ${payloads} (skipped where they are not)`, () => {
  test("each becomes valid canonical documents, is left alone, or is rejected with reasons", async () => {
    const faults: string[] = [];
    let documents = 0;
    for (const { name, body } of allPayloads()) {
      const received = await receive(body);
      if (received.kind === "rejected" && received.reasons.length === 0) faults.push(`${name}: no reason`);
      for (const { entityType, document } of documentsOf(received)) {
        const result = canonicalSchemas[entityType].safeParse(document);
        if (!result.success) faults.push(`${name}: ${entityType} ${result.error.message}`);
        documents += 1;
      }
    }
    expect(faults).toEqual([]);
    expect(documents).toBeGreaterThan(300);
  });

  test("an order keeps every amount, its discounts and taxes add up, and its address and customer come over", async () => {
    const [source] = read("rest-examples/2026-07/order.json")[0].response_body.orders;
    const [{ document }] = await translate({ order: source });
    expect(document).toMatchObject({
      orderNumber: "1001",
      status: "open",
      paymentStatus: "partially-refunded",
      orderedAt: "2008-01-10T11:00:00-05:00",
      customer: { customerNumber: "207119551", email: "bob.norman@mail.example.com", name: "Bob Norman" },
      shippingAddress: { street: ["Chestnut Street 92"], postalCode: "40202", region: "Kentucky", country: "US" },
      totals: { total: { amount: "598.94", currency: "USD" }, tax: { amount: "11.94" }, discount: { amount: "10.00" } },
    });
    expect(document.lines.map((line: Line) => [line.kind, line.sku, line.quantity, line.unitPrice.amount])).toEqual([
      ["product", "IPOD2008GREEN", "1", "199.00"],
      ["product", "IPOD2008RED", "1", "199.00"],
      ["product", "IPOD2008BLACK", "1", "199.00"],
      ["shipping", null, "1", "0.00"],
    ]);
    const sum = (name: "discount" | "tax") => document.lines.reduce((total: number, line: Line) => total + cents(line[name]?.amount), 0);
    expect(sum("discount")).toBe(cents(source.total_discounts));
    expect(sum("tax")).toBe(cents(source.total_tax));
    expect(document.lines[0].taxRatePercent).toBe("6");
  });

  test("duties that the prices don't hold and fees of the checkout are lines, or the order's lines don't add up", async () => {
    const [source] = read("rest-examples/2026-07/order.json")[0].response_body.orders;
    const charged = { ...source, original_total_duties_set: moneySet("12.50"), original_total_additional_fees_set: moneySet("1.00") };
    const [{ document }] = await translate({ order: { ...charged, current_total_additional_fees_set: moneySet("0.00") } });
    expect(document.lines.slice(4)).toMatchObject([
      { lineNumber: "duties", kind: "fee", sku: null, unitPrice: { amount: "12.50", currency: "USD" } },
      { lineNumber: "additional-fees", kind: "fee", unitPrice: { amount: "1.00" }, attributes: { currentQuantity: "0" } },
    ]);
    expect(canonicalSchemas.order.safeParse(document).success).toBe(true);
    const [{ document: held }] = await translate({ order: { ...charged, duties_included: true } });
    expect(held.lines.map(({ description }: { description: string }) => description)).not.toContain("Duties");
  });

  test("a product gives an item and a price for each variant, told apart by their options", async () => {
    const [product] = read("rest-examples/2026-07/product.json")[0].response_body.products;
    const headers = { "x-shopify-topic": "products/update" };
    const items = await translate(product, { headers, entityType: "item" });
    expect(items.map(({ document }: { document: Line & { name: string } }) => [document.sku, document.name])).toEqual([
      ["IPOD2008PINK", "IPod Nano - 8GB - Pink"],
      ["IPOD2008RED", "IPod Nano - 8GB - Red"],
      ["IPOD2008GREEN", "IPod Nano - 8GB - Green"],
      ["IPOD2008BLACK", "IPod Nano - 8GB - Black"],
    ]);
    expect(items[0].document).toMatchObject({ weight: { value: "1.25", unit: "lb" }, tags: ["Emotive", "Flash Memory", "MP3", "Music"] });
    expect(await translate(product, { headers })).toHaveLength(8);
  });

  test("a fulfilment names its order, and one that failed is a failed shipment", async () => {
    const [order] = read("rest-examples/2026-07/order.json")[0].response_body.orders;
    const [{ document }] = await translate({ order }, { entityType: "shipment" });
    expect(document).toMatchObject({
      shipmentNumber: "1001.0",
      orderNumber: "1001",
      status: "failed",
      tracking: [{ number: "1Z1234512345123456" }],
    });
  });

  test("files that are broken on purpose are rejected, not thrown over", async () => {
    for (const file of ["orderlineitems/properties_invalid0.json", "shippinglines/requested_fulfillment_service_id_invalid.json"]) {
      expect(await receive(readFileSync(join(payloads, "fixtures-go-shopify", file)))).toMatchObject({ kind: "rejected" });
    }
  });
});

const variant = { id: 7, sku: "A-1", price: "10.00", updated_at: "2026-11-01T08:00:00+01:00" };
const order = { id: 1, name: "#1", currency: "SEK", created_at: "2026-11-01T08:00:00Z", line_items: [{ quantity: 1, price: "0.10" }] };

function moneySet(amount: string) {
  return { shop_money: { amount, currency_code: "USD" }, presentment_money: { amount, currency_code: "EUR" } };
}

describe("what the settings decide", () => {
  test.each([
    ["reject", { kind: "rejected", reasons: [{ path: "variants.1.sku" }] }],
    ["skip", { kind: "documents", documents: [{ document: { sku: "A-1" } }] }],
    ["variant-id", { kind: "documents", documents: [{ document: { sku: "A-1" } }, { document: { sku: "8" } }] }],
  ])("variants without a sku: %s", async (missingSku, expected) => {
    const product = { id: 1, title: "x", variants: [variant, { ...variant, id: 8, sku: "" }] };
    expect(await receive({ product }, { entityType: "item", settings: { ...settings, missingSku } })).toMatchObject(expected);
  });

  test("one sku of two variants is neither's", async () => {
    const product = { id: 1, title: "x", variants: [variant, { ...variant, id: 8 }, { ...variant, id: 9, sku: "A-2" }] };
    expect(await receive({ product }, { entityType: "item" })).toMatchObject({ kind: "rejected", reasons: [{ path: "variants.1.sku" }] });
  });

  test("prices need a currency, and none is guessed", async () => {
    const { shopUrl } = settings;
    expect(await receive({ variant }, { settings: { shopUrl } })).toMatchObject({ kind: "rejected", reasons: [{ path: "price" }] });
    expect(await receive({ variant })).toMatchObject({ documents: [{ document: { price: { amount: "10.00", currency: "USD" } } }] });
  });

  test("a test order is moved at a development point only", async () => {
    const real = { id: 1, name: "#1001", currency: "USD", created_at: "2026-11-02T08:30:00Z" };
    const trial = { ...real, name: "#9999", test: true };
    const webhook = { headers: { "x-shopify-topic": "orders/create" } };
    const reason = reasons["test-order"];
    expect(await receive(trial, webhook)).toEqual({ kind: "ignored", reason });
    expect(await receive(trial, { entityType: "shipment" })).toEqual({ kind: "ignored", reason });
    expect(await translate(trial, { ...webhook, isDevelopment: true })).toMatchObject([{ document: { orderNumber: "9999" } }]);
    expect(await translate({ orders: [trial, real] })).toMatchObject([{ document: { orderNumber: "1001" } }]);
  });

  test("a webhook that the button for tests sent is moved at a development point only, whatever it holds", async () => {
    const webhook = { headers: { "x-shopify-topic": "products/update", "x-shopify-test": "true" } };
    const sample = { id: "788032119674292922", title: "Example T-Shirt", variants: [{ ...variant, sku: "example-shirt-s" }] };
    expect(await receive(sample, webhook)).toEqual({ kind: "ignored", reason: reasons["test-order"] });
    expect(await receive(sample, { ...webhook, isDevelopment: true })).toMatchObject({ kind: "documents" });
    expect(await receive(sample, { headers: { ...webhook.headers, "x-shopify-test": "false" } })).toMatchObject({ kind: "documents" });
  });

  test("a location is the warehouse that the settings say", async () => {
    const level = { inventory_item_id: 1, location_id: 655441491, available: -2, sku: "A-1" };
    const withLocation = { ...settings, locationIds: { north: "655441491" } };
    expect(await receive({ inventory_level: level }, { settings: withLocation })).toMatchObject({
      documents: [{ entityType: "stock", document: { warehouse: "north", quantity: "-2" } }],
    });
  });
});

test("a tip is a fee, which nobody packs", async () => {
  const line = { id: 2, sku: "A-1", quantity: 1, price: "10.00" };
  const tip = { id: 3, sku: null, name: "Tip", quantity: 1, price: "3.59", tip: { payment_method: null, payment_gateway: null } };
  const order = { id: 1, name: "#1001", currency: "USD", created_at: "2026-11-02T08:30:00Z", line_items: [line, tip] };
  expect(await translate(order, { entityType: "order" })).toMatchObject([
    {
      document: {
        lines: [
          { kind: "product", sku: "A-1" },
          { kind: "fee", description: "Tip", unitPrice: { amount: "3.59" } },
        ],
      },
    },
  ]);
});

test("blanks at the ends of a sku, which shops keep, are none of it in any message", async () => {
  const line = { id: 2, sku: " A-1 ", quantity: 1, price: "10.00" };
  const messages: [string, object][] = [
    ["item", { product: { id: 1, title: "x", variants: [{ ...variant, sku: "A-1 " }] } }],
    ["order", { order: { ...order, line_items: [line] } }],
    ["shipment", { fulfillment: { id: 3, name: "#1.1", status: "success", line_items: [line] } }],
    ["stock", { inventory_level: { inventory_item_id: 1, location_id: 2, available: 3, sku: "\tA-1" } }],
  ];
  for (const [entityType, message] of messages) {
    const received = await receive(message);
    if (received.kind !== "documents") throw new Error(JSON.stringify(received));
    const { document } = received.documents.find((each) => each.entityType === entityType) ?? {};
    expect(JSON.stringify(document)).toContain('"sku":"A-1"');
  }
});

test.each(["#1001.1", "#1001-F1"])("a fulfilment named %s tells its order", async (name) => {
  const received = await receive({ id: 3, name, status: "success" }, { headers: { "x-shopify-topic": "fulfillments/create" } });
  expect(received).toMatchObject({ documents: [{ document: { orderNumber: "1001", shipmentNumber: name.slice(1) } }] });
});

describe("topics", () => {
  test.each([
    ["customers/delete", { kind: "ignored" }],
    ["app/uninstalled", { kind: "ignored" }],
    ["constructor/x", { kind: "ignored" }],
    ["__proto__", { kind: "ignored" }],
    ["orders/create", { kind: "documents", documents: [{ entityType: "order" }] }],
  ])("%s", async (topic, expected) => {
    expect(await receive(order, { headers: { "x-shopify-topic": topic } })).toMatchObject(expected);
  });

  const headers = { "x-shopify-topic": "products/delete", "x-shopify-triggered-at": "2026-11-02T08:30:00.123456789Z" };
  test("products/delete says that the product has nothing any more, and since when", async () => {
    const whole = { name: "product/632910392", skus: [], at: "2026-11-02T08:30:00.123456Z" };
    expect(await receive({ id: 632910392 }, { headers })).toEqual({ kind: "documents", documents: [], wholes: [whole] });
    expect(await receive({}, { headers })).toMatchObject({ kind: "rejected" });
  });

  test("a product tells all skus that it has, unless it shows only some of its variants", async () => {
    const variants = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, sku: `A-${index + 1}`, price: "1.00" }));
    const product = { id: 632910392, title: "Boots", updated_at: "2026-11-02T08:30:00Z", variants: variants.slice(0, 2) };
    const updated = { headers: { "x-shopify-topic": "products/update" } };
    expect(await receive(product, updated)).toMatchObject({
      documents: [
        { entityType: "item", partOf: "product/632910392" },
        { entityType: "price" },
        { entityType: "item" },
        { entityType: "price" },
      ],
      wholes: [{ name: "product/632910392", skus: ["A-1", "A-2"], at: "2026-11-02T08:30:00Z" }],
    });
    const gids = variants.map(({ id }) => ({ admin_graphql_api_id: `gid://shopify/ProductVariant/${id}` }));
    const message = "the message shows 2 of the product's 100 variants; a schedule that polls the shop takes them all";
    const partial = await receive({ ...product, variant_gids: gids }, updated);
    expect(partial).toMatchObject({ documents: { length: 4 }, wholes: [], remarks: [{ path: "variants", message }] });
    expect(await receive({ ...product, variants }, updated)).toMatchObject({ wholes: [] });
    expect(await receive({ ...product, variants, variant_gids: gids }, updated)).toMatchObject({
      wholes: [{ skus: { length: 100 } }],
      remarks: [],
    });
  });

  const person = { id: 17, email: "ada@example.com", phone: null };
  test.each([
    ["customers/redact", { shop_id: 1, shop_domain: "shop.myshopify.com", customer: person, orders_to_redact: [1] }],
    ["customers/data_request", { shop_id: 1, orders_requested: [1], customer: person, data_request: { id: 9 } }],
    ["customers/merge", { admin_graphql_api_customer_kept_id: "gid://shopify/Customer/1", status: "merged" }],
    ["customers/purchasing_summary", { customer_id: "gid://shopify/Customer/1", number_of_orders: 2 }],
    ["orders/edited", { order_edit: { id: 1, order_id: 2, line_items: { additions: [], removals: [] } } }],
    ["orders/risk_assessment_changed", { order_id: 2, provider_id: 3 }],
    ["product_feeds/full_sync", { metadata: { action: "CREATE" }, product: { id: 1, variants: [variant] } }],
  ])("%s, which tells of an object without being one, is left alone", async (topic, body) => {
    expect(await receive(body, { headers: { "x-shopify-topic": topic } })).toMatchObject({ kind: "ignored" });
  });

  test.each([
    ["249.00", "249.00"],
    ["199.00", undefined],
    ["0.00", undefined],
    [null, undefined],
  ])("a compare-at price of %s beside 199.00 is the ordinary price %s", async (compareAtPrice, expected) => {
    const [document] = await translate(
      { variant: { id: 1, sku: "A", price: "199.00", compare_at_price: compareAtPrice } },
      { entityType: "price" },
    );
    expect(document.document.compareAtPrice?.amount).toBe(expected);
  });

  test("stock of a product's message, which since API version 2024-07 doesn't say who counts it, is that of each variant", async () => {
    const variants = [
      { id: 1, sku: "A", price: "5.00", inventory_quantity: 75 },
      { id: 2, sku: "B", price: "5.00", inventory_quantity: 5, inventory_management: "shopify" },
      { id: 3, sku: "C", price: "5.00", inventory_quantity: 0, inventory_management: null },
      { id: 4, sku: "D", price: "5.00", inventory_quantity: 9, inventory_management: "another-service" },
    ];
    const documents = await translate(
      { id: 7, title: "Shirt", variants },
      { headers: { "x-shopify-topic": "products/update" }, settings: { ...settings, stockFromProducts: true } },
    );
    const stock = documents.filter(({ entityType }: { entityType: string }) => entityType === "stock");
    expect(stock.map(({ document }: { document: { sku: string; quantity: string } }) => [document.sku, document.quantity])).toEqual([
      ["A", "75"],
      ["B", "5"],
    ]);
  });

  test("a level without quantity is of an item that the shop doesn't count, of which nothing is moved", async () => {
    const level = { inventory_item_id: 1, location_id: 655441491, available: null, sku: "A-1" };
    expect(await receive({ inventory_level: level })).toMatchObject({ kind: "ignored" });
    const counted = { ...level, sku: "A-2", available: 0 };
    expect(await receive({ inventory_levels: [level, counted] })).toMatchObject({
      documents: [{ entityType: "stock", document: { sku: "A-2", quantity: "0" } }],
    });
  });

  test("customers whose message has no tags and no consent, as since API version 2025-01, keep both at their targets", async () => {
    const headers = { "x-shopify-topic": "customers/update" };
    const silent = await receive(person, { headers });
    expect(silent).toMatchObject({ documents: [{ document: { tags: null, acceptsMarketing: null } }] });
    expect(await receive({ ...person, tags: "" }, { headers })).toMatchObject({ documents: [{ document: { tags: [] } }] });
    const tagged = await receive({ ...person, tags: "gold, early" }, { headers });
    expect(tagged).toMatchObject({ documents: [{ document: { tags: ["gold", "early"] } }] });
  });

  test.each([
    ["subscribed", true],
    ["unsubscribed", false],
    ["not_subscribed", null],
    ["pending", null],
  ])("consent that is %s is %s", async (state, acceptsMarketing) => {
    const asked = { ...person, email_marketing_consent: { state } };
    expect(await receive(asked, { headers: { "x-shopify-topic": "customers/update" } })).toMatchObject({
      documents: [{ document: { acceptsMarketing } }],
    });
  });

  test("what the buyer wrote to a line or to the order stands in attributes, and is never taken for what the shop says", async () => {
    const [line] = order.line_items;
    const properties = [
      { name: "Engraving", value: "Ada" },
      { name: "currentQuantity", value: "0" },
      { name: "_design", value: "x".repeat(10_001) },
      { name: "", value: "none" },
      "no property",
    ];
    const received = await receive(
      { ...order, line_items: [{ ...line, properties }], note_attributes: [{ name: "Delivery date", value: "2026-12-24" }] },
      { entityType: "order" },
    );
    const document = received.kind === "documents" ? canonicalSchemas.order.parse(received.documents[0]?.document) : null;
    expect(document?.lines[0]?.attributes).toEqual({ "property:Engraving": "Ada", "property:currentQuantity": "0" });
    expect(document?.attributes).toMatchObject({ "note:Delivery date": "2026-12-24" });
  });

  test("a message without topic, wrapper or entity type is rejected", async () => {
    expect(await receive(order)).toMatchObject({ kind: "rejected" });
    expect(await receive(order, { entityType: "order" })).toMatchObject({ kind: "documents" });
  });
});

describe("hostile input", () => {
  const nested = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  test.each([
    ["nothing", ""],
    ["half a document", '{"order":{"id":1'],
    ["no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["UTF-16", Buffer.from('{"order":{}}', "utf16le")],
    ["depth", nested],
    ["a list", "[]"],
    ["null", "null"],
    ["wrong types", { order: { ...order, line_items: "all", currency: 7 } }],
    ["a negative id", { order: { ...order, id: -1 } }],
    ["NaN for an amount", { order: { ...order, line_items: [{ quantity: 1, price: "NaN" }] } }],
    ["a million digits", { order: { ...order, line_items: [{ quantity: "9".repeat(1_000_000), price: "1" }] } }],
    [
      "a huge exponent",
      '{"order":{"id":1,"name":"1","currency":"SEK","created_at":"2026-11-01T08:00:00Z","line_items":[{"quantity":1e999,"price":"1"}]}}',
    ],
    ["a title that no item's name may have", { product: { id: 1, title: "x".repeat(1_000_000), variants: [variant] } }],
    ["objects where text belongs", { product: { id: 1, title: {}, variants: [{ ...variant, sku: { toString: "x" } }] } }],
  ])("%s is rejected with reasons", async (_name, body) => {
    const received = await receive(body);
    expect(received).toMatchObject({ kind: "rejected" });
    expect(JSON.stringify(received).length).toBeLessThan(5_000);
  });

  test("a product of a great many variants, images, tags and options takes no more than they do together", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => index);
    const product = {
      id: 1,
      title: "Boots",
      tags: many.map(String),
      options: many.map((index) => ({ name: `option ${index}` })),
      images: many.map(() => ({ src: "https://cdn.example.com/a.jpg" })),
      variants: many.map((index) => ({ id: index + 1, sku: `A-${index}`, option1: `${index}` })),
    };
    const documents = documentsOf(await receive(product, { entityType: "item" }));
    expect(documents).toHaveLength(20_000);
    expect(documents[7]).toMatchObject({
      document: { sku: "A-7", images: { length: 20_000 }, options: [{ name: "option 0", value: "7" }] },
    });
  });

  test("an order with anything in the place of anything is read or refused; nothing falls over", async () => {
    const full = {
      ...order,
      customer: { id: 1 },
      shipping_lines: [{ price: "1" }],
      fulfillments: [],
      refunds: [],
      tags: "",
      billing_address: {},
    };
    const property = fc.asyncProperty(fc.constantFrom(...Object.keys(full)), fc.jsonValue({ maxDepth: 3 }), async (field, value) => {
      const received = await receive({ order: { ...full, [field]: value } });
      expect(JSON.stringify(received)).not.toContain("fault in the connector");
      expect(["documents", "rejected"]).toContain(received.kind);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  test("__proto__ and constructor change nothing beyond their message", async () => {
    const body =
      '{"order":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"id":1,"name":"#1","currency":"SEK","created_at":"2026-11-01T08:00:00Z","line_items":[]}}';
    expect(await receive(body)).toMatchObject({ kind: "documents" });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("NUL in a text reaches the canonical schema, which names the field", async () => {
    const [{ document }] = await translate({ order: { ...order, note: "a\u0000b" } });
    const result = canonicalSchemas.order.safeParse(document);
    expect(result.error?.issues.map((issue) => issue.path.join("."))).toEqual(["note"]);
  });

  test("ids and amounts beyond the exact range of a double keep all their digits", async () => {
    const body =
      '{"order":{"id":9007199254740993,"name":"#1","currency":"SEK","created_at":"2026-11-01T08:00:00Z","line_items":[{"id":9007199254740995,"quantity":1,"price":12345678901234567.89}]}}';
    const [{ document }] = await translate(body);
    expect(document.attributes.shopifyOrderId).toBe("9007199254740993");
    expect(document.lines[0]).toMatchObject({ lineNumber: "9007199254740995", unitPrice: { amount: "12345678901234567.89" } });
  });

  test("settings that don't fit are a reason, not an exception", async () => {
    expect(await receive({ order }, { settings: { shopUrl: "file:///etc/passwd" } })).toMatchObject({ kind: "rejected" });
  });
});
