import { type ConnectorCode, type Order, canonicalSchemas } from "@crossdock/contract";
import { describe, expect, test } from "vitest";
import { connectors } from "./index.ts";

const baseUrl = "https://shop.example.com";

function receive(code: ConnectorCode, body: object, entityType: "order" | "customer" = "order") {
  const settings = code === "sitoo" ? { baseUrl, siteId: 1 } : { baseUrl };
  return connectors[code].receive({ body: Buffer.from(JSON.stringify(body)), headers: {}, settings, entityType });
}

async function orderFrom(code: ConnectorCode, body: object): Promise<Order> {
  const received = await receive(code, body);
  return canonicalSchemas.order.parse(received.kind === "documents" ? received.documents[0]?.document : received);
}

describe("magento", () => {
  const order = {
    increment_id: "100",
    created_at: "2026-11-21 08:00:00",
    order_currency_code: "SEK",
    items: [{ item_id: 1, qty_ordered: 1, price: 10 }],
  };

  test("a field that PHP wrote as a list, as it does with empty objects, is an empty object", async () => {
    expect(await orderFrom("magento", { ...order, extension_attributes: [] })).toMatchObject({ orderNumber: "100", shippingAddress: null });
    const assignments = [{ shipping: [] }];
    expect(await orderFrom("magento", { ...order, extension_attributes: { shipping_assignments: assignments } })).toMatchObject({
      shippingAddress: null,
    });
  });

  const total = { grand_total: 165 };
  test.each<[string, object, object]>([
    ["awaits its payment", { state: "new", total_due: 165 }, { paymentStatus: "pending", attributes: undefined }],
    ["is paid", { state: "processing", total_paid: 165, total_due: 0 }, { paymentStatus: "paid", attributes: undefined }],
    ["is paid in part", { state: "processing", total_paid: 65, total_due: 100 }, { paymentStatus: "partially-paid" }],
    ["was paid by a gift card", { state: "processing", grand_total: 0, total_due: 0 }, { paymentStatus: "paid" }],
    [
      "is given back in part",
      { state: "complete", total_paid: 165, total_due: 0, total_refunded: 65 },
      { paymentStatus: "partially-refunded" },
    ],
    ["is given back", { state: "closed", total_paid: 165, total_due: 0, total_refunded: 165 }, { paymentStatus: "refunded" }],
    ["was never paid", { state: "canceled", total_due: 165 }, { status: "cancelled", paymentStatus: "voided" }],
    [
      "is on hold",
      { state: "holded", total_paid: 165, total_due: 0 },
      { status: "open", paymentStatus: "paid", attributes: { onHold: true } },
    ],
    ["may be fraud", { state: "payment_review", status: "fraud", total_due: 165 }, { status: "open", attributes: { onHold: true } }],
    ["awaits its buyer's return from the payment provider", { state: "pending_payment", total_due: 165 }, { attributes: { onHold: true } }],
    ["says nothing of it", { state: "new" }, { paymentStatus: null }],
  ])("an order that %s says so", async (_what, fields, expected) => {
    expect(await orderFrom("magento", { ...order, ...total, ...fields })).toMatchObject(expected);
  });

  test("an order that the store's queue has not made yet is none, and one that it rejected is cancelled", async () => {
    const queued = { ...order, ...total, items: [] };
    expect(await receive("magento", { ...queued, status: "received" })).toMatchObject({ kind: "ignored" });
    expect(await orderFrom("magento", { ...queued, state: "canceled", status: "rejected" })).toMatchObject({ status: "cancelled" });
  });

  test("what a binary fraction has behind the ninth place is rounded, and the buyer's note comes along", async () => {
    const item = { item_id: 1, qty_ordered: 1, price: 10, tax_amount: 3.3000000000000003 };
    expect(await orderFrom("magento", { ...order, items: [item], customer_note: "Ring twice" })).toMatchObject({
      note: "Ring twice",
      lines: [{ tax: { amount: "3.300000000" } }],
    });
  });

  test("a customer's region, which is an object there, comes over", async () => {
    const regions = [{ region_code: "NY", region: "New York", region_id: 43 }, { region: null, region_id: 0 }, "Skåne", null];
    const received = await receive("magento", { id: 1, addresses: regions.map((region) => ({ region })) }, "customer");
    const document = received.kind === "documents" ? received.documents[0]?.document : received;
    expect(canonicalSchemas.customer.parse(document).addresses?.map(({ region }) => region)).toEqual(["New York", null, "Skåne", null]);
  });
});

