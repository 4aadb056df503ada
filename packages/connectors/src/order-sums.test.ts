import { type ConnectorCode, Order } from "@crossdock/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { addDecimals, divideDecimals, isNegative, multiplyDecimals, subtractDecimals } from "./decimal.ts";
import { connectors } from "./index.ts";

/** Places of the currency, by which amounts below are scaled. */
const currencies = [
  ["SEK", 2],
  ["JPY", 0],
  ["KWD", 3],
] as const;

type Spec = { kind?: string; quantity?: string; price: number; discount?: number; tax?: number; rate?: string };

/** Amounts in smallest units; each order's sum is told by hand. Round ones need no third place of any row. */
const orders: { name: string; included: boolean; isRound?: true; lines: Spec[]; left?: number; total: number; tax: number }[] = [
  {
    name: "prices with tax, discounts on a line and on the order, carriage and a fee with tax",
    included: true,
    lines: [
      { quantity: "3", price: 12_500, discount: 2_500, tax: 7_000, rate: "25" },
      { quantity: "1", price: 9_999, tax: 1_071, rate: "12" },
      { kind: "shipping", quantity: "1", price: 4_900, tax: 980, rate: "25" },
      { kind: "fee", quantity: "1", price: 1_900, tax: 380, rate: "25" },
      { kind: "discount", quantity: "1", price: -5_000, tax: -1_000, rate: "25" },
    ],
    total: 46_799,
    tax: 8_431,
  },
  {
    name: "prices without tax, the same kinds of lines",
    included: false,
    lines: [
      { quantity: "3", price: 10_000, discount: 2_000, tax: 7_000, rate: "25" },
      { quantity: "7", price: 333, tax: 280, rate: "12" },
      { kind: "shipping", quantity: "2", price: 1_950, tax: 975, rate: "25" },
      { kind: "discount", quantity: "1", price: 1_111, tax: 278, rate: "25" },
    ],
    total: 41_097,
    tax: 7_977,
  },
  {
    name: "a tax that only its rate tells, and a sum rounded down",
    included: false,
    lines: [
      { quantity: "2", price: 1_001, rate: "25" },
      { kind: "adjustment", price: -3 },
    ],
    total: 2_500,
    tax: 501,
  },
  {
    name: "a line that was taken out, and one whose discount is dearer than its pieces are many",
    included: true,
    isRound: true,
    lines: [
      { quantity: "0", price: 9_990 },
      { quantity: "3", price: 1_000, discount: 1_000, tax: 400, rate: "25" },
    ],
    total: 2_000,
    tax: 400,
  },
  {
    name: "a line given away, and carriage for nothing",
    included: true,
    isRound: true,
    lines: [
      { quantity: "1", price: 500, discount: 500, tax: 0, rate: "25" },
      { quantity: "1", price: 1_250, tax: 250, rate: "25" },
      { kind: "shipping", price: 0 },
    ],
    total: 1_250,
    tax: 250,
  },
  {
    name: "a discount of the carriage alone",
    included: false,
    lines: [
      { quantity: "2", price: 1_000, tax: 500, rate: "25" },
      { kind: "shipping", price: 400, discount: 300, tax: 25, rate: "25" },
    ],
    total: 2_625,
    tax: 525,
  },
  {
    name: "a discount that takes carriage off as well",
    included: true,
    lines: [
      { price: 1_000, tax: 200, rate: "25" },
      { kind: "shipping", price: 500, tax: 100, rate: "25" },
      { kind: "discount", price: -1_250, tax: -250 },
    ],
    total: 250,
    tax: 50,
  },
  {
    name: "a part of the sum given back, with tax, and no piece",
    included: true,
    isRound: true,
    lines: [
      { price: 10_000, tax: 2_000, rate: "25" },
      { kind: "shipping", price: 1_000, tax: 200, rate: "25" },
    ],
    left: 9_000,
    total: 9_000,
    tax: 1_800,
  },
  {
    name: "a part of the sum given back, its tax beside it, and no piece",
    included: false,
    isRound: true,
    lines: [
      { price: 8_000, tax: 2_000, rate: "25" },
      { kind: "shipping", price: 800, tax: 200, rate: "25" },
    ],
    left: 9_000,
    total: 9_000,
    tax: 1_800,
  },
];

