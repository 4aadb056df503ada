import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { ConnectorCode } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { casesOf, order as plain } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

const money = (amount: string) => ({ amount, currency: "SEK" });
const order = {
  ...plain,
  shippingAddress: { name: "Ada Berg", street: ["Storgatan 1"], postalCode: "111 22", city: "Stockholm", country: "SE" },
  lines: [
    {
      lineNumber: "1",
      sku: "A-1",
      description: "Boots",
      quantity: "3",
      unitPrice: money("20.00"),
      discount: money("6.00"),
      tax: money("13.50"),
    },
    { lineNumber: "2", sku: "A-2", description: "Rope", quantity: "1", unitPrice: money("5.00"), tax: money("1.25") },
    { lineNumber: "3", kind: "shipping", sku: null, description: "Post", quantity: "1", unitPrice: money("4.00") },
  ],
  totals: { total: money("77.75") },
};
const [boots, rope, post] = order.lines;
/** One pair of boots was given back, and the rope was taken out. */
const edited = {
  ...order,
  lines: [{ ...boots, attributes: { currentQuantity: "2" } }, { ...rope, attributes: { currentQuantity: "0" } }, post],
  attributes: { currentTotal: "49.00" },
};
const emptied = { ...order, lines: [boots, rope].map((line) => ({ ...line, attributes: { currentQuantity: "0" } })) };
const moved = { ...order, shippingAddress: { ...order.shippingAddress, street: ["Lillgatan 2"], city: "Malmö" } };

function pointOf(code: string) {
  const point = casesOf(sandbox.url).find((each) => each.code === code);
  if (!point) throw new Error(code);
  return { point, driver: new Driver(connectors[ConnectorCode.parse(code)]) };
}

/** Everything that came in: what of an order was really sent. */
function sent(): string[] {
  return sandbox.received("system").map(({ body }) => body ?? "");
}

