import { canonicalSchemas } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { amountsOf, taxOf } from "../order-amounts.ts";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { litium } from "./litium.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

async function readFrom(body: string) {
  const settings = { baseUrl: "https://shop.example.com" };
  const received = await litium.receive({ body: Buffer.from(body), headers: {}, settings, entityType: "order" });
  if (received.kind !== "documents") throw new Error(JSON.stringify(received));
  return canonicalSchemas.order.parse(received.documents[0]?.document);
}

/** As the shop shows it. */
async function orderOfShop(): Promise<string> {
  const shop = `${sandbox.url}/litium/system/Litium`;
  const granted = await fetch(`${shop}/OAuth/Token`, { method: "POST", body: new URLSearchParams({ client_secret: "opensesame" }) });
  const { access_token: token } = (await granted.json()) as { access_token: string };
  const answer = await fetch(`${shop}/api/connect/erp/orders/LS1`, { headers: { authorization: `Bearer ${token}` } });
  return answer.text();
}

test("a row's rate is a percentage here, and the tax that it makes is the source's", async () => {
  const order = await readFrom(await orderOfShop());
  expect(order.lines).toMatchObject([{ taxRatePercent: "25", tax: { amount: "75" } }]);
  const untaxed = { ...order, lines: order.lines.map((line) => ({ ...line, tax: null })) };
  expect(Number(taxOf(amountsOf(untaxed).total))).toBe(75);
});

test("the number of the house is told with its street, where they stand apart", async () => {
  const house = { address1: "Keizersgracht", houseNumber: "123", houseExtension: "A", zip: "1015 CJ", city: "Amsterdam", country: "NL" };
  const order = JSON.parse(await orderOfShop());
  const { billingAddress, shippingAddress } = await readFrom(
    JSON.stringify({ ...order, billingAddress: { address1: "Storgatan 1" }, shippingInfo: [{ address: house }] }),
  );
  expect([shippingAddress?.street, billingAddress?.street]).toEqual([["Keizersgracht 123 A"], ["Storgatan 1"]]);
});

const sent = (orderRowId: string, quantity: number) => ({ id: `S-${orderRowId}-${quantity}`, rows: [{ orderRowId, quantity }] });

describe("a shipment without lines", () => {
  const document = { shipmentNumber: "S-9", orderNumber: "LS1", status: "shipped", lines: [] };
  const ship = async (order: object) => {
    const request = await litium.request({
      entityType: "shipment",
      document: JSON.stringify(document),
      key: "S-9",
      externalId: null,
      messageId: "1",
      settings: { baseUrl: "https://shop.example.com" },
      credentials: { clientId: "crossdock", clientSecret: "opensesame" },
    });
    if ("kind" in request) throw new Error(request.error.message);
    const response = { status: 200, headers: {}, body: JSON.stringify(order) };
    return litium.verdict({ entityType: "shipment", request, response });
  };
  const rows = [
    { id: "1", type: "product", articleNumber: "CHEESE", quantity: 0.8 },
    { id: "2", type: "product", articleNumber: "HAM", quantity: 1.5 },
  ];

  test("sends what the order still awaits of weighed goods, to the gram", async () => {
    const verdict = await ship({ rows, shipments: [sent("1", 0.7), sent("1", 0.1), sent("2", 1.2)] });
    if (verdict.kind !== "next") throw new Error(verdict.kind);
    expect(JSON.parse(verdict.request.body ?? "").rows).toEqual([{ orderRowId: "2", articleNumber: "HAM", quantity: 0.3 }]);
  });

  test("of an order that awaits nothing any more is refused", async () => {
    expect(await ship({ rows, shipments: [sent("1", 0.8), sent("2", 1.5)] })).toMatchObject({
      kind: "dead",
      error: { class: "nothing-to-fulfil" },
    });
  });
});

test("a shipment is handed over once it has left, and once only", async () => {
  const driver = new Driver(litium);
  const point = casesOf(sandbox.url).find(({ code }) => code === "litium");
  if (!point) throw new Error("no case");
  let externalId: string | null = null;
  const ship = async (status: string) => {
    const document = { shipmentNumber: "S-1", orderNumber: "LS2", status, lines: [{ sku: "A-1", quantity: "1" }] };
    const { verdict, calls } = await driver.deliver(point, "shipment", document, externalId);
    if (verdict.kind !== "delivered") throw new Error(JSON.stringify(verdict));
    externalId = verdict.externalId ?? externalId;
    return calls.slice(1).map((call) => call.split("/").slice(-2).join("/"));
  };
  expect(await ship("pending")).toEqual(["LS2/shipments"]);
  expect(await ship("shipped")).toEqual(["notify/delivered"]);
  expect(await ship("delivered")).toEqual([]);
});
