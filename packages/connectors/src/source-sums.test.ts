import { existsSync, readFileSync, readdirSync } from "node:fs";
import { type ConnectorCode, type Order, canonicalSchemas } from "@crossdock/contract";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { placesOf } from "./decimal.ts";
import { connectors } from "./index.ts";
import { decodeJson, isRecord } from "./json.ts";
import { amountsOf, taxOf } from "./order-amounts.ts";
import { asItStands } from "./order-standing.ts";

const settings: Partial<Record<ConnectorCode, object>> = {
  shopify: { shopUrl: "https://shop.myshopify.com", currency: "USD" },
  magento: { baseUrl: "https://shop.example.com" },
  bigcommerce: { baseUrl: "https://api.example.com/stores/x" },
  sitoo: { baseUrl: "https://api.example.com", siteId: 1 },
  litium: { baseUrl: "https://shop.example.com" },
  colect: { baseUrl: "https://shop.example.com" },
  optimizely: { baseUrl: "https://shop.example.com" },
  centra: { baseUrl: "https://shop.example.com" },
};

async function orderFrom(code: ConnectorCode, body: unknown): Promise<Order> {
  const received = await connectors[code].receive({
    body: Buffer.from(JSON.stringify(body)),
    headers: {},
    settings: settings[code],
    entityType: "order",
    // Some examples are test orders.
    isDevelopment: true,
  });
  return canonicalSchemas.order.parse(received.kind === "documents" ? received.documents[0]?.document : received);
}

/** What the lines come to, beside what the source says of the whole. */
function sumsOf(order: Order) {
  const { total } = amountsOf(order);
  return {
    total: Number(total.gross),
    tax: Number(taxOf(total)),
    stated: Number(order.totals?.total?.amount),
    statedTax: Number(order.totals?.tax?.amount ?? 0),
  };
}

describe("magento", () => {
  const item = { item_id: 1, sku: "A-1", qty_ordered: 2, price: 100, row_total: 200, tax_percent: 25 };
  const order = { increment_id: "100", created_at: "2026-11-21 08:00:00", order_currency_code: "SEK", state: "new" };

  test("a discount that holds its tax is net, as the prices are, and carriage has a tax and a discount", async () => {
    const made = await orderFrom("magento", {
      ...order,
      // The discount of 25 was taken off prices with tax: 20 of it net, 5 of it tax.
      items: [{ ...item, discount_amount: 25, discount_tax_compensation_amount: 5, tax_amount: 45 }],
      subtotal: 200,
      shipping_amount: 40,
      shipping_tax_amount: 7.5,
      shipping_discount_amount: 12.5,
      shipping_discount_tax_compensation_amount: 2.5,
      discount_amount: -37.5,
      tax_amount: 52.5,
      grand_total: 262.5,
    });
    expect(sumsOf(made)).toEqual({ total: 262.5, tax: 52.5, stated: 262.5, statedTax: 52.5 });
    expect(made).toMatchObject({
      pricesIncludeTax: false,
      lines: [{ discount: { amount: "20" } }, { kind: "shipping", discount: { amount: "10.0" } }],
    });
  });

  test("what is left of a line that was cancelled or refunded in part stands beside it", async () => {
    const items = [
      { ...item, qty_canceled: 1, qty_refunded: 0 },
      { ...item, item_id: 2, qty_canceled: 0, qty_refunded: 0 },
    ];
    expect((await orderFrom("magento", { ...order, items })).lines.map(({ quantity, attributes }) => [quantity, attributes])).toEqual([
      ["2", { currentQuantity: "1" }],
      ["2", undefined],
    ]);
  });

  test("what was given back in goodwill, of no line, is off what is left of the order, to the cent", async () => {
    const body = { ...order, items: [{ ...item, tax_amount: 50 }], tax_amount: 50, grand_total: "249.99", total_refunded: "30.01" };
    const made = await orderFrom("magento", body);
    expect(made.attributes).toEqual({ currentTotal: "219.98" });
    expect(sumsOf(asItStands(made))).toEqual({ total: 219.98, tax: 44, stated: 219.98, statedTax: 0 });
  });

  test("what was refunded and cancelled of lines, with a goodwill beside it, leaves what the store has kept", async () => {
    const items = [
      { ...item, qty_refunded: 1, tax_amount: 50 },
      { ...item, item_id: 2, qty_canceled: 2, tax_amount: 50 },
    ];
    const body = { ...order, items, tax_amount: 100, grand_total: 500, total_canceled: 250, total_refunded: 130 };
    const made = await orderFrom("magento", body);
    expect(made.attributes).toEqual({ currentTotal: "120" });
    expect(sumsOf(asItStands(made))).toEqual({ total: 120, tax: 24, stated: 120, statedTax: 0 });
    expect((await orderFrom("magento", { ...body, total_refunded: 0 })).attributes ?? null).toBeNull();
  });

  test("what is given back to a gift card is given back, too", async () => {
    const extension_attributes = { gift_cards_amount: 100, gift_cards_refunded: 40 };
    const body = { ...order, items: [{ ...item, tax_amount: 50 }], grand_total: 150, total_refunded: 10, extension_attributes };
    expect((await orderFrom("magento", body)).attributes).toEqual({ paidByGiftCard: "100", currentTotal: "200" });
  });

  test("a bundle that is priced by its parts has their discounts and taxes", async () => {
    const part = {
      ...item,
      item_id: 2,
      parent_item_id: 1,
      qty_ordered: 1,
      price: 100,
      row_total: 100,
      discount_amount: 10,
      tax_amount: 22.5,
    };
    const made = await orderFrom("magento", {
      ...order,
      items: [{ ...item, discount_amount: 0, tax_amount: 0 }, part, { ...part, item_id: 3 }],
      tax_amount: 45,
      grand_total: 225,
    });
    expect(sumsOf(made)).toEqual({ total: 225, tax: 45, stated: 225, statedTax: 45 });
  });
});

