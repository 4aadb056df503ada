import type { EntityType } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";
import { fieldsOfDocument } from "./listing.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

const sku = (number: number) => `A-${number}`;
const money = (amount: string) => ({ amount, currency: "SEK" });
/** More than a page of any system. */
const count = 260;
const numbers = Array.from({ length: count }, (_, index) => index + 1);

const documents: Partial<Record<EntityType, (number: number) => Record<string, unknown>>> = {
  item: (number) => ({
    sku: sku(number),
    name: `Boots ${number}`,
    brand: "Fjell",
    barcode: `73${number}`,
    weight: { value: "1.50", unit: "kg" },
  }),
  price: (number) => ({ sku: sku(number), price: money("199.00"), compareAtPrice: number % 2 === 0 ? money("249.50") : null }),
  stock: (number) => ({ sku: sku(number), quantity: `${number}.00` }),
  order: (number) => ({
    orderNumber: `${10_000 + number}`,
    orderedAt: "2026-11-01T08:00:00+01:00",
    currency: "SEK",
    customer: null,
    lines: [{ lineNumber: "1", sku: sku(number), description: "Boots", quantity: "1", unitPrice: money("19.90") }],
    totals: { total: money("19.90") },
  }),
};
const systems = {
  magento: { settings: () => ({ baseUrl: `${sandbox.url}/magento/system` }), credentials: { accessToken: "opensesame" } },
  bigcommerce: {
    settings: () => ({ baseUrl: `${sandbox.url}/bigcommerce/system`, priceListIds: { outlet: 7 } }),
    credentials: { accessToken: "opensesame" },
  },
  shopify: {
    settings: () => ({ shopUrl: `${sandbox.url}/shopify/system`, locationId: "655441491", newProductStatus: "active" }),
    credentials: { accessToken: "opensesame" },
  },
  wgr: {
    settings: () => ({
      url: `${sandbox.url}/generic/system`,
      list: Object.fromEntries(["item", "price", "stock", "order"].map((type) => [type, { path: type, pageParameter: "page" }])),
    }),
    credentials: {},
  },
} as const;

test.each(["magento", "bigcommerce", "shopify", "wgr"] as const)(
  "%s: what was delivered is read back over all pages, as it was expected to look",
  async (code) => {
    if (code === "shopify") sandbox.control("system", { bucket: { size: 1_000_000, leakPerSecond: 1_000 } });
    const connector = connectors[code];
    const point = { settings: systems[code].settings(), credentials: systems[code].credentials };
    const driver = new Driver(connector);
    for (const entityType of ["item", "price", "stock", "order"] as const) {
      const make = documents[entityType];
      if (!make || !connector.entityTypes.deliver.includes(entityType)) continue;
      for (const number of numbers) {
        const name = `${entityType} ${number}`;
        const { verdict } = await driver.deliver(point, entityType, withDefaults(entityType, make(number)), null, name, name);
        expect(verdict.kind).toBe("delivered");
      }
      const read = await driver.list(point, entityType);
      if (!("objects" in read)) throw new Error(read.error.message);
      expect(read.pages).toBeGreaterThan(1);
      const shown = new Map(read.objects.map(({ key, fields }) => [key, fields]));
      expect(shown.size).toBe(count);
      for (const number of numbers) {
        const expected = connector.list?.expected({
          entityType,
          document: withDefaults(entityType, make(number)),
          settings: point.settings,
        });
        expect(shown.get(expected?.key ?? "")).toMatchObject(expected?.fields ?? {});
      }
    }
  },
);

/** As the server hands them in: checked by the schema, which fills in what is left out. */
function withDefaults(entityType: EntityType, document: Record<string, unknown>): Record<string, unknown> {
  if (entityType === "price") return { schemaVersion: 1, priceList: "default", ...document };
  return entityType === "stock" ? { schemaVersion: 1, warehouse: "default", ...document } : { schemaVersion: 1, ...document };
}

const nextOf = (code: "shopify" | "wgr", settings: object) =>
  connectors[code].list?.next({ entityType: "item", cursor: null, settings, credentials: {} });

test("a listing without credentials or configuration says what is missing, and a refusal is told", async () => {
  expect(nextOf("shopify", { shopUrl: sandbox.url })).toMatchObject({ kind: "dead", error: { class: "configuration" } });
  expect(nextOf("wgr", { url: sandbox.url })).toMatchObject({ kind: "dead", error: { message: expect.stringContaining("list.item") } });
  const point = { settings: systems.magento.settings(), credentials: { accessToken: "wrong" } };
  expect(await new Driver(connectors.magento).list(point, "item")).toMatchObject({ kind: "retry", error: { class: "http-401" } });
});

test("fields compare by what they mean: amounts without idle zeros, times in UTC, lists as one text", () => {
  const document = {
    schemaVersion: 1,
    price: { amount: "10.50", currency: "SEK" },
    validFrom: "2026-11-02T08:30:00+01:00",
    tags: ["a ", "b"],
    lines: [{ quantity: "2.0", sku: "007" }],
    isActive: true,
    name: " ",
    updatedAt: "2026-11-02T08:30:00Z",
  };
  expect(fieldsOfDocument(document)).toEqual({
    "price.amount": "10.5",
    "price.currency": "SEK",
    validFrom: "2026-11-02T07:30:00.000Z",
    tags: "a | b",
    "lines.0.quantity": "2",
    "lines.0.sku": "007",
    isActive: "true",
    name: null,
  });
});

test("a native connector names only what itself can be read back for", () => {
  expect(connectors.sitoo.list?.entityTypes).toEqual([]);
  expect(connectors.magento.list?.entityTypes).toEqual(["item", "price", "stock", "order"]);
});
