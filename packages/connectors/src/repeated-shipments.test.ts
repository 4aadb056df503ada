import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import type { ConnectorCode } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Verdict } from "./connector.ts";
import { casesOf, order } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

function caseOf(code: ConnectorCode) {
  const found = casesOf(sandbox.url).find((each) => each.code === code);
  if (!found) throw new Error(`no case for ${code}`);
  return found;
}

function idOf(verdict: Verdict): string {
  if (verdict.kind === "delivered" && verdict.externalId !== undefined) return verdict.externalId;
  throw new Error(JSON.stringify(verdict));
}

/** The order to which it belongs has the number that its own system knows. */
async function shipmentFor(code: ConnectorCode, driver: Driver) {
  const { verdict } = connectors[code].entityTypes.deliver.includes("order")
    ? await driver.deliver(caseOf(code), "order", order)
    : { verdict: null };
  const orderNumber = code === "bigcommerce" && verdict ? idOf(verdict) : "10023";
  return { shipmentNumber: "S1", orderNumber, status: "shipped", lines: [{ sku: "A-1", quantity: "1" }] };
}

test.each(["shopify", "magento", "bigcommerce", "centra"] as const)("%s: two shipments in one parcel are two", async (code) => {
  const driver = new Driver(connectors[code]);
  const shipment = { ...(await shipmentFor(code, driver)), tracking: [{ number: "T1" }] };
  const first = idOf((await driver.deliver(caseOf(code), "shipment", shipment)).verdict);
  driver.others.set(first, "S1");
  const second = { ...shipment, shipmentNumber: "S2" };
  const made = idOf((await driver.deliver(caseOf(code), "shipment", second)).verdict);
  expect(made).not.toBe(first);
  // Its own answer came too late: it is found behind the other's.
  expect(idOf((await driver.deliver(caseOf(code), "shipment", second)).verdict)).toBe(made);
});

test.each(["magento", "litium"] as const)("%s: of weighed goods is sent what was weighed", async (code) => {
  const driver = new Driver(connectors[code]);
  const shipment = { ...(await shipmentFor(code, driver)), lines: [{ sku: "A-1", quantity: "1.5" }] };
  const { verdict, bodies } = await driver.deliver(caseOf(code), "shipment", shipment);
  expect(verdict).toMatchObject({ kind: "delivered" });
  expect(bodies.join()).toMatch(/"(?:qty|quantity)":1\.5\b/);
});

test.each(["0", "-1.5"])("magento: %s of a line is no shipment", async (quantity) => {
  const driver = new Driver(connectors.magento);
  const shipment = { ...(await shipmentFor("magento", driver)), lines: [{ sku: "A-1", quantity }] };
  expect((await driver.deliver(caseOf("magento"), "shipment", shipment)).verdict).toMatchObject({ kind: "dead" });
});

describe.each(["magento", "bigcommerce", "litium", "centra"] as const)("%s", (code) => {
  test("a shipment that got its tracking number later is told of it once, and stays one shipment", async () => {
    const driver = new Driver(connectors[code]);
    const shipment = await shipmentFor(code, driver);
    const first = idOf((await driver.deliver(caseOf(code), "shipment", shipment)).verdict);
    const tracked = { ...shipment, tracking: [{ number: "T1" }] };
    for (const externalId of [null, first, null])
      expect((await driver.deliver(caseOf(code), "shipment", tracked, externalId)).verdict).toEqual({
        kind: "delivered",
        externalId: first,
      });
    expect(sandbox.stored("system")).toMatchObject({ shipments: 1 });
  });

  test("two shipments of one line are two", async () => {
    const driver = new Driver(connectors[code]);
    const shipment = await shipmentFor(code, driver);
    const first = idOf((await driver.deliver(caseOf(code), "shipment", shipment)).verdict);
    const second = idOf((await driver.deliver(caseOf(code), "shipment", { ...shipment, shipmentNumber: "S2" })).verdict);
    expect(second).not.toBe(first);
    expect(sandbox.stored("system")).toMatchObject({ shipments: 2 });
  });
});

