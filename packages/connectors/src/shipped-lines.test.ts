import type { ConnectorCode } from "@crossdock/contract";
import { expect, test } from "vitest";
import type { TargetResponse } from "./connector.ts";
import { connectors } from "./index.ts";

const shipment = {
  shipmentNumber: "S1",
  orderNumber: "10023",
  status: "shipped",
  tracking: [{ number: "T1" }],
  lines: [
    { lineNumber: "12", sku: "A-1", quantity: "1" },
    { lineNumber: null, sku: "A-1", quantity: "1" },
  ],
};

/** The order of each system in its own form: the same sku on two lines, as gifts and bundles make them. */
const answers: [code: ConnectorCode, settings: object, credentials: object, answers: [path: string, body: unknown][]][] = [
  [
    "shopify",
    { shopUrl: "https://shop.myshopify.com" },
    { accessToken: "t" },
    [
      ["/orders.json?", { orders: [{ id: 7, name: "10023", line_items: [11, 12].map((id) => ({ id, sku: "A-1" })) }] }],
      [
        "/fulfillment_orders.json",
        {
          fulfillment_orders: [
            { id: 1, status: "open", line_items: [11, 12].map((id) => ({ id, line_item_id: id, fulfillable_quantity: 1 })) },
          ],
        },
      ],
    ],
  ],
  [
    "magento",
    { baseUrl: "https://shop.example.com" },
    { accessToken: "t" },
    [
      ["/V1/orders?", { items: [{ entity_id: 7, increment_id: "10023", items: [11, 12].map((id) => ({ item_id: id, sku: "A-1" })) }] }],
      ["/V1/shipments?", { items: [] }],
    ],
  ],
  [
    "bigcommerce",
    { baseUrl: "https://api.example.com/stores/x" },
    { accessToken: "t" },
    [
      ["/shipments", []],
      ["/products", [11, 12].map((id) => ({ id, sku: "A-1", quantity: 1, order_address_id: 1 }))],
    ],
  ],
  [
    "litium",
    { baseUrl: "https://shop.example.com" },
    { clientId: "hub", clientSecret: "s" },
    [["/orders/10023", { rows: ["11", "12"].map((id) => ({ id, articleNumber: "A-1", quantity: 1 })), shipments: [] }]],
  ],
  [
    "centra",
    { baseUrl: "https://shop.example.com/graphql" },
    { token: "t" },
    [
      [
        "/graphql",
        { data: { orders: [{ id: "o", lines: [11, 12].map((id) => ({ id, quantity: 1, productSize: { SKU: "A-1" } })), shipments: [] }] } },
      ],
    ],
  ],
];

test.each(answers)(
  "%s: a shipped line that is named by its number is that line, whichever others have its sku",
  async (code, settings, credentials, known) => {
    const connector = connectors[code];
    let request = await connector.request({
      entityType: "shipment",
      document: JSON.stringify(shipment),
      key: "S1",
      externalId: null,
      messageId: "1",
      settings,
      credentials,
    });
    for (const [path, body] of known) {
      if ("kind" in request) throw new Error(request.error.message);
      expect(request.url).toContain(path);
      const response: TargetResponse = { status: 200, headers: {}, body: JSON.stringify(body) };
      const verdict = connector.verdict({ entityType: "shipment", request, response });
      if (verdict.kind !== "next") throw new Error(verdict.kind);
      request = verdict.request;
    }
    const sent = "kind" in request ? "" : (request.body ?? "");
    expect(sent.match(/\b1[12]\b/g)).toEqual(["12", "11"]);
  },
);