describe("magento: what is in the sum and in no item", () => {
  const order = { increment_id: "100", created_at: "2026-11-21 08:00:00", order_currency_code: "USD", state: "processing", subtotal: 100 };
  const item = { item_id: 1, sku: "TV-1", qty_ordered: 2, price: 50, row_total: 100 };

  test("product taxes, wrapping and a printed card are fees", async () => {
    const made = await orderFrom("magento", {
      ...order,
      items: [{ ...item, weee_tax_applied_row_amount: 5 }],
      extension_attributes: {
        gw_price: "4.0000",
        gw_tax_amount: "1.0000",
        gw_items_price: "3.0000",
        gw_items_tax_amount: "0.7500",
        gw_card_price: "2.0000",
        gw_card_tax_amount: "0.5000",
      },
      tax_amount: 2.25,
      grand_total: 116.25,
    });
    expect(sumsOf(made)).toEqual({ total: 116.25, tax: 2.25, stated: 116.25, statedTax: 2.25 });
    expect(made.lines.map(({ lineNumber, kind }) => `${kind} ${lineNumber}`)).toEqual([
      "product 1",
      "fee product-tax-1",
      "fee wrapping",
      "fee item-wrapping",
      "fee printed-card",
    ]);
  });

  test("gift cards, credit and points are payments, and take nothing off the order", async () => {
    const made = await orderFrom("magento", {
      ...order,
      items: [item],
      extension_attributes: { gift_cards_amount: 30, customer_balance_amount: "20.0000", reward_currency_amount: 10, gw_price: null },
      grand_total: 40,
    });
    expect(sumsOf(made)).toMatchObject({ total: 100, stated: 100 });
    expect(made.attributes).toEqual({ paidByGiftCard: "30", paidByStoreCredit: "20.0000", paidByPoints: "10" });
  });
});