async function answersOf(code: ConnectorCode, document: object, bodies: unknown[], externalId: string | null = null) {
  const [connector, { settings, credentials }] = [connectors[code], caseOf(code)];
  const entityType = "lines" in document && "shipmentNumber" in document ? "shipment" : "order";
  const input = { entityType, document: JSON.stringify(document), key: "k", externalId, messageId: "1" } as const;
  let request = await connector.request({
    ...input,
    settings,
    credentials: { ...credentials, ...(code === "magento" && { accessToken: "t" }) },
  });
  for (const body of bodies) {
    if ("kind" in request) throw new Error(request.error.message);
    const verdict = connector.verdict({ entityType, request, response: { status: 200, headers: {}, body: JSON.stringify(body) } });
    if (verdict.kind !== "next") return verdict;
    request = verdict.request;
  }
  return request;
}

const all = { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines: [] };

test("magento: what the shipment hasn't yet is added to it, and nothing else", async () => {
  const known = { entity_id: 3, order_id: 7, tracks: [{ track_number: "T1" }] };
  const request = await answersOf("magento", { ...all, carrier: "PostNord", tracking: [{ number: "T1" }, { number: "T2" }] }, [known], "3");
  expect(request).toMatchObject({ method: "POST", url: expect.stringMatching(/V1\/shipment\/track$/) });
  expect("body" in request && JSON.parse(request.body ?? "")).toMatchObject({
    entity: { parent_id: 3, order_id: 7, track_number: "T2", title: "PostNord" },
  });
});

test("magento: an order that it doesn't cancel any more is not taken for cancelled", async () => {
  const cancelled = { ...order, status: "cancelled" };
  expect(
    await answersOf("magento", cancelled, [{ items: [{ entity_id: 7, ext_order_id: "10023", state: "complete" }] }, false]),
  ).toMatchObject({
    kind: "dead",
    error: { class: "not-cancelled" },
  });
  expect(await answersOf("magento", cancelled, [{ items: [{ entity_id: 7, ext_order_id: "10023", state: "canceled" }] }])).toMatchObject({
    kind: "delivered",
  });
});

test("bigcommerce: everything that the order still awaits leaves out what has been sent whole", async () => {
  const lines = [
    { id: 11, sku: "A-1", quantity: 2, quantity_shipped: 2, order_address_id: 1 },
    { id: 12, sku: "A-2", quantity: 3, quantity_shipped: 1, order_address_id: 1 },
  ];
  const request = await answersOf("bigcommerce", all, [[], lines]);
  expect("body" in request && JSON.parse(request.body ?? "")).toMatchObject({ items: [{ order_product_id: 12, quantity: 2 }] });
});

test("litium: everything that the order still awaits is no carriage, no fee, and nothing that was sent", async () => {
  const rows = [
    { id: "1", type: "product", articleNumber: "A-1", quantity: 3 },
    { id: "2", type: "shippingCost", quantity: 1 },
    { id: "3", type: "product", articleNumber: "A-2", quantity: 1 },
  ];
  const shipments = [
    {
      id: "S0",
      rows: [
        { orderRowId: "1", quantity: 1 },
        { orderRowId: "3", quantity: 1 },
      ],
    },
  ];
  const request = await answersOf("litium", all, [{ rows, shipments }]);
  expect("body" in request && JSON.parse(request.body ?? "")).toMatchObject({ rows: [{ orderRowId: "1", quantity: 2 }] });
});

test("an order is never taken for another one that a look-up finds beside it", async () => {
  const cancelled = { ...order, orderNumber: "A1", status: "cancelled" };
  const other = { entity_id: 7, ext_order_id: "a1", state: "new" };
  expect(await answersOf("magento", cancelled, [{ items: [other] }])).toEqual({ kind: "delivered" });
  expect(await answersOf("bigcommerce", cancelled, [[{ id: 7, external_order_id: "a1" }, { id: 8 }]])).toEqual({ kind: "delivered" });
});
