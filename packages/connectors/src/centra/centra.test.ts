import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { type Order, canonicalSchemas } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { connectors } from "../index.ts";
import { amountsOf, taxOf } from "../order-amounts.ts";
import { Driver } from "../testing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

function centra() {
  const found = casesOf(sandbox.url).find(({ code }) => code === "centra");
  if (!found) throw new Error("centra");
  return found;
}

async function asked(query: string, variables: object): Promise<unknown> {
  const { settings } = centra();
  const url = "baseUrl" in settings ? String(settings.baseUrl) : "";
  const headers = { authorization: "Bearer opensesame", "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) })).json();
}

// What the connector once sent: the suite over all connectors proves by this that what it sends now fits Centra's schema.
test.each([
  ["query ($from: Int!) { orders(where: { number: { from: $from } }) { id } }", { from: 0 }, /\[Int!\]|Int cannot represent/],
  ["query { orders { customer { id } } }", {}, /customer/],
  ["query ($id: String!) { products(where: { externalId: { equals: $id } }) { id } }", { id: "A-1" }, /String cannot represent/],
  ["mutation ($input: PricesSetInput!) { setPrices(input: $input) { userErrors { message } } }", {}, /Unknown type/],
  [
    "mutation ($input: ShipmentCreateInput!) { createShipment(input: $input) { userErrors { message } } }",
    { input: { order: { id: "1" }, trackingNumber: "T1" } },
    /trackingNumber/,
  ],
])("the sandbox refuses what Centra's schema does not know: %s", async (query, variables, fault) => {
  expect(await asked(query, variables)).toMatchObject({ errors: [{ message: expect.stringMatching(fault) }] });
});

/** The inputs of a delivery's mutations. */
async function inputsOf(type: "price" | "stock" | "shipment", document: object): Promise<unknown[]> {
  const driver = new Driver(connectors.centra);
  await driver.deliver(centra(), "item", { sku: "A-1", name: "Boots" });
  const { verdict, bodies } = await driver.deliver(centra(), type, document);
  expect(verdict).toMatchObject({ kind: "delivered" });
  return bodies.flatMap((body) => JSON.parse(body).variables.input ?? []);
}

test("a price leaves those alone that people gave single variants", async () => {
  expect(await inputsOf("price", { sku: "A-1", price: { amount: "199.00", currency: "SEK" } })).toMatchObject([
    { pricelist: { id: 1 }, productPrices: [{ price: { value: 199, currencyIsoCode: "SEK" }, overrideIndividualVariantPrices: false }] },
  ]);
});

test("a level below zero is written as none, and broken pieces fail", async () => {
  const level = { warehouse: { id: 1 }, stockQuantityType: "PHYSICAL", productSizes: [{ productSize: { SKU: "A-1" }, quantity: 0 }] };
  expect(await inputsOf("stock", { sku: "A-1", quantity: "-2" })).toMatchObject([level]);
  const { verdict } = await new Driver(connectors.centra).deliver(centra(), "stock", { sku: "A-1", quantity: "1.5" });
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "fraction" } });
});

test("a shipment is sent once it says when, and not before", async () => {
  const shipment = { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", tracking: [{ number: "T1" }], lines: [] };
  const shippedAt = "2026-11-03T14:00:00+01:00";
  expect(await inputsOf("shipment", { ...shipment, shippedAt })).toMatchObject([
    { isGoodToGo: true, shippedAt, shipmentInfo: { trackingNumber: "T1" } },
  ]);
  sandbox.reset("system");
  expect(await inputsOf("shipment", shipment)).toMatchObject([{ isGoodToGo: true, shippedAt: expect.stringMatching(/Z$/) }]);
  sandbox.reset("system");
  const [pending] = await inputsOf("shipment", { ...shipment, status: "pending" });
  expect(pending).toMatchObject({ isGoodToGo: false });
  expect(pending).not.toHaveProperty("shippedAt");
});

test("a shipment that was pending is sent once its message says that it has left, and once only", async () => {
  const driver = new Driver(connectors.centra);
  const tracking = [{ number: "T1" }];
  const ship = async (status: string, change: object = {}) => {
    const shipment = { shipmentNumber: "S1", orderNumber: "10023", status, lines: [{ sku: "A-1", quantity: "1" }], ...change };
    const { verdict, bodies } = await driver.deliver(centra(), "shipment", shipment);
    expect(verdict).toMatchObject({ kind: "delivered", externalId: "101" });
    return bodies.map((body) => JSON.parse(body)).flatMap(({ query, variables }) => (query.startsWith("mutation") ? [variables] : []));
  };
  expect(await ship("pending")).toMatchObject([{ input: { isGoodToGo: false } }]);
  expect(await ship("pending")).toEqual([]);
  const shippedAt = "2026-11-03T14:00:00+01:00";
  const sent = { shippedAt, shipmentInfo: { trackingNumber: "T1" }, sendEmail: false };
  expect(await ship("shipped", { shippedAt, tracking })).toEqual([{ id: 101, input: sent }]);
  expect(await ship("delivered", { shippedAt, tracking })).toEqual([]);
});

test("a shipment that names no lines is of what the order still awaits, and of nothing where it awaits nothing", async () => {
  const driver = new Driver(connectors.centra);
  const ship = (shipmentNumber: string, lines: object[]) =>
    driver.deliver(centra(), "shipment", { shipmentNumber, orderNumber: "10023", status: "shipped", lines });
  await ship("S1", [{ sku: "A-1", quantity: "1" }]);
  const { bodies } = await ship("S2", []);
  expect(bodies.flatMap((body) => JSON.parse(body).variables.input?.lines ?? [])).toEqual([{ orderLine: { id: 1 }, quantity: 2 }]);
  expect((await ship("S3", [])).verdict).toMatchObject({ kind: "dead", error: { class: "nothing-to-fulfil" } });
});

test("orders are asked for by what has changed since", () => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { token: "t" } };
  const pullFrom = (cursor: string | null) => {
    const pull = connectors.centra.pull?.next({ entityType: "order", cursor, ...point });
    if (!pull || "kind" in pull) throw new Error("no pull");
    return { ...pull, variables: JSON.parse(pull.request.body ?? "").variables };
  };
  const first = pullFrom(null);
  expect(first.variables).toEqual({ where: {}, page: 1 });
  const orders = Array.from({ length: 50 }, (_, index) => ({ number: 50 - index, updatedAt: `2026-11-21T08:00:${10 + index}+00:00` }));
  const page = first.read({ status: 200, headers: {}, body: JSON.stringify({ data: { orders } }) });
  if (page.kind !== "page") throw new Error(page.kind);
  expect(page).toMatchObject({
    hasMore: true,
    messages: [{ name: "50@2026-11-21T08:00:10+00:00" }, ...Array.from({ length: 49 }, () => ({}))],
  });
  expect(pullFrom(page.cursor).variables).toEqual({ where: { updatedAt: { from: "2026-11-21T08:00:59+00:00" } }, page: 1 });
});