describe("a row whose sum is not its price times its quantity", () => {
  const magento = { increment_id: "100", created_at: "2026-11-21 08:00:00", order_currency_code: "EUR", state: "new" };
  const item = { item_id: 1, sku: "A-1", qty_ordered: 3, price: 8.26, row_total: 24.79, tax_amount: 5.21, tax_percent: 21 };
  const weighed = { item_id: 1, sku: "A-1", qty_ordered: 1.5, price: 3.33, row_total: 5, tax_amount: 0 };
  const sitoo = { orderid: 5, orderdate: 1_763_712_000, currencycode: "EUR" };
  const row = {
    orderitemid: 1,
    sku: "A-1",
    quantity: 3,
    moneynetpriceperunit: "8.26",
    moneyitemtotal_net: "24.79",
    moneyitemtotal_vat: "5.21",
    vatvalue: 21,
  };
  const bigcommerce = { id: 1, date_created: "Sat, 21 Nov 2026 08:00:00 +0000", currency_code: "EUR", total_inc_tax: "25.0000" };
  const piece = { id: 1, sku: "A-1", quantity: 3, price_inc_tax: "8.3333", total_tax: "0", discounted_total_inc_tax: "25.0000" };
  const litium = { id: "L1", currencyCode: "EUR", orderCreatedAt: "2026-11-21T08:00:00Z", grandTotal: 25, totalVat: 5 };
  const colect = { orderNumber: "C1", timestamp: "2026-11-21T08:00:00Z", currency: "EUR", totalAmount: 25 };
  const optimizely = { orderNumber: "W1", orderDate: "2026-11-21T08:00:00Z", currencyCode: "EUR" };

  test.each<[string, ConnectorCode, object]>([
    ["prices with tax", "magento", { ...magento, items: [item], tax_amount: 5.21, grand_total: 30 }],
    ["weighed goods", "magento", { ...magento, items: [weighed], tax_amount: 0, grand_total: 5 }],
    ["prices with tax", "sitoo", { ...sitoo, orderitems: [row], moneyfinal_vat: "5.21", moneytotal_gross_all: "30.00" }],
    [
      "weighed goods, rounded down",
      "sitoo",
      {
        ...sitoo,
        orderitems: [
          {
            ...row,
            quantity: 1,
            decimalquantitytotal: "1.5",
            moneynetpriceperunit: "3.33",
            moneyitemtotal_net: "4.99",
            moneyitemtotal_vat: "0",
          },
        ],
        moneyfinal_vat: "0",
        moneytotal_gross_all: "4.99",
      },
    ],
    [
      "a price of four places",
      "bigcommerce",
      { ...bigcommerce, default_currency_code: "EUR", total_tax: "0", consignments: { shipping: [{ line_items: [piece] }] } },
    ],
    [
      "a price of six places",
      "litium",
      {
        ...litium,
        rows: [{ id: "r1", articleNumber: "A-1", quantity: 3, unitPriceIncludingVat: 8.333333, totalIncludingVat: 25, totalVat: 5 }],
      },
    ],
    [
      "a wholesale price",
      "colect",
      { ...colect, orderLine: [{ productUniqueId: "A-1", numberOfPieces: 3, netWholesalePrice: 8.33, lineAmount: 25 }] },
    ],
    [
      "carriage and charges whose tax the lines leave",
      "optimizely",
      {
        ...optimizely,
        orderLines: [{ line: 1, erpNumber: "A-1", qtyOrdered: 3, unitNetPrice: 33.33, totalNetPrice: 100, taxAmount: 20 }],
        shippingCharges: 10,
        handlingCharges: 5,
        otherCharges: 2,
        taxAmount: 23.4,
        orderTotal: 140.4,
      },
    ],
  ])("%s: an order from %s comes to the sum that it states, without a discount below zero", async (_what, code, body) => {
    const made = await orderFrom(code, body);
    const { total, tax, stated, statedTax } = sumsOf(made);
    expect([total, tax]).toEqual([stated, statedTax]);
    expect(made.lines.map(({ discount }) => discount ?? null)).toEqual(made.lines.map(() => null));
    // No row of its own has a part of a cent.
    const { goods } = amountsOf(made);
    expect(goods.filter(({ after }) => placesOf(after.gross) > 2)).toEqual([]);
  });

  test("believes the price where the two contradict each other", async () => {
    const made = await orderFrom("magento", { ...magento, items: [{ ...item, row_total: 24.75 }], grand_total: 29.99 });
    expect(made.lines.map(({ kind }) => kind)).toEqual(["product"]);
    expect(sumsOf(made)).toMatchObject({ total: 29.99 });
  });

  test("has no rounding any more once a piece of it was given back", async () => {
    const made = asItStands(await orderFrom("magento", { ...magento, items: [{ ...item, qty_refunded: 3 }], grand_total: 30 }));
    expect(sumsOf(made)).toMatchObject({ total: 0 });
  });

  test("of a return from sitoo has what was paid as its price", async () => {
    const back = { ...row, quantity: -1, moneyoriginalprice: "10.00", moneyitemtotal_net: "-8.26", moneyitemtotal_vat: "-1.73" };
    const made = await orderFrom("sitoo", { ...sitoo, creditorderid: 4, orderitems: [back] });
    expect(made.lines).toMatchObject([{ unitPrice: { amount: "8.26" }, discount: null }]);
  });
});

