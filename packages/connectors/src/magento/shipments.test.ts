import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { casesOf, order } from "../contract-cases.ts";
import { Driver, settled } from "../testing.ts";
import { magento } from "./magento.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test.each([
  ["north", { extension_attributes: { source_code: "ne_wh" } }, []],
  ["south", undefined, ["warehouse"]],
  [null, undefined, []],
])("goods that left the warehouse %s are taken out of its source", async (warehouse, expected, leftOut) => {
  const found = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!found) throw new Error("no case");
  const point = { settings: { ...found.settings, sources: { north: "ne_wh" } }, credentials: found.credentials };
  const driver = new Driver(magento);
  await driver.deliver(point, "order", { ...order, orderNumber: `of ${warehouse}` });
  const shipment = { shipmentNumber: "S1", orderNumber: `of ${warehouse}`, status: "shipped", warehouse, lines: [] };
  const { verdict, bodies } = await driver.deliver(point, "shipment", shipment);
  expect(verdict).toMatchObject({ kind: "delivered" });
  expect(JSON.parse(bodies.at(-1) ?? "").arguments).toEqual(expected);
  const input = {
    entityType: "shipment",
    document: JSON.stringify(shipment),
    key: "S1",
    externalId: null,
    messageId: "1",
    ...point,
  } as const;
  const request = await magento.request(input);
  expect("kind" in request ? request : (request.leftOut ?? [])).toEqual(leftOut);
});

test("a line that was packed out of two batches is shipped as the sum of both: of two entries the store takes the last", async () => {
  const found = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!found) throw new Error("no case");
  const driver = new Driver(magento);
  await driver.deliver(found, "order", { ...order, orderNumber: "10024" });
  const lines = ["1.2", "0.6"].map((quantity) => ({ sku: "A-1", quantity }));
  const { bodies } = await driver.deliver(found, "shipment", { shipmentNumber: "S2", orderNumber: "10024", status: "shipped", lines });
  expect(JSON.parse(bodies.at(-1) ?? "").items).toEqual([{ order_item_id: expect.any(Number), qty: 1.8 }]);
});

describe("parts of a bundle, ordered twice with two of A-1 each,", () => {
  const items = [
    { item_id: 5, sku: "KIT-A-1-B-2", product_id: 51, product_type: "bundle", qty_ordered: 2 },
    { item_id: 6, parent_item_id: 5, sku: "A-1", product_id: 52, product_type: "simple", qty_ordered: 4 },
    { item_id: 7, parent_item_id: 5, sku: "B-2", product_id: 53, product_type: "simple", qty_ordered: 2 },
    { item_id: 10, sku: "C-3", product_id: 54, product_type: "configurable", qty_ordered: 1 },
    { item_id: 11, parent_item_id: 10, sku: "C-3", product_id: 55, product_type: "simple", qty_ordered: 1 },
  ];
  const both = [
    { sku: "A-1", quantity: "4" },
    { sku: "B-2", quantity: "2" },
    { sku: "C-3", quantity: "1" },
  ];
  const whole = [{ lineNumber: "5", sku: null, quantity: "1" }];

  test.each([
    [
      "together",
      "0",
      both,
      [
        [5, 2],
        [10, 1],
      ],
    ],
    [
      "separately",
      "1",
      both,
      [
        [6, 4],
        [7, 2],
        [10, 1],
      ],
    ],
    ["together", "0", whole, [[5, 1]]],
    [
      "separately",
      "1",
      whole,
      [
        [6, 2],
        [7, 1],
      ],
    ],
  ])("that are sent %s go as the store takes them", async (_word, value, lines, expected) => {
    const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
    const document = JSON.stringify({ shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines });
    let request = await magento.request({ entityType: "shipment", document, key: "S1", externalId: null, messageId: "1", ...point });
    for (const answer of [
      { items: [{ entity_id: 3, increment_id: "10023", items }] },
      { items: [] },
      { items: [{ id: 51, custom_attributes: [{ attribute_code: "shipment_type", value }] }] },
    ]) {
      if ("kind" in request) throw new Error(request.error.message);
      const response = { status: 200, headers: {}, body: JSON.stringify(answer) };
      const verdict = settled(magento.verdict({ entityType: "shipment", request, response }));
      if (verdict.kind !== "next") throw new Error(verdict.kind);
      ({ request } = verdict);
    }
    if ("kind" in request) throw new Error(request.error.message);
    expect(request.url).toContain("/V1/order/3/ship");
    expect(JSON.parse(request.body ?? "").items).toEqual(expected.map(([order_item_id, qty]) => ({ order_item_id, qty })));
  });
});

/** The lines of a shipment of the store's, of an order of these. */
const linesOf = async (ordered: object[], items: object[]) => {
  const shipment = { increment_id: "000000012", created_at: "2026-11-21 09:00:00", items, extension_attributes: [] };
  const body = Buffer.from(JSON.stringify({ ...shipment, order: { increment_id: "10031", items: ordered } }));
  const settings = { baseUrl: "https://shop.example.com" };
  const received = await magento.receive({ body, headers: {}, settings, entityType: "shipment" });
  if (received.kind !== "documents") throw new Error(JSON.stringify(received));
  return received.documents.map(({ document }) => Object(document).lines);
};

const packed = (id: number, qty: number, sku: string) => ({ order_item_id: id, sku, qty });

describe("a shipment of the store's that holds a bundle", () => {
  const line = { qty_ordered: 2, row_total: 0, product_type: "simple" };
  const part = { ...line, item_id: 6, parent_item_id: 5, sku: "A-1", qty_ordered: 4 };
  const other = { ...line, item_id: 7, parent_item_id: 5, sku: "B-2" };
  const bundle = { ...line, item_id: 5, sku: "KIT-A-1-B-2", product_type: "bundle", row_total: 300 };

  test.each([
    ["sent as one", [packed(5, 1, "KIT-A-1-B-2")]],
    ["sent as one, its parts beside it", [packed(5, 1, "KIT-A-1-B-2"), packed(6, 2, "A-1"), packed(7, 1, "B-2")]],
    ["whose parts are sent", [packed(6, 2, "A-1"), packed(7, 1, "B-2")]],
  ])("%s tells its parts, which are the order's lines", async (_how, items) => {
    expect(await linesOf([bundle, part, other], items)).toEqual([
      [
        { lineNumber: "6", sku: "A-1", quantity: "2" },
        { lineNumber: "7", sku: "B-2", quantity: "1" },
      ],
    ]);
  });

  test("of a sku of its own tells the bundle, and its parts where they are sent separately", async () => {
    const named = { ...bundle, sku: "KIT" };
    const asOne = [packed(5, 1, "KIT"), packed(6, 2, "A-1")];
    expect(await linesOf([named, part, other], asOne)).toEqual([[{ lineNumber: "5", sku: "KIT", quantity: "1" }]]);
    expect(await linesOf([named, part, other], [packed(6, 2, "A-1")])).toEqual([[{ lineNumber: "6", sku: "A-1", quantity: "2" }]]);
  });
});
