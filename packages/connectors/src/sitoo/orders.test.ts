import { type Order, canonicalSchemas } from "@crossdock/contract";
import { describe, expect, test } from "vitest";
import type { OutboundRequest } from "../connector.ts";
import { connectors } from "../index.ts";

const point = {
  settings: { baseUrl: "https://api.mysitoo.com/v2/accounts/1", siteId: 1 },
  credentials: { apiId: "1", password: "x" },
};
const money = (amount: string) => ({ amount, currency: "SEK" });
const sale = {
  orderNumber: "10023",
  orderedAt: "2026-11-01T08:00:00+01:00",
  currency: "SEK",
  pricesIncludeTax: true,
  customer: { email: "ada@example.com", name: "Ada Berg" },
  billingAddress: { name: "Ada Berg", street: ["Storgatan 1", "c/o Lind"], postalCode: "111 22", city: "Stockholm", country: "SE" },
  lines: [
    { lineNumber: "1", sku: "A-1", description: "Boots", quantity: "2", unitPrice: money("125"), discount: money("50"), tax: money("40") },
    { lineNumber: "2", sku: "A-2", description: "Rope", quantity: "1.5", unitPrice: money("10"), taxRatePercent: "25" },
  ],
};

async function deliver(document: object): Promise<OutboundRequest> {
  const input = {
    entityType: "order",
    document: JSON.stringify(document),
    key: "k",
    externalId: null,
    messageId: "1",
  } as const;
  const request = await connectors.sitoo.request({ ...input, ...point });
  if ("kind" in request) throw new Error(request.error.message);
  return request;
}

function answer(request: OutboundRequest, body: unknown) {
  const response = { status: 200, headers: {}, body: JSON.stringify(body) };
  return connectors.sitoo.verdict({ entityType: "order", request, response });
}

describe("an order for Sitoo", () => {
  test("has rows that carry what they cost with tax, as its example has them, and fields under its names", async () => {
    const verdict = answer(await deliver(sale), { items: [] });
    if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
    expect(JSON.parse(verdict.request.body ?? "")).toMatchObject({
      namefirst: "Ada",
      namelast: "Berg",
      invoice_address: "Storgatan 1",
      invoice_address2: "c/o Lind",
      delivery_zip: "111 22",
      delivery_countryid: "SE",
      orderitems: [
        { sku: "A-1", quantity: 2, moneyrowprice: "250.00", moneyrowdiscount: "50.00", vatvalue: 25 },
        { sku: "A-2", quantity: 1, decimalunitquantity: "1.5", moneyrowprice: "15.00", vatvalue: 25 },
      ],
    });
  });

  test.each([
    ["somebody else", { name: "Bo Ek" }, ["shippingAddress"]],
    ["a company", { name: "Ada Berg", company: "Berg AB" }, ["shippingAddress"]],
    ["the buyer", { name: "Ada Berg", city: "Malmö" }, undefined],
  ])("whose goods %s gets tells what of that Sitoo has no place for", async (_who, shippingAddress, leftOut) => {
    expect((await deliver({ ...sale, shippingAddress })).leftOut).toEqual(leftOut);
  });

  test("that is there already is asked for with the field that tells it, and not made again", async () => {
    const request = await deliver(sale);
    expect(new URL(request.url).searchParams.get("fields")).toContain("externalid");
    expect(
      answer(request, {
        items: [
          {
            orderid: 7,
            externalid: "10023",
            invoice_address: "Storgatan 1",
            invoice_address2: "c/o Lind",
            invoice_zip: "11122",
            invoice_city: "STOCKHOLM",
            invoice_countryid: "SE",
          },
        ],
      }),
    ).toEqual({ kind: "delivered", externalId: "7" });
  });

  test("that was cancelled is never made, and is set to cancelled where it is", async () => {
    const cancelled = await deliver({ ...sale, status: "cancelled" });
    expect(answer(cancelled, { items: [] })).toEqual({ kind: "delivered" });
    const cancellation = await deliver({ ...sale, orderNumber: "C1", kind: "cancellation", cancels: "10023" });
    for (const request of [cancelled, cancellation]) {
      const verdict = answer(request, {
        items: [
          {
            orderid: 7,
            externalid: "10023",
            invoice_address: "Storgatan 1",
            invoice_address2: "c/o Lind",
            invoice_zip: "11122",
            invoice_city: "STOCKHOLM",
            invoice_countryid: "SE",
          },
        ],
      });
      expect(verdict).toMatchObject({ kind: "next", request: { method: "PUT", url: expect.stringMatching(/orders\/7\.json$/) } });
      expect(verdict.kind === "next" && JSON.parse(verdict.request.body ?? "")).toMatchObject({ orderstateid: 20 });
    }
  });

  test.each([
    ["a returned piece", { quantity: "-1" }, "not-supported"],
    ["a price of three places", { unitPrice: money("10.005") }, "fraction"],
  ])("with %s is refused by its line", async (_name, change, reason) => {
    const verdict = answer(await deliver({ ...sale, lines: [{ ...sale.lines[1], ...change }] }), { items: [] });
    expect(verdict).toMatchObject({ kind: "dead", error: { class: reason, message: expect.stringContaining("line 2") } });
  });
});