const sek = (value: number) => ({ value, currency: { code: "SEK" } });
const line = { id: 68, productName: "Jacket", productSize: { SKU: "BJ-1" }, quantity: 10, unitPrice: sek(675), lineValue: sek(6750) };
const sale = { number: 14, status: "PENDING", createdAt: "2022-11-09T13:15:11+01:00", grandTotal: sek(6750) };

async function orderFrom(order: object): Promise<Order> {
  const body = Buffer.from(JSON.stringify(order));
  const received = await connectors.centra.receive({ body, headers: {}, settings: centra().settings, entityType: "order" });
  return canonicalSchemas.order.parse(received.kind === "documents" ? received.documents[0]?.document : received);
}

const sumsOf = (order: Order) => {
  const { total } = amountsOf(order);
  return { total: Number(total.gross), tax: Number(taxOf(total)) };
};

test("the rate of a line is its tax, held by its price, and carriage has what the lines leave of the order's", async () => {
  const taxed = { ...line, taxPercent: 25 };
  const plain = await orderFrom({ ...sale, totals: { taxIncluded: { value: 1350 } }, lines: [taxed] });
  expect(plain).toMatchObject({ pricesIncludeTax: true, lines: [{ taxRatePercent: "25", description: "Jacket" }] });
  expect(sumsOf(plain)).toEqual({ total: 6750, tax: 1350 });
  const carried = { shipping: { value: 50 }, handling: { value: 25 }, taxIncluded: { value: 1365 } };
  const sent = await orderFrom({ ...sale, grandTotal: sek(6825), totals: carried, lines: [taxed] });
  expect(sent.lines.map(({ tax }) => tax?.amount)).toEqual([undefined, "10.00", "5.00"]);
  expect(sumsOf(sent)).toEqual({ total: 6825, tax: 1365 });
  const untold = await orderFrom({ ...sale, totals: null, lines: [taxed] });
  expect(sumsOf(untold)).toEqual({ total: 6750, tax: 1350 });
});

test("a tax that comes on top is told from one within by the order's sum, and where there is none no rate makes one", async () => {
  const taxed = { ...line, taxPercent: 8 };
  const onTop = { taxAdded: { value: 540 }, taxIncluded: { value: 0 } };
  const net = await orderFrom({ ...sale, grandTotal: sek(7290), totals: onTop, lines: [taxed] });
  expect(net.pricesIncludeTax).toBe(false);
  expect(sumsOf(net)).toEqual({ total: 7290, tax: 540 });
  const held = await orderFrom({ ...sale, totals: { ...onTop, taxAdded: { value: 500 } }, lines: [taxed] });
  expect(sumsOf(held)).toEqual({ total: 6750, tax: 500 });
  const abroad = await orderFrom({ ...sale, totals: { taxAdded: { value: 0 }, taxIncluded: { value: 0 } }, lines: [taxed] });
  expect(sumsOf(abroad)).toEqual({ total: 6750, tax: 0 });
});

test.each([
  ["a basket that was not checked out is no order", "INCOMPLETE", { kind: "ignored" }],
  ["an archived order awaits nothing", "ARCHIVED", { documents: [{ document: { status: "completed" } }] }],
])("%s", async (_what, status, expected) => {
  const body = Buffer.from(JSON.stringify({ ...sale, status, lines: [line] }));
  expect(await connectors.centra.receive({ body, headers: {}, settings: centra().settings, entityType: "order" })).toMatchObject(expected);
});

test("an order on hold says so", async () => {
  const order = { ...sale, lines: [line] };
  expect((await orderFrom({ ...order, isOnHold: true })).attributes).toEqual({ onHold: true });
  expect((await orderFrom({ ...order, isOnHold: false })).attributes).toBeUndefined();
});
