import { canonicalSchemas } from "@crossdock/contract";
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

const variant = (sku: string | null, size: string, more: object = {}) => ({
  sku,
  option_values: [{ option_display_name: "Size", label: size }],
  ...more,
});

test("each variant of a product is an item of its group", async () => {
  const product = {
    id: 205,
    sku: "",
    name: "Shirt",
    weight: 1,
    is_visible: true,
    date_modified: "2026-11-02T08:30:00+00:00",
    variants: [variant("SH-S", "S", { upc: "1" }), variant("SH-M", "M", { weight: 2, purchasing_disabled: true })],
  };
  const group = { key: "205", name: "Shirt", isActive: true };
  const received = await receive({ data: [product] }, { entityType: "item" });
  expect(received).toMatchObject({
    documents: [
      {
        document: { sku: "SH-S", barcode: "1", group, options: [{ name: "Size", value: "S" }], weight: { value: "1" }, isActive: true },
        partOf: "product/205",
      },
      { document: { sku: "SH-M", group, options: [{ name: "Size", value: "M" }], weight: { value: "2" }, isActive: false } },
    ],
    wholes: [{ name: "product/205", skus: ["SH-S", "SH-M"] }],
  });
  const documents = received.kind === "documents" ? received.documents : [];
  expect(documents.every(({ document }) => canonicalSchemas.item.safeParse(document).success)).toBe(true);
  // One without a sku is nothing that could be named: its message is refused and says where.
  const nameless = await receive({ data: [{ ...product, variants: [variant(null, "S")] }] }, { entityType: "item" });
  expect(canonicalSchemas.item.safeParse(nameless.kind === "documents" && nameless.documents[0]?.document).error?.issues).toMatchObject([
    { path: ["sku"] },
  ]);
});

test("a product tells the one sku that it has", async () => {
  const product = { id: 205, sku: "A-1", name: "Boots", date_modified: "2026-11-02T08:30:00+00:00" };
  expect(await receive({ data: [product] }, { entityType: "item" })).toMatchObject({
    documents: [{ entityType: "item", partOf: "product/205" }],
    wholes: [{ name: "product/205", skus: ["A-1"], at: "2026-11-02T08:30:00.000Z" }],
  });
});