/** As the API's description has it. */
const order = {
  orderid: 11513,
  externalid: null,
  creditorderid: null,
  email: "ada@example.com",
  namefirst: "Ada",
  namelast: "Berg",
  company: "",
  invoice_address: "Storgatan 1",
  invoice_address2: "",
  invoice_zip: "111 22",
  invoice_city: "Stockholm",
  invoice_state: "",
  invoice_countryid: "SE",
  moneytotal_net: "176.00",
  moneytotal_vat: "44.00",
  moneydelivery_net: "39.20",
  moneydelivery_vat: "9.80",
  moneycheckout_net: "0.00",
  moneycheckout_vat: "0.00",
  moneyfinal_net: "215.20",
  moneyfinal_vat: "53.80",
  moneytotal_gross_roundoff: "-0.50",
  moneytotal_gross_all: "268.50",
  orderdate: 1_463_041_119,
  orderstateid: 10,
  paymentstateid: 20,
  currencycode: "SEK",
  orderitems: [
    {
      orderitemid: 1,
      sku: "A-1",
      productname: "Boots",
      quantity: 2,
      decimalquantitytotal: "2.000",
      moneynetpriceperunit: "80.00",
      moneyoriginalprice: "100.00",
      moneydiscountedprice: "80.00",
      moneydiscount: "20.00",
      moneyitemtotal_net: "160.00",
      moneyitemtotal_vat: "40.00",
      vatvalue: 25,
    },
    {
      orderitemid: 2,
      sku: "A-2",
      productname: "Rope",
      quantity: 1,
      decimalquantitytotal: "1.600",
      moneynetpriceperunit: "10.00",
      moneyoriginalprice: null,
      moneyitemtotal_net: "16.00",
      moneyitemtotal_vat: "4.00",
      vatvalue: 25,
    },
  ],
};

async function receive(body: object): Promise<Order | string> {
  const received = await connectors.sitoo.receive({
    body: Buffer.from(JSON.stringify(body)),
    headers: {},
    settings: point.settings,
    entityType: "order",
  });
  return received.kind === "documents" ? canonicalSchemas.order.parse(received.documents[0]?.document) : received.kind;
}

describe("an order of Sitoo", () => {
  test("comes with its address, state, payment, tax, discounts, carriage and rounding", async () => {
    expect(await receive(order)).toMatchObject({
      orderNumber: "11513",
      kind: "sale",
      status: "completed",
      paymentStatus: "paid",
      billingAddress: { street: ["Storgatan 1"], postalCode: "111 22", city: "Stockholm", country: "SE" },
      lines: [
        { quantity: "2.000", unitPrice: { amount: "100.00" }, discount: { amount: "40.00000" }, tax: { amount: "40.00" } },
        { quantity: "1.600", unitPrice: { amount: "10.00" }, discount: null, tax: { amount: "4.00" } },
        { kind: "shipping", unitPrice: { amount: "39.20" }, tax: { amount: "9.80" } },
        { kind: "adjustment", unitPrice: { amount: "-0.50" } },
      ],
      totals: { tax: { amount: "53.80" }, total: { amount: "268.50" } },
    });
  });

  test("is cancelled, a refund, or nothing at all, as its state says", async () => {
    expect(await receive({ ...order, orderstateid: 20 })).toMatchObject({ status: "cancelled" });
    expect(await receive({ ...order, creditorderid: 11_500 })).toMatchObject({ kind: "cancellation", cancels: "11500" });
    expect(await receive({ ...order, creditorderid: 11_500, creditexternalid: "web-1001" })).toMatchObject({ cancels: "web-1001" });
    expect(await receive({ ...order, orderstateid: -1 })).toBe("ignored");
    expect(await receive({ ...order, ordertypeid: 100 })).toBe("ignored");
    expect(await receive({ ...order, ordertypeid: 110 })).toBe("ignored");
  });

  test("that is a refund is pulled with the number by which others know the order that it takes back", () => {
    const first = connectors.sitoo.pull?.next({ entityType: "order", cursor: null, ...point });
    if (first === undefined || "kind" in first) throw new Error("no pull");
    const items = [
      { orderid: 5, orderstateid: 10, externalid: "web-1001" },
      { orderid: 6, orderstateid: 10, creditorderid: 5 },
      { orderid: 7, orderstateid: 10, creditorderid: 4 },
      { orderid: 8, orderstateid: 10, creditorderid: 3 },
      { orderid: 9, orderstateid: 10, creditorderid: 4 },
    ];
    const answers = [
      { status: 200, body: JSON.stringify({ items }) },
      { status: 200, body: JSON.stringify({ orderid: 4, externalid: "web-1000" }) },
      { status: 404, body: JSON.stringify({ errortext: "Order not found" }) },
    ];
    const asked: string[] = [];
    let result: ReturnType<typeof first.read> = { kind: "question", question: first };
    for (const answer of answers) {
      if (result.kind !== "question") throw new Error(result.kind);
      asked.push(new URL(result.question.request.url).pathname.replace(/.*\//, ""));
      result = result.question.read({ headers: {}, ...answer });
    }
    expect(asked).toEqual(["orders.json", "4.json", "3.json"]);
    expect(result.kind === "page" ? result.messages.map(({ body }) => JSON.parse(body).creditexternalid) : result).toEqual([
      undefined,
      "web-1001",
      "web-1000",
      undefined,
      "web-1000",
    ]);
  });

  test("is pulled with all that is read of it", () => {
    const pull = connectors.sitoo.pull?.next({ entityType: "order", cursor: null, ...point });
    const url = pull && "request" in pull ? new URL(pull.request.url) : null;
    expect(url?.searchParams.get("fields")?.split(",")).toEqual(expect.arrayContaining(["externalid", "invoice_address", "orderitems"]));
  });
});
