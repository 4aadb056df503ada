import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { connectors } from "../index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("stock is told of the size that its item has there", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "nuorder");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.nuorder);
  const stock = { sku: "A-42", quantity: "7" };
  expect((await driver.deliver(point, "stock", stock)).verdict).toMatchObject({ kind: "retry", error: { class: "item-unknown" } });
  await driver.deliver(point, "item", { sku: "A-42", name: "Boots", options: [{ name: "Size", value: "42" }] });
  await driver.deliver(point, "item", { sku: "A", name: "Scarf" });
  expect((await driver.deliver(point, "stock", stock)).verdict).toMatchObject({ kind: "delivered" });
  expect((await driver.deliver(point, "stock", { ...stock, sku: "A" })).verdict).toMatchObject({ kind: "delivered" });
  const levels = sandbox.received("system").flatMap(({ body }) => (body?.includes('"wip"') ? [JSON.parse(body)] : []));
  const sizes = levels.map(({ inventory: [level] }) => level.wip[0].sizes[0]);
  expect(sizes).toEqual([
    { size: "42", quantity: 7 },
    { size: "OS", quantity: 7 },
  ]);
});