describe.each(["shopify", "magento", "bigcommerce", "sitoo"])("%s", (code) => {
  test("an order that was edited before it arrived is made with what is left of it", async () => {
    const { point, driver } = pointOf(code);
    expect((await driver.deliver(point, "order", edited)).verdict).toMatchObject({ kind: "delivered" });
    const made = sent().find((body) => body.includes("A-1"));
    expect(made).not.toContain("A-2");
    expect(made).toMatch(/"(?:quantity|qty_ordered)":2\b/);
    // Two of three pieces bring two thirds of the discount; Sitoo's is with tax.
    expect(made).toMatch(/"(?:amount|discount_amount|moneyrowdiscount)":-?"?(?:4|5\.00)(?:\.0+)?\b/);
    expect((await driver.deliver(point, "order", edited)).verdict).toMatchObject({ kind: "delivered" });
  });

  test("an order of which nothing is left is not made", async () => {
    const { point, driver } = pointOf(code);
    expect((await driver.deliver(point, "order", emptied)).verdict).toEqual({ kind: "delivered" });
    expect(sent().some((body) => body.includes("A-1"))).toBe(false);
  });

  test("the same order again, paid and sent meanwhile, changes nothing and makes nothing", async () => {
    const { point, driver } = pointOf(code);
    const { verdict } = await driver.deliver(point, "order", order);
    const externalId = verdict.kind === "delivered" ? (verdict.externalId ?? null) : null;
    const later = { ...order, paymentStatus: "paid", fulfilmentStatus: "fulfilled", status: "completed" };
    expect((await driver.deliver(point, "order", later, externalId, "2")).verdict).toEqual(verdict);
    expect(Object.values(sandbox.stored("system"))).toContain(1);
  });

  test("lines that changed after it arrived are told, with what is there and what should be", async () => {
    const { point, driver } = pointOf(code);
    const { verdict: made } = await driver.deliver(point, "order", order);
    const externalId = made.kind === "delivered" ? (made.externalId ?? null) : null;
    expect((await driver.deliver(point, "order", edited, externalId, "2")).verdict).toMatchObject({
      kind: "dead",
      error: { class: "order-changed", message: expect.stringContaining("A-1 3 → 2, A-2 1 → 0") },
    });
    const added = { ...order, lines: [...order.lines, { ...rope, lineNumber: "4", sku: "A-3" }] };
    expect((await driver.deliver(point, "order", added, externalId, "3")).verdict).toMatchObject({
      kind: "dead",
      error: { class: "order-changed", message: expect.stringContaining("A-3 0 → 1") },
    });
  });

  test("another address is written to the order that is there", async () => {
    const { point, driver } = pointOf(code);
    const { verdict: made } = await driver.deliver(point, "order", order);
    const externalId = made.kind === "delivered" ? (made.externalId ?? null) : null;
    expect((await driver.deliver(point, "order", moved, externalId, "2")).verdict).toEqual(made);
    expect(sent().filter((body) => body.includes("Lillgatan 2"))).toHaveLength(1);
    // Known there from now on; what writes it each time does no harm.
    expect((await driver.deliver(point, "order", moved, externalId, "3")).verdict).toEqual(made);
  });
});

const back = (quantities: Record<string, string>) => ({
  ...order,
  orderNumber: "C10023",
  kind: "cancellation",
  cancels: "10023",
  lines: [boots, rope].flatMap((line) => {
    const quantity = quantities[line?.sku ?? ""];
    return quantity === undefined ? [] : [{ ...line, discount: null, tax: null, quantity }];
  }),
  totals: null,
});
test("magento: a rounding that is left of an order doesn't keep it from being cancelled", async () => {
  const { point, driver } = pointOf("magento");
  const rounding = { lineNumber: "1-rounding", kind: "adjustment", sku: null, description: null, quantity: "1", unitPrice: money("0.01") };
  await driver.deliver(point, "order", { ...order, lines: [...order.lines, rounding], totals: null });
  const { verdict } = await driver.deliver(point, "order", back({ "A-1": "-3", "A-2": "-1" }));
  expect(verdict).toMatchObject({ kind: "delivered" });
});

const cancels = (body: string) => /"status_id":5\b|"orderstateid":20\b/.test(body);

describe.each(["shopify", "magento", "bigcommerce", "sitoo"])("%s, a cancellation under a number of its own", (code) => {
  test("comes again until its order is there, which may still be on its way", async () => {
    const { point, driver } = pointOf(code);
    expect((await driver.deliver(point, "order", back({ "A-1": "-3", "A-2": "-1" }))).verdict).toMatchObject({
      kind: "retry",
      error: { class: "order-unknown" },
      isTargetFault: false,
    });
  });

  test("that takes back a part leaves the order as it is and says what is left", async () => {
    const { point, driver } = pointOf(code);
    await driver.deliver(point, "order", order);
    const { verdict, calls, bodies } = await driver.deliver(point, "order", back({ "A-1": "-1" }));
    expect(verdict).toMatchObject({
      kind: "dead",
      error: { class: "part-taken-back", message: expect.stringContaining("A-1 2, A-2 1") },
    });
    expect([calls.filter((each) => each.includes("cancel")), bodies.filter(cancels)]).toEqual([[], []]);
  });

  test("that takes back everything, or doesn't say what, cancels the order", async () => {
    for (const quantities of [{ "A-1": "-3", "A-2": "-1" }, {}]) {
      sandbox.reset("system");
      const { point, driver } = pointOf(code);
      const { verdict: made } = await driver.deliver(point, "order", order);
      const { verdict, calls, bodies } = await driver.deliver(point, "order", back(quantities));
      expect(verdict).toEqual(made);
      expect(calls.some((each) => each.includes("cancel")) || bodies.some(cancels)).toBe(true);
    }
  });
});

test.each([
  ["-1", { kind: "dead", error: { class: "part-taken-back", message: expect.stringContaining("A-1 2") } }],
  ["-3", { kind: "next", request: { method: "PATCH", body: expect.stringContaining('"Void"') } }],
])("optimizely: a cancellation of %s of three voids its order only where nothing is left of it", async (quantity, expected) => {
  const { point } = pointOf("optimizely");
  const cancellation = { ...order, orderNumber: "C10023", kind: "cancellation", cancels: "10023", lines: [{ ...boots, quantity }] };
  const input = {
    entityType: "order",
    document: JSON.stringify(cancellation),
    key: "k",
    externalId: null,
    messageId: "1",
  } as const;
  const request = await connectors.optimizely.request({ ...input, ...point });
  if ("kind" in request) throw new Error(request.error.message);
  expect(decodeURIComponent(request.url)).toContain("$expand=orderLines");
  const body = JSON.stringify({ value: [{ id: "7", orderNumber: "10023", orderLines: [{ erpNumber: "A-1", qtyOrdered: 3 }] }] });
  expect(connectors.optimizely.verdict({ entityType: "order", request, response: { status: 200, headers: {}, body } })).toMatchObject(
    expected,
  );
});

test.each(["magento", "bigcommerce", "sitoo"])("%s: an order that it had and doesn't show any more is not made again", async (code) => {
  const { point, driver } = pointOf(code);
  expect((await driver.deliver(point, "order", order, "7")).verdict).toMatchObject({ kind: "dead", error: { class: "external-gone" } });
});

test.each([
  ["magento", { grand_total: 77.75, total_refunded: 0 }, 1],
  ["bigcommerce", { total_inc_tax: "77.75", refunded_amount: "0" }, 3],
] as const)("%s: a sum of which a part was given back is told", async (code, sums, requests) => {
  const { point } = pointOf(code);
  const lines = [boots, rope].map((line) => ({ sku: line?.sku, quantity: line?.quantity, qty_ordered: line?.quantity, item_id: 1 }));
  const found = { id: 7, entity_id: 7, ext_order_id: "10023", external_order_id: "10023", items: lines, ...sums };
  const answers = [code === "magento" ? { items: [found] } : [found], [], lines];
  const document = { ...order, shippingAddress: code === "magento" ? null : order.shippingAddress, attributes: { currentTotal: "57.75" } };
  const input = { entityType: "order", document: JSON.stringify(document), key: "k", externalId: "7", messageId: "1" } as const;
  let verdict: unknown = null;
  let request = await connectors[code].request({ ...input, ...point });
  for (const answer of answers.slice(0, requests)) {
    if ("kind" in request) throw new Error(request.error.message);
    const read = connectors[code].verdict({
      entityType: "order",
      request,
      response: { status: 200, headers: {}, body: JSON.stringify(answer) },
    });
    verdict = read;
    if (read.kind === "next") request = read.request;
  }
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "order-changed", message: expect.stringContaining("77.75 → 57.75") } });
});
