import { canonicalSchemas } from "@crossdock/contract";
import { expect, test } from "vitest";
import { connectors } from "../index.ts";

const point = { settings: { baseUrl: "https://connector.example.com/services/api/3.0" }, credentials: { apiKey: "k" } };
const order = (number: string, lines: number) => `<ns2:return><ns2:orderNumber>${number}</ns2:orderNumber>
  <ns2:timestamp>2025-01-15T14:30:00</ns2:timestamp><ns2:customerNo>CUST-001</ns2:customerNo><ns2:currency>EUR</ns2:currency>
  <ns2:shippingLocation><ns2:name>Main Store</ns2:name><ns2:street>Kalverstraat</ns2:street><ns2:houseNumber>123</ns2:houseNumber>
  <ns2:country>Netherlands</ns2:country></ns2:shippingLocation>
  ${`<ns2:orderLine><ns2:productUniqueId>STYLE-001</ns2:productUniqueId><ns2:sizeName>M</ns2:sizeName><ns2:numberOfPieces>10</ns2:numberOfPieces>
  <ns2:netWholesalePrice>25.00</ns2:netWholesalePrice><ns2:lineAmount>250.00</ns2:lineAmount></ns2:orderLine>`.repeat(lines)}
  <ns2:orderConfirmation><ns2:pdfData>JVBERi0x</ns2:pdfData></ns2:orderConfirmation></ns2:return>`;
const envelope = (inner: string) =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><r xmlns:ns2="u">${inner}</r></soap:Body></soap:Envelope>`;

test("unprocessed orders become canonical ones, and are marked only after they have been taken", async () => {
  const pull = connectors.colect.pull?.next({ entityType: "order", cursor: null, ...point });
  if (!pull || "kind" in pull) throw new Error("no pull");
  expect(pull.request.body).toContain("<api:getUnprocessedOrders");
  const page = pull.read({ status: 200, headers: {}, body: envelope(order("ABC1", 1) + order("ABC2", 2)) });
  if (page.kind !== "page") throw new Error(page.kind);
  expect(page.messages.map(({ name }) => name)).toEqual(["ABC1", "ABC2"]);
  expect(page.confirm?.map(({ body }) => body)).toEqual([expect.stringMatching(/markOrdersAsProcessed.*ABC1.*ABC2/)]);
  for (const [index, { body }] of page.messages.entries()) {
    expect(body).not.toContain("JVBERi0x");
    const received = await connectors.colect.receive({
      body: Buffer.from(body),
      headers: {},
      settings: point.settings,
      entityType: "order",
    });
    const document = canonicalSchemas.order.parse(received.kind === "documents" ? received.documents[0]?.document : undefined);
    expect(document).toMatchObject({
      orderedAt: "2025-01-15T14:30:00Z",
      customer: { customerNumber: "CUST-001" },
      shippingAddress: { street: ["Kalverstraat 123"], countryName: "Netherlands" },
    });
    expect(document.lines).toHaveLength(index + 1);
  }
});

test("where there are no orders there is nothing to mark", () => {
  const pull = connectors.colect.pull?.next({ entityType: "order", cursor: null, ...point });
  if (!pull || "kind" in pull) throw new Error("no pull");
  expect(pull.read({ status: 200, headers: {}, body: envelope("") })).toEqual({ kind: "page", messages: [], cursor: null, hasMore: false });
});
