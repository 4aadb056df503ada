import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { connectors } from "../index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("a product whose sku has a slash is known again, and keeps its price and its visibility", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  const deliver = async (name: string, externalId: string | null = null) => {
    const { verdict, bodies } = await driver.deliver(point, "item", { sku: "CLE-056621/6", name }, externalId);
    expect(verdict).toEqual({ kind: "delivered", externalId: "CLE-056621/6" });
    return JSON.parse(bodies.at(-1) ?? "").product;
  };
  expect(await deliver("Clevis")).toMatchObject({ name: "Clevis", price: 0, visibility: 4 });
  for (const externalId of [null, "CLE-056621/6"])
    expect(await deliver("Clevis 6", externalId)).toEqual({ sku: "CLE-056621/6", name: "Clevis 6", status: 1 });
  expect(sandbox.stored("system")).toMatchObject({ products: 1 });
});