describe("bigcommerce", () => {
  const order = { id: 1, date_created: "Sat, 21 Nov 2026 08:00:00 +0000", currency_code: "SEK" };

  test("what is picked up, downloaded or given as a certificate is ordered as what is sent is", async () => {
    const [sent, picked, downloaded, given] = [1, 2, 3, 4].map((id) => ({ id, sku: `A-${id}`, quantity: 1, price_inc_tax: "10.0000" }));
    const consignments = {
      pickups: [{ id: 9, line_items: [picked] }],
      shipping: [{ id: 8, line_items: [sent] }],
      downloads: [{ recipient_email: "ada@example.com", line_items: [downloaded] }],
      email: { gift_certificates: [{ recipient_email: "bo@example.com", line_items: given }] },
    };
    expect((await orderFrom("bigcommerce", { ...order, consignments })).lines.map(({ sku }) => sku)).toEqual(["A-1", "A-2", "A-3", "A-4"]);
  });

  test.each<[number, string, object]>([
    [12, "authorized", { status: "open", paymentStatus: "authorized", attributes: { onHold: true } }],
    [13, "captured", { status: "open", paymentStatus: "paid", attributes: { onHold: true } }],
    [11, "held for review", { paymentStatus: "pending", attributes: { onHold: true } }],
    [11, "capture pending", { paymentStatus: "authorized", attributes: undefined }],
    [11, "void pending", { paymentStatus: "voided" }],
    [7, "declined", { paymentStatus: "pending" }],
    [7, "", { paymentStatus: "pending" }],
    [11, "", { paymentStatus: null }],
  ])("an order of status %i whose payment is '%s' is told so", async (status_id, payment_status, expected) => {
    expect(await orderFrom("bigcommerce", { ...order, status_id, payment_status })).toMatchObject(expected);
  });

  test("amounts are in the currency that was paid in, not in the one that prices were shown in", async () => {
    const paid = await orderFrom("bigcommerce", { ...order, default_currency_code: "EUR", total_inc_tax: "10.0000" });
    expect(paid).toMatchObject({ currency: "EUR", totals: { total: { amount: "10.0000", currency: "EUR" } } });
    expect(await orderFrom("bigcommerce", order)).toMatchObject({ currency: "SEK" });
  });

  test("handling and wrapping are lines, as carriage is, and sums hold tax as lines do", async () => {
    const costs = { shipping_cost_inc_tax: "49.0000", handling_cost_inc_tax: "5.0000", wrapping_cost_inc_tax: "0.0000" };
    const { lines, totals } = await orderFrom("bigcommerce", {
      ...order,
      ...costs,
      subtotal_ex_tax: "8.0000",
      subtotal_inc_tax: "10.0000",
    });
    expect(lines.map(({ lineNumber, kind, unitPrice }) => [lineNumber, kind, unitPrice.amount])).toEqual([
      ["shipping", "shipping", "49.0000"],
      ["handling", "fee", "5.0000"],
    ]);
    expect(totals?.lines?.amount).toBe("10.0000");
  });

  test("fees, the buyer's note and what was chosen of a product come along", async () => {
    const made = await orderFrom("bigcommerce", {
      ...order,
      customer_message: "Ring twice",
      fees: [{ id: 3, name: "Gift wrap", cost_inc_tax: "5.0000", cost_tax: "1.0000" }],
      ...shipping({
        id: 1,
        sku: "A-1",
        quantity: 1,
        price_inc_tax: "10",
        product_options: [
          { display_name: "Engraving", display_value: "Ada" },
          { display_name: "Drawing", display_value: "x".repeat(10_001) },
        ],
      }),
    });
    expect(made).toMatchObject({
      note: "Ring twice",
      lines: [
        { attributes: { "option:Engraving": "Ada" } },
        { lineNumber: "fee-3", kind: "fee", description: "Gift wrap", unitPrice: { amount: "5.0000" }, tax: { amount: "1.0000" } },
      ],
    });
    expect(Object.keys(made.lines[0]?.attributes ?? {})).toEqual(["option:Engraving"]);
  });
});

