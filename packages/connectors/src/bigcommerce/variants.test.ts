import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { bigcommerce } from "./bigcommerce.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("one of several variants is written as such, and what is the product's stays as it is", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "bigcommerce");
  if (!point) throw new Error("no case");
  const variants = ["S", "M"].map((label) => ({ sku: `T-${label}`, option_values: [{ option_display_name: "Size", label }] }));
  await fetch(`${sandbox.url}/bigcommerce/system/v3/catalog/products`, {
    method: "POST",
    headers: { "x-auth-token": "opensesame" },
    body: JSON.stringify({ name: "T-shirt", is_visible: true, weight: 1, variants }),
  });
  const driver = new Driver(bigcommerce);
  const item = {
    sku: "T-M",
    name: "T-shirt, the last ones",
    isActive: false,
    barcode: "7350053850019",
    weight: { value: "2", unit: "kg" },
  };
  const first = await driver.deliver(point, "item", item);
  expect(first.verdict).toMatchObject({ kind: "delivered", externalId: expect.stringMatching(/^\d+\/\d+$/) });
  const written = { purchasing_disabled: true, weight: 2, upc: "7350053850019" };
  expect(first.bodies.map((body) => JSON.parse(body))).toEqual([written]);
  const externalId = first.verdict.kind === "delivered" ? (first.verdict.externalId ?? null) : null;
  expect((await driver.deliver(point, "item", item, externalId)).bodies).toEqual(first.bodies);
  const read = await driver.list(point, "item");
  expect("objects" in read ? read.objects : read).toEqual([
    { key: "T-S", fields: { isActive: "true", weight: "1", barcode: null } },
    { key: "T-M", fields: { isActive: "false", weight: "2", barcode: "7350053850019" } },
  ]);
  expect(bigcommerce.list?.expected({ entityType: "item", document: item, settings: point.settings })).toMatchObject({
    fields: { isActive: "false", weight: "2", barcode: "7350053850019" },
  });
});