const optimizelyLine = (number: number, net: string, taxAmount: string) => ({
  line: number,
  erpNumber: `A-${number}`,
  qtyOrdered: 3,
  unitNetPrice: net,
  totalNetPrice: (Number(net) * 3).toFixed(2),
  taxAmount,
});

describe("optimizely: a discount on a whole order", () => {
  const order = {
    orderNumber: "W1",
    orderDate: "2026-11-21T08:00:00Z",
    currencyCode: "USD",
    orderLines: [optimizelyLine(1, "33.33", "7.00"), optimizelyLine(2, "0.07", "0.01")],
    shippingCharges: 10,
    taxAmount: "7.71",
    orderTotal: "107.58",
  };

  test("is what its parts come to beyond its total, and is spread to the cent", async () => {
    const made = await orderFrom("optimizely", order);
    expect(made.lines.filter(({ kind }) => kind === "discount")).toMatchObject([{ unitPrice: { amount: "10.33" } }]);
    expect(sumsOf(made)).toEqual({ total: 107.58, tax: 7.71, stated: 107.58, statedTax: 7.71 });
    const { goods, carriage } = amountsOf(made);
    expect([...goods, ...carriage].map(({ after }) => [after.net, after.gross])).toEqual([
      ["89.68", "96.68"],
      ["0.19", "0.20"],
      ["10", "10.7"],
    ]);
  });

  test("is none where the parts come to the total or a part of them is not told", async () => {
    const [first] = order.orderLines;
    for (const changed of [
      { orderTotal: "117.91" },
      { orderTotal: "120.00" },
      { orderTotal: null },
      { taxAmount: null },
      { orderLines: [{ ...first, totalNetPrice: null }] },
    ]) {
      const { lines } = await orderFrom("optimizely", { ...order, ...changed });
      expect(lines.filter(({ kind }) => kind === "discount")).toEqual([]);
    }
  });
});

/** Amounts as Centra tells them. */
const sek = (value: number) => ({ value, currency: { code: "SEK" } });
const centraTotals = (shipping: number, taxIncluded: number, taxAdded: number) => ({
  shipping: { value: shipping },
  handling: { value: 0 },
  taxIncluded: { value: taxIncluded },
  taxAdded: { value: taxAdded },
});

const centraLine = (id: number, value: number, taxPercent: number) => ({
  id,
  quantity: 1,
  taxPercent,
  productSize: { SKU: `A-${id}` },
  unitPrice: sek(value),
  lineValue: sek(value),
});

