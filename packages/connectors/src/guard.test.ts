import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const price = { price: { amount: "10.00", currency: "SEK" } };
const shipment = { orderNumber: "100", status: "shipped", lines: [{ sku: "A-1", quantity: "1" }] };

test.each<[ConnectorCode, EntityType, object]>([
  ["brink", "item", { sku: "..", name: "Boots" }],
  ["brink", "item", { sku: "A-1", name: "Boots", group: { key: "." } }],
  ["nuorder", "price", { sku: "..", ...price }],
  ["nuorder", "stock", { sku: ".", quantity: "1" }],
  ["litium", "shipment", { ...shipment, shipmentNumber: "S1", orderNumber: ".." }],
  ["litium", "shipment", { ...shipment, shipmentNumber: ".." }],
])("%s: a key of dots leads no %s to another address", async (code, type, document) => {
  const found = casesOf(sandbox.url).find((each) => each.code === code);
  if (!found) throw new Error(code);
  const { verdict } = await new Driver(connectors[code]).deliver(found, type, document);
  expect(verdict).toMatchObject({ kind: "dead", error: { class: "key" } });
});