describe("litium", () => {
  const order = { id: "L1", currencyCode: "SEK", rows: [] };

  test.each(["order", "item"])("a notification may hold the order as resource.%s", async (name) => {
    const body = Buffer.from(JSON.stringify({ action: "x", resource: { [name]: { ...order, orderCreatedAt: "2026-11-21T08:30:00" } } }));
    expect(await connectors.litium.receive({ body, headers: {}, settings: { baseUrl } })).toMatchObject({
      kind: "documents",
      documents: [{ entityType: "order", document: { orderNumber: "L1" } }],
    });
  });

  test.each([
    ["2026-11-21T08:30:00", "2026-11-21T08:30:00Z"],
    ["2026-11-21T08:30:00.1234567+01:00", "2026-11-21T08:30:00.123456+01:00"],
  ])("%s is the same moment wherever the server stands", async (orderCreatedAt, expected) => {
    expect((await orderFrom("litium", { ...order, orderCreatedAt })).orderedAt).toBe(expected);
  });

  test("a time that is none is refused at its field", async () => {
    const received = await receive("litium", { ...order, orderCreatedAt: "soon" });
    const document = received.kind === "documents" ? received.documents[0]?.document : {};
    expect(canonicalSchemas.order.safeParse(document).error?.issues.map(({ path }) => path.join("."))).toEqual(["orderedAt"]);
  });
});

describe("centra", () => {
  const order = {
    number: 7,
    createdAt: "2026-11-21T08:30:00Z",
    grandTotal: { value: 278, currency: { code: "SEK" } },
    totals: { shipping: { value: 49 }, handling: { value: 29 }, taxAdded: { value: 0 }, taxIncluded: { value: 55.6 } },
    lines: [{ id: 1, quantity: 2, productSize: { SKU: "A-1" }, unitPrice: { value: 100 }, lineValue: { value: 200 } }],
  };

  test("carriage and handling are lines, and whether tax is in the prices is known from the sums", async () => {
    const { lines, pricesIncludeTax, totals } = await orderFrom("centra", order);
    expect(lines.map(({ kind, unitPrice }) => [kind, unitPrice.amount])).toEqual([
      ["product", "100"],
      ["shipping", "49"],
      ["fee", "29"],
    ]);
    expect([pricesIncludeTax, totals?.tax?.amount]).toEqual([true, "55.6"]);
    expect(
      await orderFrom("centra", {
        ...order,
        grandTotal: { value: 303, currency: { code: "SEK" } },
        totals: { ...order.totals, taxAdded: { value: 25 }, taxIncluded: { value: 0 } },
      }),
    ).toMatchObject({
      pricesIncludeTax: false,
      totals: { tax: { amount: "25" } },
    });
    expect(await orderFrom("centra", { ...order, totals: null })).toMatchObject({ pricesIncludeTax: null, lines: { length: 1 } });
  });
});

describe("sitoo", () => {
  test("a time that is none is refused at its field", async () => {
    const order = { orderid: 1, currencycode: "SEK", orderdate: 9_000_000_000_000, orderitems: [] };
    const received = await receive("sitoo", order);
    const document = received.kind === "documents" ? received.documents[0]?.document : {};
    expect(canonicalSchemas.order.safeParse(document).error?.issues.map(({ path }) => path.join("."))).toEqual(["orderedAt"]);
  });
});

describe("nuorder", () => {
  test("an order has both of its addresses, as its answers have them", async () => {
    const place = { city: "Poznan", country: "Poland", display_name: "ul. 27 Grudnia 3", line_1: "ul. 27 Grudnia 3", zip: "61-737" };
    const order = {
      order_number: "100505",
      created_on: "2014-09-19T12:54:54.921Z",
      currency_code: "USD",
      billing_address: place,
      shipping_address: { ...place, line_1: "Rynek 1" },
      line_items: [{ product: { style_number: "2" }, sizes: [{ size: "M", quantity: 1, price: 12 }] }],
    };
    expect(await orderFrom("nuorder", order)).toMatchObject({
      billingAddress: { street: ["ul. 27 Grudnia 3"], postalCode: "61-737", city: "Poznan", countryName: "Poland" },
      shippingAddress: { street: ["Rynek 1"] },
    });
  });
});