describe("centra: a voucher for a whole order", () => {
  const order = { number: 7, createdAt: "2026-11-21T08:30:00Z", lines: [centraLine(1, 300, 25), centraLine(2, 100, 12)] };
  test.each([
    ["with tax in the prices", 300, centraTotals(0, 53.04, 0), true, "100"],
    ["with carriage as well", 349, centraTotals(49, 62.84, 0), true, "100"],
    ["with tax on top", 426.12, centraTotals(0, 0, 76.12), false, "50.00"],
    ["of prices with tax, none", 400, centraTotals(0, 70.71, 0), true, null],
    ["of prices without tax, none", 487, centraTotals(0, 0, 87), false, null],
  ])("%s", async (_what, grandTotal, sums, pricesIncludeTax, off) => {
    const made = await orderFrom("centra", { ...order, grandTotal: sek(grandTotal), totals: sums });
    expect(made.pricesIncludeTax).toBe(pricesIncludeTax);
    expect(made.lines.find(({ kind }) => kind === "discount")?.unitPrice.amount ?? null).toBe(off);
    expect(made.totals?.discount?.amount ?? null).toBe(off);
    const { total, stated, tax, statedTax } = sumsOf(made);
    expect([total, tax]).toEqual([stated, statedTax]);
  });

  test("is not guessed where a line doesn't tell what it comes to, or the order comes to more than its parts", async () => {
    const untold = { ...centraLine(2, 100, 12), unitPrice: null, lineValue: null };
    const { lines } = await orderFrom("centra", { ...order, grandTotal: sek(500), totals: centraTotals(0, 0, 0) });
    expect(lines.map(({ kind }) => kind)).toEqual(["product", "product"]);
    const message = { ...order, lines: [centraLine(1, 300, 25), untold], grandTotal: sek(200), totals: centraTotals(0, 0, 0) };
    const body = Buffer.from(JSON.stringify(message));
    const received = await connectors.centra.receive({ body, headers: {}, settings: settings.centra, entityType: "order" });
    expect(received).toMatchObject({ kind: "documents", documents: [{ document: { lines: [{ lineNumber: "1" }, { lineNumber: "2" }] } }] });
  });
});

test("sitoo: sales taxes are tax of their rows, beside or instead of VAT", async () => {
  const made = await orderFrom("sitoo", {
    orderid: 5,
    orderdate: 1_763_712_000,
    currencycode: "USD",
    moneyfinal_vat: "0.00",
    moneyfinal_salestax: "8.25",
    moneytotal_gross_all: "108.25",
    orderitems: [
      {
        orderitemid: 1,
        sku: "A-1",
        quantity: 1,
        moneynetpriceperunit: "100.00",
        moneyitemtotal_net: "100.00",
        moneyitemtotal_vat: "0.00",
        vatvalue: 0,
        salestaxes: [
          { name: "State", moneytotal: "100.00", moneytax: "6.25", decimaltaxvalue: "6.25" },
          { name: "City", moneytotal: "100.00", moneytax: "2.00", decimaltaxvalue: "2.00" },
        ],
      },
    ],
  });
  expect(sumsOf(made)).toEqual({ total: 108.25, tax: 8.25, stated: 108.25, statedTax: 8.25 });
  expect(made.lines[0]?.taxRatePercent).toBeNull();
});

