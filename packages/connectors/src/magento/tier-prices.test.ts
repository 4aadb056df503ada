import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { connectors } from "../index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const Tier = z.object({ customer_group: z.string(), quantity: z.number(), price: z.number() });
const money = (amount: string) => ({ amount, currency: "SEK" });

test("prices from a quantity on follow the source, and those of one group of customers stay", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  const tell = async (tiers?: [from: string, amount: string][]) => {
    const document = {
      sku: "A-1",
      price: money("10.00"),
      tiers: tiers?.map(([from, amount]) => ({ minimumQuantity: from, price: money(amount) })),
    };
    expect((await driver.deliver(point, "price", document)).verdict).toMatchObject({ kind: "delivered" });
  };
  const post = async (path: string, body: object, token = ""): Promise<unknown> => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    const url = `${sandbox.url}/magento/system/rest/default/V1/${path}`;
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const token = z.string().parse(await post("integration/admin/token", point.credentials));
  const there = async () => {
    const tiers = z.array(Tier).parse(await post("products/tier-prices-information", { skus: ["A-1"] }, token));
    return tiers.map(({ customer_group: group, quantity, price }) => `${group} ${quantity}: ${price}`);
  };
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  const own = { website_id: 0, customer_group: "General", price_type: "fixed", sku: "A-1", quantity: 5, price: 7 };
  await post("products/tier-prices", { prices: [own] }, token);

  await tell([
    ["10", "9.00"],
    ["100", "8.00"],
  ]);
  expect(await there()).toEqual(["General 5: 7", "all groups 10: 9", "all groups 100: 8"]);
  await tell([["10", "8.50"]]);
  expect(await there()).toEqual(["General 5: 7", "all groups 10: 8.5"]);
  await tell();
  expect(await there()).toHaveLength(2);
  await tell([]);
  expect(await there()).toEqual(["General 5: 7"]);
});
