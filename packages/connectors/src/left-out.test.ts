import { ConnectorCode, EntityType, connectorCatalogue } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Case, casesOf } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

const sek = (amount: string) => ({ amount, currency: "SEK" });
const address = { name: "Ada Berg", street: ["Storgatan 1"], postalCode: "111 22", city: "Stockholm", country: "SE" };
const otherAddress = { ...address, name: "Bo Ek", street: ["Lillgatan 2"] };
const attributes = { season: "winter" };

type Fields = Record<string, unknown>;

/** What documents may say beside what makes them what they are, in two versions. What is read to be turned or waited for is not among it. */
const said: Record<EntityType, { needed: Fields; one: Fields; other: Fields }> = {
  item: {
    needed: { sku: "A-1", name: "Boots" },
    one: {
      description: "warm",
      group: { key: "boots", name: "Boots" },
      options: [{ name: "Color", value: "Red" }],
      brand: "Fjell",
      categories: ["Shoes"],
      tags: ["new"],
      barcode: "7350053850019",
      weight: { value: "1.5", unit: "kg" },
      images: [{ url: "https://img.example.com/1.jpg" }],
      unit: "pcs",
      taxCode: "25",
      attributes,
    },
    other: {
      description: "cold",
      group: { key: "shoes", name: "Shoes" },
      options: [{ name: "Color", value: "Blue" }],
      brand: "Dal",
      categories: ["Coats"],
      tags: ["old"],
      barcode: "7350053850026",
      weight: { value: "2", unit: "kg" },
      images: [{ url: "https://img.example.com/2.jpg" }],
      unit: "m",
      taxCode: "12",
      attributes: { season: "summer" },
    },
  },
  price: {
    needed: { sku: "A-1", price: sek("199.00"), includesTax: true, taxRatePercent: "25" },
    one: { compareAtPrice: sek("249.00"), tiers: [{ minimumQuantity: "10", price: sek("189.00") }], attributes },
    other: { compareAtPrice: sek("259.00"), tiers: [{ minimumQuantity: "10", price: sek("179.00") }], attributes: { season: "summer" } },
  },
  stock: {
    needed: { sku: "A-1", quantity: "42" },
    one: { unit: "pcs", incoming: { quantity: "5", expectedAt: "2099-01-01T00:00:00Z" }, attributes },
    other: { unit: "m", incoming: { quantity: "6", expectedAt: "2099-01-01T00:00:00Z" }, attributes: { season: "summer" } },
  },
  order: {
    needed: {
      orderNumber: "10023",
      orderedAt: "2026-11-01T08:00:00+01:00",
      currency: "SEK",
      customer: { email: "ada@example.com", name: "Ada Berg", customerNumber: "17" },
      lines: [{ lineNumber: "1", sku: "A-1", description: "Boots", quantity: "3", unitPrice: sek("19.90") }],
    },
    one: {
      billingAddress: address,
      shippingAddress: address,
      salesChannel: "web",
      note: "careful",
      tags: ["vip"],
      paymentStatus: "paid",
      fulfilmentStatus: "unfulfilled",
      attributes,
    },
    other: {
      billingAddress: otherAddress,
      shippingAddress: otherAddress,
      salesChannel: "store",
      note: "quick",
      tags: ["new"],
      paymentStatus: "pending",
      fulfilmentStatus: "fulfilled",
      attributes: { season: "summer" },
    },
  },
  shipment: {
    needed: { shipmentNumber: "S1", orderNumber: "10023", status: "shipped", lines: [{ sku: "A-1", quantity: "2" }] },
    one: {
      shippedAt: "2026-11-03T14:00:00+01:00",
      carrier: "PostNord",
      service: "parcel",
      tracking: [{ number: "T1", url: "https://t.example.com/T1" }],
      shippingAddress: address,
      attributes,
    },
    other: {
      shippedAt: "2026-11-04T14:00:00+01:00",
      carrier: "DHL",
      service: "letter",
      tracking: [{ number: "T2", url: "https://t.example.com/T2" }],
      shippingAddress: otherAddress,
      attributes: { season: "summer" },
    },
  },
  customer: {
    needed: { customerNumber: "17", email: "ada@example.com", firstName: "Ada", lastName: "Berg" },
    one: {
      phone: "+46701234567",
      company: "Berg AB",
      vatNumber: "SE556000000001",
      acceptsMarketing: false,
      isActive: false,
      addresses: [{ ...address, isDefault: true }],
      note: "vip",
      tags: ["a"],
      attributes,
    },
    other: {
      phone: "+46707654321",
      company: "Ek AB",
      vatNumber: "SE556000000002",
      acceptsMarketing: true,
      isActive: true,
      addresses: [{ ...otherAddress, isDefault: true }],
      note: "none",
      tags: ["b"],
      attributes: { season: "summer" },
    },
  },
};

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Everything that a system without this object is sent until it has it. */
async function sentOf({ code, settings, credentials, deliver }: Case, type: EntityType, document: object): Promise<string> {
  sandbox.reset("system");
  const driver = new Driver(connectors[code]);
  for (const name of EntityType.options.slice(0, EntityType.options.indexOf(type)))
    if (deliver[name]) await driver.deliver({ settings, credentials }, name, deliver[name]);
  const { verdict, bodies } = await driver.deliver({ settings, credentials }, type, document);
  expect({ code, type, verdict }).toMatchObject({ verdict: { kind: "delivered" } });
  return JSON.stringify(bodies);
}