describe("bigcommerce", () => {
  const order = { id: 1, status_id: 11, date_created: "Sat, 21 Nov 2026 08:00:00 +0000", currency_code: "USD" };
  /** As the store answers: prices without tax, a discount of the whole order in each line. */
  const line = {
    id: 20,
    sku: "AWE-T",
    quantity: 1,
    price_ex_tax: "89.0000",
    price_inc_tax: "95.2350",
    total_ex_tax: "89.0000",
    total_inc_tax: "95.2350",
    total_tax: "3.7200",
    applied_discounts: [{ id: "manual-discount", code: null, name: "Manual Discount", amount: "35.9000", target: "order" }],
    discounted_total_inc_tax: "56.8200",
  };

  test("every discount, coupons too, is off its line, and each amount has its tax", async () => {
    const made = await orderFrom("bigcommerce", {
      ...order,
      payment_status: "captured",
      consignments: { shipping: [{ line_items: [line] }] },
      shipping_cost_inc_tax: "10.7000",
      shipping_cost_tax: "0.7000",
      discount_amount: "25.9000",
      coupon_discount: "10.0000",
      total_tax: "4.4200",
      total_inc_tax: "67.5200",
    });
    expect(sumsOf(made)).toEqual({ total: 67.52, tax: 4.42, stated: 67.52, statedTax: 4.42 });
    expect(made).toMatchObject({ paymentStatus: "paid", totals: { discount: { amount: "35.9000" } } });
  });

  test("what is left of a line that was refunded in part stands beside it, with its options", async () => {
    const options = [{ display_name: "Size", display_value: "M" }];
    const made = await orderFrom("bigcommerce", {
      ...order,
      consignments: { shipping: [{ line_items: [{ ...line, quantity: 2, quantity_refunded: 1, product_options: options }] }] },
      total_inc_tax: "190.4700",
      refunded_amount: "95.2350",
    });
    expect(made.attributes).toEqual({ currentTotal: "95.2350" });
    expect(made.lines).toMatchObject([{ quantity: "2", attributes: { "option:Size": "M", currentQuantity: "1" } }]);
  });

  test("an order that nobody paid at the till is none", async () => {
    const body = Buffer.from(JSON.stringify({ ...order, status_id: 0 }));
    expect(await connectors.bigcommerce.receive({ body, headers: {}, settings: settings.bigcommerce, entityType: "order" })).toMatchObject({
      kind: "ignored",
    });
  });
});

const folder = `${process.env["CROSSDOCK_DATA"] ?? new URL("../../../../shared/data", import.meta.url).pathname}/api-payloads/shopify`;
/** Its three lines of 199 have a sum of 398 there. */
const inconsistent = "fixtures-shopify_python_api/order.json#0";

function realOrders(): [string, unknown][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const decoded = decodeJson(readFileSync(`${folder}/${name}`));
      const body = decoded.kind === "json" ? decoded.value : null;
      const found = isRecord(body) ? [body["order"], ...z.array(z.unknown()).catch([]).parse(body["orders"])] : [];
      return found
        .filter(
          (order) =>
            isRecord(order) && Array.isArray(order["line_items"]) && "total_price" in order && "currency" in order && "created_at" in order,
        )
        .map((order, index): [string, unknown] => [`${name}#${index}`, order]);
    });
}

test("shopify: what edits and returns have left of an order stands beside what was ordered", async () => {
  const made = await orderFrom("shopify", {
    id: 1,
    name: "#1001",
    currency: "USD",
    created_at: "2026-11-21T08:00:00Z",
    total_price: "300.00",
    current_total_price: "100.00",
    line_items: [
      { id: 2, quantity: 2, current_quantity: 0, price: "100.00" },
      { id: 3, quantity: 1, current_quantity: 1, price: "100.00" },
    ],
  });
  expect(made.lines.map(({ attributes }) => attributes)).toEqual([{ currentQuantity: "0" }, undefined]);
  expect(made.attributes).toMatchObject({ currentTotal: "100.00" });
  expect(sumsOf(made)).toMatchObject({ total: 300, stated: 300 });
});

describe.skipIf(!existsSync(folder))(`shopify's own examples, ${folder} (skipped where they are not)`, () => {
  test("add up to what they say", async () => {
    const sums = await Promise.all(realOrders().map(async ([name, order]) => ({ name, ...sumsOf(await orderFrom("shopify", order)) })));
    expect(sums.length).toBeGreaterThan(0);
    expect(sums.filter(({ name, total, stated }) => name !== inconsistent && total !== stated)).toEqual([]);
  });
});