function inUnits(value: number, places: number): string {
  return divideDecimals(String(value), `1${"0".repeat(places)}`, places);
}

function orderOf({ included, lines, left }: (typeof orders)[number], currency: string, places: number): Order {
  const money = (units: number) => ({ amount: inUnits(units, places), currency });
  return Order.parse({
    orderNumber: "10023",
    orderedAt: "2026-11-01T08:00:00+01:00",
    currency,
    pricesIncludeTax: included,
    customer: null,
    ...(left !== undefined && { attributes: { currentTotal: inUnits(left, places) } }),
    lines: lines.map(({ kind = "product", quantity = "1", price, discount, tax, rate }, index) => ({
      lineNumber: String(index + 1),
      kind,
      sku: kind === "product" ? `A-${index}` : null,
      description: null,
      quantity,
      unitPrice: money(price),
      ...(discount !== undefined && { discount: money(discount) }),
      ...(tax !== undefined && { tax: money(tax) }),
      ...(rate !== undefined && { taxRatePercent: rate }),
    })),
  });
}

const points: [ConnectorCode, { settings: object; credentials: object }, nothing: string][] = [
  ["shopify", { settings: { shopUrl: "https://shop.myshopify.com" }, credentials: { accessToken: "t" } }, '{"orders":[]}'],
  ["magento", { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } }, '{"items":[]}'],
  ["bigcommerce", { settings: { baseUrl: "https://api.example.com/stores/x" }, credentials: { accessToken: "t" } }, ""],
  ["sitoo", { settings: { baseUrl: "https://api.example.com/v2", siteId: 1 }, credentials: { apiId: "a", password: "b" } }, '{"items":[]}'],
];

async function bodyOf([code, point, nothing]: (typeof points)[number], order: Order): Promise<unknown> {
  const input = { entityType: "order", document: JSON.stringify(order), key: "k", externalId: null, messageId: "1" } as const;
  const request = await connectors[code].request({ ...input, ...point });
  if ("kind" in request) throw new Error(request.error.message);
  const response = { status: 200, headers: {}, body: nothing };
  let verdict = connectors[code].verdict({ entityType: "order", request, response });
  // Products of the lines are looked for before the order is made.
  while (verdict.kind === "next" && verdict.request.method === "GET")
    verdict = connectors[code].verdict({ entityType: "order", request: verdict.request, response });
  return verdict.kind === "next" ? JSON.parse(verdict.request.body ?? "") : verdict;
}

const sum = (...values: string[]) => addDecimals("0", ...values);
const less = (a: string, ...values: string[]) => subtractDecimals(a, sum(...values));

const Amount = z.union([z.string(), z.number()]).transform(String).default("0");
const TaxLines = z.array(z.object({ price: Amount })).default([]);
const ShopifyOrder = z.object({
  order: z.object({
    taxes_included: z.boolean(),
    line_items: z.array(z.object({ price: Amount, quantity: Amount, tax_lines: TaxLines })),
    shipping_lines: z.array(z.object({ price: Amount, tax_lines: TaxLines })),
    discount_codes: z.array(z.object({ amount: Amount })).default([]),
  }),
});
const MagentoOrder = z.object({
  entity: z.object({
    grand_total: Amount,
    base_grand_total: Amount,
    subtotal: Amount,
    discount_amount: Amount,
    tax_amount: Amount,
    shipping_amount: Amount,
    shipping_tax_amount: Amount,
    shipping_discount_amount: Amount,
    items: z.array(z.object({ row_total: Amount, tax_amount: Amount, discount_amount: Amount })),
  }),
});
const BigCommerceOrder = z.object({
  subtotal_ex_tax: Amount,
  subtotal_inc_tax: Amount,
  shipping_cost_ex_tax: Amount,
  shipping_cost_inc_tax: Amount,
  discount_amount: Amount,
  total_ex_tax: Amount,
  total_inc_tax: Amount,
});
const SitooOrder = z.object({ orderitems: z.array(z.object({ moneyrowprice: Amount, moneyrowdiscount: Amount })) });

