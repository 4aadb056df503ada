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

function pointOf({ url }: Sandbox) {
  const point = casesOf(url).find(({ code }) => code === "bigcommerce");
  if (!point) throw new Error("no case");
  return point;
}

/** As people make a product in the store. */
async function make(product: object): Promise<{ id: number; base_variant_id: number | null }> {
  const response = await fetch(`${sandbox.url}/bigcommerce/system/v3/catalog/products`, {
    method: "POST",
    headers: { "x-auth-token": "opensesame" },
    body: JSON.stringify(product),
  });
  return JSON.parse(await response.text()).data;
}

test("one of several variants is written as such, and what is the product's stays as it is", async () => {
  const point = pointOf(sandbox);
  const variants = ["S", "M"].map((label) => ({ sku: `T-${label}`, option_values: [{ option_display_name: "Size", label }] }));
  await make({ name: "T-shirt", is_visible: true, weight: 1, variants });
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

test("a product without options that people made is found by its own sku, and is not made again", async () => {
  const { id, base_variant_id: variantId } = await make({ name: "Mug", sku: "MUG", weight: 1 });
  const driver = new Driver(bigcommerce);
  const item = await driver.deliver(pointOf(sandbox), "item", { sku: "MUG", name: "Mug, blue" });
  expect(item.verdict).toEqual({ kind: "delivered", externalId: `${id}/${variantId}` });
  const price = await driver.deliver(pointOf(sandbox), "price", { sku: "MUG", price: { amount: "9.00", currency: "SEK" } });
  expect(price.verdict).toEqual({ kind: "delivered", externalId: `${id}/${variantId}` });
});
