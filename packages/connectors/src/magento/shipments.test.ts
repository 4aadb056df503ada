import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf, order } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { magento } from "./magento.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test.each([
  ["north", { extension_attributes: { source_code: "ne_wh" } }, []],
  ["south", undefined, ["warehouse"]],
  [null, undefined, []],
])("goods that left the warehouse %s are taken out of its source", async (warehouse, expected, leftOut) => {
  const found = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!found) throw new Error("no case");
  const point = { settings: { ...found.settings, sources: { north: "ne_wh" } }, credentials: found.credentials };
  const driver = new Driver(magento);
  await driver.deliver(point, "order", { ...order, orderNumber: `of ${warehouse}` });
  const shipment = { shipmentNumber: "S1", orderNumber: `of ${warehouse}`, status: "shipped", warehouse, lines: [] };
  const { verdict, bodies } = await driver.deliver(point, "shipment", shipment);
  expect(verdict).toMatchObject({ kind: "delivered" });
  expect(JSON.parse(bodies.at(-1) ?? "").arguments).toEqual(expected);
  const input = {
    entityType: "shipment",
    document: JSON.stringify(shipment),
    key: "S1",
    externalId: null,
    messageId: "1",
    ...point,
  } as const;
  const request = await magento.request(input);
  expect("kind" in request ? request : (request.leftOut ?? [])).toEqual(leftOut);
});

test("a line that was packed out of two batches is shipped as the sum of both: of two entries the store takes the last", async () => {
  const found = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!found) throw new Error("no case");
  const driver = new Driver(magento);
  await driver.deliver(found, "order", { ...order, orderNumber: "10024" });
  const lines = ["1.2", "0.6"].map((quantity) => ({ sku: "A-1", quantity }));
  const { bodies } = await driver.deliver(found, "shipment", { shipmentNumber: "S2", orderNumber: "10024", status: "shipped", lines });
  expect(JSON.parse(bodies.at(-1) ?? "").items).toEqual([{ order_item_id: expect.any(Number), qty: 1.8 }]);
});
