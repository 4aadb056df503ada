import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "./connector.ts";
import { casesOf, order } from "./contract-cases.ts";
import { connectors } from "./index.ts";
import { Driver } from "./testing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** A store's point, and the documents of a page that was pulled there. */
function store(code: "magento" | "bigcommerce") {
  const point = casesOf(sandbox.url).find((each) => each.code === code);
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors[code]);
  const receive = async (page: Page) =>
    await Promise.all(
      page.messages.map(async ({ body }) => {
        const { settings } = point;
        const received = await connectors[code].receive({ body: Buffer.from(body), headers: {}, settings, entityType: "shipment" });
        return received.kind === "documents" ? received.documents.map(({ document }) => document) : received;
      }),
    );
  const pull = async () => {
    const page = await driver.pull(point, "shipment", null);
    if (page.kind !== "page") throw new Error(page.error.message);
    return { names: page.messages.map(({ name }) => name), documents: await receive(page) };
  };
  return { driver, point, pull };
}

const lines = [{ sku: "A-1", quantity: "1" }];

test.each(["magento", "bigcommerce"] as const)("what %s ships is told with the number and the lines of its order", async (code) => {
  const { driver, point, pull } = store(code);
  expect(await pull()).toEqual({ names: [], documents: [] });
  const ordered = await driver.deliver(point, "order", { ...order, orderNumber: "10031" });
  const id = ordered.verdict.kind === "delivered" ? ordered.verdict.externalId : undefined;
  const orderNumber = code === "bigcommerce" ? (id ?? "") : "10031";
  // Another order waits.
  await driver.deliver(point, "order", { ...order, orderNumber: "10032" });
  const shipment = { shipmentNumber: "S1", orderNumber, status: "shipped", tracking: [{ number: "T-1" }], warehouse: "default", lines };
  expect((await driver.deliver(point, "shipment", shipment)).verdict).toMatchObject({ kind: "delivered" });
  const { documents } = await pull();
  expect(documents).toEqual([
    [
      expect.objectContaining({
        shipmentNumber: expect.stringMatching(/^\d+$/),
        orderNumber,
        status: "shipped",
        shippedAt: expect.stringMatching(/^2025-11-21T09:00:00/),
        tracking: [expect.objectContaining({ number: "T-1" })],
        lines: [{ lineNumber: expect.stringMatching(/^\d+$/), sku: "A-1", quantity: "1" }],
      }),
    ],
  ]);
});

test.each(["magento", "bigcommerce"] as const)("a shipment that an adapter of %s sends in our own form is taken as it is", async (code) => {
  const { settings } = store(code).point;
  const document = { shipmentNumber: "S9", orderNumber: "10031", status: "shipped", lines };
  const received = await connectors[code].receive({
    body: Buffer.from(JSON.stringify(document)),
    headers: {},
    settings,
    entityType: "shipment",
  });
  expect(received).toMatchObject({ kind: "documents", documents: [{ entityType: "shipment", document }] });
});