async function toldOf({ code, settings, credentials }: Case, type: EntityType, document: object): Promise<readonly string[]> {
  const ids = { key: "key", externalId: null, messageId: "1", now: new Date() };
  const request = await connectors[code].request({ entityType: type, document: JSON.stringify(document), settings, credentials, ...ids });
  return "kind" in request ? [] : (request.leftOut ?? []);
}

/** Of their own orders these are told no more than what became of them. */
const ownOrders: readonly string[] = ["litium", "optimizely"];
const native = ConnectorCode.options.filter((code) => connectorCatalogue[code].kind === "native");

/** Other settings, by which a system keeps other things. */
const variants: { code: ConnectorCode; deliver: EntityType; settings: object }[] = [
  { code: "bigcommerce", deliver: "price", settings: { priceListIds: { default: 7 } } },
  { code: "sitoo", deliver: "price", settings: { priceListIds: { default: 7 } } },
];

test.each([...native.map((code) => ({ code, deliver: null, settings: {} })), ...variants])(
  "$code tells with each delivery what of the document it did not send, and nothing else ($deliver)",
  async ({ code, deliver, settings }) => {
    const found = casesOf(sandbox.url).find((each) => each.code === code);
    if (!found) throw new Error(code);
    const tried = { ...found, settings: { ...found.settings, ...settings } };
    for (const type of EntityType.options) {
      if (!found.deliver[type] || (deliver !== null && deliver !== type) || (type === "order" && ownOrders.includes(code))) continue;
      const { needed, one, other } = said[type];
      const whole = { ...needed, ...one };
      const sent = await sentOf(tried, type, whole);
      const unsent: string[] = [];
      for (const [field, value] of Object.entries(other))
        if ((await sentOf(tried, type, { ...whole, [field]: value })) === sent) unsent.push(field);
      expect({ type, leftOut: (await toldOf(tried, type, whole)).toSorted() }).toEqual({ type, leftOut: unsent.toSorted() });
      expect(await toldOf(tried, type, needed)).toEqual([]);
    }
  },
);

const more: Partial<Record<EntityType, Fields>> = {
  item: {
    options: ["Color", "Size", "Cut", "Fit"].map((name) => ({ name, value: name })),
    categories: ["Shoes", "Coats"],
    tags: ["new", "old"],
    images: Array.from({ length: 11 }, (_, index) => ({ url: `https://img.example.com/${index + 1}.jpg` })),
  },
  order: { tags: ["vip", "new"] },
  shipment: { tracking: [{ number: "T1", url: "https://t.example.com/T1" }, { number: "T2" }] },
  customer: { addresses: [{ ...address, isDefault: true }, otherAddress], tags: ["a", "b"] },
};

test.each(native)("%s tells of a list of which it sends no more than its first entries, and of no other", async (code) => {
  const found = casesOf(sandbox.url).find((each) => each.code === code);
  if (!found) throw new Error(code);
  for (const type of EntityType.options) {
    if (!found.deliver[type] || (type === "order" && ownOrders.includes(code))) continue;
    const { needed, one } = said[type];
    const known = await toldOf(found, type, { ...needed, ...one });
    for (const [field, all] of Object.entries(more[type] ?? {})) {
      if (known.includes(field) || !Array.isArray(all)) continue;
      const withEntries = (entries: unknown[]) => ({ ...needed, ...one, [field]: entries });
      const [fewer, whole] = [await sentOf(found, type, withEntries(all.slice(0, -1))), await sentOf(found, type, withEntries(all))];
      expect({ type, field, isTold: (await toldOf(found, type, withEntries(all))).includes(field) }).toEqual({
        type,
        field,
        isTold: fewer === whole,
      });
      expect(await toldOf(found, type, withEntries(all.slice(0, 1)))).not.toContain(field);
    }
  }
});

test("Colect's history of an order has goods only, and of carriage and fees is told that they are not in it", async () => {
  const found = casesOf(sandbox.url).find(({ code }) => code === "colect");
  if (!found) throw new Error("colect");
  const told = (kind: string) => {
    const [line] = said.order.needed["lines"] as Fields[];
    return toldOf(found, "order", { ...said.order.needed, lines: [line, { ...line, lineNumber: "2", sku: null, kind }] });
  };
  expect([await told("shipping"), await told("fee")]).toEqual([["lines"], ["lines"]]);
  // It is off the price of the goods.
  expect(await told("discount")).toEqual([]);
});
