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

const money = (amount: string) => ({ amount, currency: "SEK" });

test("a reduction ends with the next price that is none, and a price that never was reduced has none to end", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  const listed = async () => {
    const list = await driver.list(point, "price");
    return "objects" in list ? list.objects : list;
  };
  await driver.deliver(point, "price", { sku: "A-1", price: money("199.00"), compareAtPrice: money("249.00") });
  expect(await listed()).toMatchObject([{ fields: { "price.amount": "199", "compareAtPrice.amount": "249" } }]);
  const plain = { sku: "A-1", price: money("229.00") };
  expect((await driver.deliver(point, "price", plain)).verdict).toMatchObject({ kind: "delivered" });
  expect(await listed()).toMatchObject([{ fields: { "price.amount": "229", "compareAtPrice.amount": null } }]);
  expect((await driver.deliver(point, "price", plain)).calls.map((call) => call.split("/").at(-1))).toEqual([
    "storeConfigs",
    "base-prices",
    "special-price-information",
  ]);
});
