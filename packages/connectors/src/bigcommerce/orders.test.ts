import { canonicalSchemas } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { casesOf, order } from "../contract-cases.ts";
import { Driver, type Outcome } from "../testing.ts";
import { bigcommerce } from "./bigcommerce.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

function pointOf() {
  const found = casesOf(sandbox.url).find(({ code }) => code === "bigcommerce");
  if (!found) throw new Error("no case");
  return found;
}

async function readFrom(body: string) {
  const settings = { baseUrl: "https://api.example.com/stores/x" };
  const received = await bigcommerce.receive({ body: Buffer.from(body), headers: {}, settings, entityType: "order" });
  if (received.kind !== "documents") throw new Error(JSON.stringify(received));
  return canonicalSchemas.order.parse(received.documents[0]?.document);
}

test("orders are asked for in the form that lasts, and are read in the older one too", async () => {
  const point = pointOf();
  const driver = new Driver(bigcommerce);
  await driver.deliver(point, "order", { ...order, shippingAddress: order.billingAddress });
  const page = await driver.pull(point, "order", null);
  const [message] = page.kind === "page" ? page.messages : [];
  const pulled = JSON.parse(message?.body ?? "");
  expect(pulled).toMatchObject({ consignments: { shipping: [{ line_items: { length: 1 } }] } });
  for (const consignments of [pulled.consignments, [pulled.consignments]])
    expect(await readFrom(JSON.stringify({ ...pulled, consignments }))).toMatchObject({
      shippingAddress: { name: "Ada Berg", city: "Stockholm", country: "SE" },
      lines: [{ sku: "A-1", quantity: "3", unitPrice: { amount: "19.9" } }],
    });
});

test.each([50, 51, 250, 251])("an order of %s lines is pulled with all of them, of which 50 come with it", async (count) => {
  const point = pointOf();
  const driver = new Driver(bigcommerce);
  const [line] = order.lines;
  const lines = Array.from({ length: count }, (_, index) => ({ ...line, lineNumber: String(index + 1), sku: `A-${index + 1}` }));
  await driver.deliver(point, "order", { ...order, orderNumber: "1", lines });
  await driver.deliver(point, "order", { ...order, orderNumber: "2" });
  const page = await driver.pull(point, "order", null);
  const pulled = page.kind === "page" ? await Promise.all(page.messages.map(({ body }) => readFrom(body))) : [];
  expect(pulled.map((each) => each.lines.map(({ sku }) => sku))).toEqual([lines.map(({ sku }) => sku), ["A-1"]]);
});

test.each([
  [{ country: "SE", countryName: "Sweden" }, { country_iso2: "SE" }],
  [{ countryName: "Sweden" }, { country: "Sweden" }],
])("an address in %j names its country as %j", async (place, expected) => {
  const { bodies } = await new Driver(bigcommerce).deliver(pointOf(), "order", {
    ...order,
    billingAddress: { city: "Stockholm", ...place },
  });
  const { country, country_iso2 } = JSON.parse(bodies[0] ?? "").billing_address;
  expect({ country, country_iso2 }).toEqual({ country: undefined, country_iso2: undefined, ...expected });
});

test("an order with a part of a piece is refused, as the store takes whole numbers only", async () => {
  const [line] = order.lines;
  const weighed = { ...order, lines: [{ ...line, quantity: "1.5" }] };
  const { verdict, calls } = await new Driver(bigcommerce).deliver(pointOf(), "order", weighed);
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "fraction", message: expect.stringContaining("1.5") } });
  expect(calls).toEqual(["GET v2/orders"]);
});

function idOf({ verdict }: Outcome): string {
  if (verdict.kind === "delivered" && verdict.externalId !== undefined) return verdict.externalId;
  throw new Error(JSON.stringify(verdict));
}

test("a shipment knows every line and every shipment of its order, however many there are", async () => {
  const point = pointOf();
  const driver = new Driver(bigcommerce);
  const [line] = order.lines;
  const lines = Array.from({ length: 260 }, (_, index) => ({ ...line, lineNumber: String(index), sku: `S-${index}`, quantity: "1" }));
  const orderNumber = idOf(await driver.deliver(point, "order", { ...order, lines }));
  const ship = async (shipmentNumber: string, shipped: object[]) => {
    const made = await driver.deliver(point, "shipment", { shipmentNumber, orderNumber, status: "shipped", lines: shipped });
    return { id: idOf(made), items: made.bodies.flatMap((body) => JSON.parse(body).items) };
  };
  const last = await ship("last", [{ sku: "S-259", quantity: "1" }]);
  expect(last.items).toHaveLength(1);
  expect((await ship("all", [])).items).toHaveLength(260);
  for (let number = 0; number < 60; number += 1) await ship(`more-${number}`, [{ sku: "S-0", quantity: "1" }]);
  const again = await ship("more-59", [{ sku: "S-0", quantity: "1" }]);
  expect(again.items).toEqual([]);
  expect(sandbox.stored("system")).toMatchObject({ shipments: 62 });
});
