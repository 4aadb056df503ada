import { expect, test } from "vitest";
import { connectors } from "../index.ts";

const settings = { baseUrl: "https://api.bigcommerce.com/stores/x" };
const receive = (body: object, more: object = {}) =>
  connectors.bigcommerce.receive({ body: Buffer.from(JSON.stringify(body)), headers: {}, settings, ...more });

test("a webhook that a product was deleted says that nothing of it is left, and since when", async () => {
  const hook = { scope: "store/product/deleted", store_id: "1", created_at: 1_793_608_200, producer: "stores/x", hash: "h" };
  expect(await receive({ ...hook, data: { type: "product", id: 205 } })).toEqual({
    kind: "documents",
    documents: [],
    wholes: [{ name: "product/205", skus: [], at: "2026-11-02T08:30:00.000Z" }],
  });
  expect(await receive({ ...hook, scope: "store/product/updated", data: { type: "product", id: 205 } })).toMatchObject({ kind: "ignored" });
});

test("a product tells the one sku that it has", async () => {
  const product = { id: 205, sku: "A-1", name: "Boots", date_modified: "2026-11-02T08:30:00+00:00" };
  expect(await receive({ data: [product] }, { entityType: "item" })).toMatchObject({
    documents: [{ entityType: "item", partOf: "product/205" }],
    wholes: [{ name: "product/205", skus: ["A-1"], at: "2026-11-02T08:30:00.000Z" }],
  });
});