describe("optimizely", () => {
  const order = { orderNumber: "W1", orderDate: "2026-11-21T08:30:00Z", currencyCode: "SEK", shippingCharges: 49, orderLines: [] };

  test("what the carriage costs is a line of its own, as from the other systems", async () => {
    expect((await orderFrom("optimizely", order)).lines).toMatchObject([
      { kind: "shipping", quantity: "1", unitPrice: { amount: "49", currency: "SEK" } },
    ]);
    expect((await orderFrom("optimizely", { ...order, shippingCharges: 0 })).lines).toEqual([]);
  });

  test.each([
    "Cart",
    "AbandonedCart",
    "Saved",
    "AwaitingApproval",
    "QuoteProposed",
    "PunchOut",
    "PunchOutOrderRequest",
    "RequisitionSubmitted",
  ])("what is %s is no order yet", async (status) => {
    expect(await receive("optimizely", { ...order, status })).toMatchObject({ kind: "ignored" });
  });

  test.each([
    ["Submitted", "open"],
    ["ReadyForPickup", "open"],
    ["Complete", "completed"],
    ["Cancellation", "cancelled"],
    [null, "open"],
  ])("an order that is %s is %s", async (status, expected) => {
    expect(await orderFrom("optimizely", { ...order, status })).toMatchObject({ status: expected });
  });

  test("carts, of which each visit makes one, are not asked for", () => {
    const credentials = { clientSecret: "s", username: "u", password: "p" };
    const since = "2026-11-21T08:30:00Z";
    const filters = [null, JSON.stringify({ since, page: 1, settled: null })].map((cursor) => {
      const pull = connectors.optimizely.pull?.next({ entityType: "order", cursor, settings: { baseUrl }, credentials });
      return pull && "request" in pull ? new URL(pull.request.url).searchParams.get("$filter") : null;
    });
    expect(filters).toEqual(["status ne 'Cart'", `status ne 'Cart' and modifiedOn ge ${since}`]);
  });

  test("an order that names no currency is rejected, none is guessed", async () => {
    expect(await receive("optimizely", { ...order, currencyCode: null })).toMatchObject({
      kind: "rejected",
      reasons: [{ path: "currencyCode" }],
    });
  });
});

const sek = (value: unknown) => ({ value, currency: { code: "SEK" } });
const shipping = (line: object) => ({ consignments: { shipping: [{ line_items: [line] }] } });

describe("an order to several addresses", () => {
  const ann = { first_name: "Ann", street_1: "Storgatan 1", city: "Stockholm", line_items: [] };
  const bigcommerce = { id: 1, status_id: 11, date_created: "Sat, 21 Nov 2026 08:00:00 +0000", currency_code: "SEK" };
  const litium = { id: "L1", currencyCode: "SEK", orderCreatedAt: "2026-11-21T08:00:00Z" };
  const eva = { firstName: "Eva", address1: "Storgatan 1", city: "Stockholm" };

  test.each<[ConnectorCode, string, object[], (parcels: object[]) => object]>([
    ["bigcommerce", "consignments", [ann, { ...ann, city: "Malmö" }], (shipping) => ({ ...bigcommerce, consignments: { shipping } })],
    ["bigcommerce", "consignments", [ann, { ...ann, first_name: "Bo" }], (shipping) => ({ ...bigcommerce, consignments: { shipping } })],
    ["litium", "shippingInfo", [{ address: eva }, { address: { ...eva, city: "Malmö" } }], (shippingInfo) => ({ ...litium, shippingInfo })],
  ])("of %s is rejected with its path (%s), and is taken where all parcels go to one", async (code, path, parcels, orderOf) => {
    expect(await receive(code, orderOf(parcels))).toMatchObject({
      kind: "rejected",
      reasons: [{ path, message: expect.stringContaining("several addresses") }],
    });
    const [first = {}] = parcels;
    expect(await orderFrom(code, orderOf([first, first]))).toMatchObject({ shippingAddress: { city: "Stockholm" } });
  });

  test("of bigcommerce that nobody paid at the till is none", async () => {
    const shipping = [ann, { ...ann, city: "Malmö" }];
    expect(await receive("bigcommerce", { ...bigcommerce, status_id: 0, consignments: { shipping } })).toMatchObject({ kind: "ignored" });
  });
});

