import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf, order } from "../contract-cases.ts";
import { connectors } from "../index.ts";
import { Driver } from "../testing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("of more orders changed in one second than fill a page, whose order the database is free to choose, none is left out", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  const numbers = Array.from({ length: 150 }, (_, index) => String(20_000 + index));
  for (const orderNumber of numbers) await driver.deliver(point, "order", { ...order, orderNumber });
  const pulled: unknown[] = [];
  for (let cursor: string | null = null, hasMore = true; hasMore;) {
    const page = await driver.pull(point, "order", cursor);
    if (page.kind !== "page") throw new Error(page.error.message);
    pulled.push(...page.messages.map(({ body }) => JSON.parse(body).ext_order_id));
    ({ cursor, hasMore } = page);
  }
  expect(new Set(pulled)).toEqual(new Set(numbers));
});