/** What each system makes of what it is given: each of the sums that its documentation knows. Tax is null where it computes that itself. */
type Reading = { totals: string[]; tax: string | null };
const readings = new Map<ConnectorCode, (body: unknown, isIncluded: boolean) => Reading>([
  [
    "shopify",
    (body) => {
      const { order } = ShopifyOrder.parse(body);
      const items = sum(...order.line_items.map((line) => multiplyDecimals(line.price, line.quantity)));
      const carriage = sum(...order.shipping_lines.map(({ price }) => price));
      const taxes = [...order.line_items, ...order.shipping_lines].flatMap((line) => line.tax_lines.map(({ price }) => price));
      // A discount code is taken off the items only, and off no more than they cost.
      const discounted = less(items, ...order.discount_codes.map(({ amount }) => amount));
      const paid = sum(isNegative(discounted) ? "0" : discounted, carriage);
      return { totals: [order.taxes_included ? paid : sum(paid, ...taxes)], tax: sum(...taxes) };
    },
  ],
  [
    "magento",
    (body) => {
      const { entity } = MagentoOrder.parse(body);
      const rows = entity.items.map((item) => less(sum(item.row_total, item.tax_amount), item.discount_amount));
      const carriage = less(sum(entity.shipping_amount, entity.shipping_tax_amount), entity.shipping_discount_amount);
      const summed = sum(entity.subtotal, entity.shipping_amount, entity.tax_amount, entity.discount_amount);
      return { totals: [entity.grand_total, entity.base_grand_total, summed, sum(...rows, carriage)], tax: entity.tax_amount };
    },
  ],
  [
    "bigcommerce",
    (body, isIncluded) => {
      const order = BigCommerceOrder.parse(body);
      const tax = less(order.total_inc_tax, order.total_ex_tax);
      const summed = isIncluded
        ? less(sum(order.subtotal_inc_tax, order.shipping_cost_inc_tax), order.discount_amount)
        : sum(less(sum(order.subtotal_ex_tax, order.shipping_cost_ex_tax), order.discount_amount), tax);
      return { totals: [order.total_inc_tax, summed], tax };
    },
  ],
  [
    "sitoo",
    (body) => ({
      totals: [sum(...SitooOrder.parse(body).orderitems.map((row) => less(row.moneyrowprice, row.moneyrowdiscount)))],
      tax: null,
    }),
  ],
]);

const cells = points.flatMap((point) =>
  orders.flatMap((order) => currencies.map(([currency, places]) => ({ code: point[0], name: order.name, currency, places, order, point }))),
);

/** Sitoo's money has two places. What doesn't fit is refused, never rounded. */
const refused = cells.filter(({ code, places, order }) => code === "sitoo" && places === 3 && !order.isRound);

test.each(cells.filter((cell) => !refused.includes(cell)))(
  "$code: $name, in $currency, adds up to the source's sum",
  async ({ code, currency, places, order, point }) => {
    const units = (value: number) => Number(inUnits(value, places));
    const reading = readings.get(code)?.(await bodyOf(point, orderOf(order, currency, places)), order.included);
    const tax = reading?.tax ?? inUnits(order.tax, places);
    expect([...(reading?.totals ?? []), tax].map(Number)).toEqual([
      ...(reading?.totals ?? [""]).map(() => units(order.total)),
      units(order.tax),
    ]);
  },
);

test.each(refused)("$code: $name, in $currency, is refused and not rounded", async ({ currency, places, order, point }) => {
  expect(await bodyOf(point, orderOf(order, currency, places))).toMatchObject({ kind: "dead", error: { class: "fraction" } });
});