describe("an amount that can't be read, or a line's quantity or price that is not there, is rejected instead of being none", () => {
  const magentoLine = { item_id: 1, sku: "A-1", qty_ordered: 1, price: 10 };
  const magento = { increment_id: "100", created_at: "2026-11-21 08:00:00", order_currency_code: "SEK" };
  const centraLine = { id: 1, quantity: 1, productSize: { SKU: "A-1" }, unitPrice: sek(10) };
  const centra = { number: 7, createdAt: "2026-11-21T08:30:00Z", grandTotal: sek(10) };
  const optimizelyLine = { erpNumber: "A-1", line: 1, qtyOrdered: 1, unitNetPrice: 10 };
  const optimizely = { orderNumber: "W1", orderDate: "2026-11-21T08:30:00Z", currencyCode: "SEK" };
  const bigcommerceLine = { id: 1, sku: "A-1", quantity: 1, price_inc_tax: "10" };
  const bigcommerce = { id: 1, date_created: "Sat, 21 Nov 2026 08:00:00 +0000", currency_code: "SEK" };

  test.each<[ConnectorCode, object, object]>([
    ["magento", { ...magento, items: [magentoLine] }, { ...magento, items: [{ ...magentoLine, price: "1,299.00" }] }],
    ["magento", { ...magento, items: [magentoLine] }, { ...magento, items: [{ ...magentoLine, price: null }] }],
    ["magento", { ...magento, items: [magentoLine] }, { ...magento, items: [{ ...magentoLine, qty_ordered: undefined }] }],
    ["magento", { ...magento, items: [magentoLine] }, { ...magento, items: [magentoLine], grand_total: "12,50" }],
    ["centra", { ...centra, lines: [centraLine] }, { ...centra, lines: [{ ...centraLine, unitPrice: sek("12.50 kr") }] }],
    ["centra", { ...centra, lines: [centraLine] }, { ...centra, lines: [{ ...centraLine, unitPrice: null }] }],
    [
      "optimizely",
      { ...optimizely, orderLines: [optimizelyLine] },
      { ...optimizely, orderLines: [{ ...optimizelyLine, qtyOrdered: null }] },
    ],
    [
      "bigcommerce",
      { ...bigcommerce, ...shipping(bigcommerceLine) },
      { ...bigcommerce, ...shipping({ ...bigcommerceLine, price_inc_tax: null }) },
    ],
    [
      "bigcommerce",
      { ...bigcommerce, ...shipping(bigcommerceLine) },
      { ...bigcommerce, ...shipping({ ...bigcommerceLine, quantity: "two" }) },
    ],
  ])("%s %#", async (code, right, wrong) => {
    const { lines } = await orderFrom(code, right);
    expect(lines).toMatchObject([{ quantity: "1", unitPrice: { amount: "10" } }]);
    await expect(orderFrom(code, wrong)).rejects.toThrow("invalid_type");
  });
});

const empty = Array.from({ length: 20_000 }, () => ({}));

test.each<[ConnectorCode, object]>([
  ["magento", { items: empty }],
  ["centra", { lines: empty }],
  ["nuorder", { line_items: [{ sizes: empty }] }],
  ["optimizely", { orderLines: empty }],
  ["sitoo", { orderitems: empty }],
  ["litium", { rows: empty }],
])("%s: of a list that is wrong throughout, no more is looked at than its refusal needs: %#", async (code, order) => {
  const received = await receive(code, order);
  expect(received).toMatchObject({ kind: "rejected" });
  expect(received.kind === "rejected" ? received.reasons.length : 0).toBeLessThan(200);
});
