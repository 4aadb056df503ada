import type { ConnectorCode, EntityType } from "@crossdock/contract";

/** One system as the shared suite tries it against its personality in the sandbox. */
export type Case = {
  code: ConnectorCode;
  settings: object;
  credentials: object;
  wrongCredentials: object;
  /** In this order: what later ones need has arrived before. */
  deliver: Partial<Record<EntityType, object>>;
  /** The kinds of objects that must not become two when the answer to a delivery is lost, by what makes them. */
  created: Partial<Record<EntityType, string>>;
  /** The delivery in which a part, or all, is refused behind a good status; null: the system has no such answer. */
  soft: EntityType | null;
  /** The delivery that is accepted first and reported on later. */
  polled?: { entityType: EntityType; settings?: object };
  hasTokens: boolean;
};

const item = { sku: "A-1", name: "Boots", description: "warm", weight: { value: "1.5", unit: "kg" }, brand: "Fjell" };
const price = { sku: "A-1", price: { amount: "199.00", currency: "SEK" }, compareAtPrice: { amount: "249.00", currency: "SEK" } };
const stock = { sku: "A-1", quantity: "42" };
export const order = {
  orderNumber: "10023",
  orderedAt: "2026-11-01T08:00:00+01:00",
  currency: "SEK",
  customer: { email: "ada@example.com", name: "Ada Berg", customerNumber: "17" },
  billingAddress: { name: "Ada Berg", street: ["Storgatan 1"], postalCode: "111 22", city: "Stockholm", country: "SE" },
  lines: [{ lineNumber: "1", sku: "A-1", description: "Boots", quantity: "3", unitPrice: { amount: "19.90", currency: "SEK" } }],
};
const shipment = {
  shipmentNumber: "S1",
  orderNumber: "10023",
  status: "shipped",
  carrier: "PostNord",
  tracking: [{ number: "T1" }],
  lines: [{ sku: "A-1", quantity: "2" }],
};
const customer = { customerNumber: "17", email: "ada@example.com", firstName: "Ada", lastName: "Berg" };

const client = { clientId: "hub", clientSecret: "opensesame" };
const wrongClient = { clientId: "hub", clientSecret: "wrong" };

export function casesOf(sandboxUrl: string): Case[] {
  const at = (code: string) => `${sandboxUrl}/${code}/system`;
  return [
    {
      code: "shopify",
      settings: { shopUrl: at("shopify"), currency: "SEK", locationId: "655441491" },
      credentials: { accessToken: "opensesame" },
      wrongCredentials: { accessToken: "wrong" },
      deliver: { item, price, stock, order, shipment, customer },
      created: { item: "variants", order: "shopOrders", shipment: "fulfillments", customer: "shopCustomers" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "magento",
      settings: { baseUrl: at("magento") },
      credentials: { username: "admin", password: "opensesame" },
      wrongCredentials: { username: "admin", password: "wrong" },
      deliver: { item, price, stock, order, shipment, customer },
      created: { item: "products", order: "orders", shipment: "shipments", customer: "customers" },
      soft: "price",
      polled: { entityType: "item", settings: { isAsynchronous: true } },
      hasTokens: true,
    },
    {
      code: "bigcommerce",
      settings: { baseUrl: at("bigcommerce") },
      credentials: { accessToken: "opensesame" },
      wrongCredentials: { accessToken: "wrong" },
      deliver: { item, price, stock, order },
      created: { item: "products", order: "orders" },
      soft: "stock",
      hasTokens: false,
    },
    {
      code: "litium",
      settings: { baseUrl: at("litium") },
      credentials: client,
      wrongCredentials: wrongClient,
      deliver: { item, price, stock, order, shipment, customer },
      created: { item: "variants", shipment: "shipments", customer: "persons" },
      soft: "item",
      polled: { entityType: "item" },
      hasTokens: true,
    },
    {
      code: "sitoo",
      settings: { baseUrl: at("sitoo"), siteId: 1, warehouseIds: { default: 1 }, currency: "SEK" },
      credentials: { apiId: "17", password: "opensesame" },
      wrongCredentials: { apiId: "17", password: "wrong" },
      deliver: { item, price, stock, order },
      created: { item: "products", order: "orders", stock: "stock" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "nuorder",
      settings: { baseUrl: at("nuorder") },
      credentials: { consumerKey: "k", consumerSecret: "s", token: "opensesame", tokenSecret: "t" },
      wrongCredentials: { consumerKey: "k", consumerSecret: "s", token: "wrong", tokenSecret: "t" },
      deliver: { item, price, stock, customer },
      created: { item: "products", customer: "companies" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "colect",
      settings: { baseUrl: at("colect") },
      credentials: { apiKey: "opensesame" },
      wrongCredentials: { apiKey: "wrong" },
      deliver: { item, price, stock, order, customer },
      created: { item: "products", order: "orders", customer: "customers" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "jetshop",
      settings: { baseUrl: at("jetshop"), shopId: "42" },
      credentials: { username: "hub", password: "opensesame" },
      wrongCredentials: { username: "hub", password: "wrong" },
      deliver: { item, price, stock },
      created: { item: "products" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "centra",
      settings: { baseUrl: at("centra"), priceListIds: { default: 1 }, warehouseIds: { default: 1 } },
      credentials: { token: "opensesame" },
      wrongCredentials: { token: "wrong" },
      deliver: { item, price, stock, shipment },
      created: { item: "products", shipment: "shipments" },
      soft: "item",
      hasTokens: false,
    },
    {
      code: "storm",
      settings: {
        baseUrl: at("storm"),
        tokenUrl: `${at("storm")}/token`,
        queryUrl: `${at("storm")}/query`,
        applicationId: 1,
        accountId: 1,
        locations: { default: "A1" },
      },
      credentials: client,
      wrongCredentials: wrongClient,
      deliver: { item, price, stock },
      created: { item: "products", stock: "stock" },
      soft: "item",
      polled: { entityType: "item" },
      hasTokens: true,
    },
    {
      code: "plytix",
      settings: { baseUrl: at("plytix"), authUrl: at("plytix") },
      credentials: { apiKey: "k", apiPassword: "opensesame" },
      wrongCredentials: { apiKey: "k", apiPassword: "wrong" },
      deliver: { item, price, stock },
      created: { item: "products" },
      soft: "item",
      hasTokens: true,
    },
    {
      code: "optimizely",
      settings: { baseUrl: at("optimizely") },
      credentials: { clientSecret: "s", username: "ada", password: "opensesame" },
      wrongCredentials: { clientSecret: "s", username: "ada", password: "wrong" },
      deliver: { order },
      created: { order: "orders" },
      soft: null,
      hasTokens: true,
    },
    {
      code: "brink",
      settings: { baseUrl: at("brink") },
      credentials: { apiKey: "opensesame" },
      wrongCredentials: { apiKey: "wrong" },
      deliver: { item: { ...item, group: { key: "boots", name: "Boots" } }, price, stock },
      created: { stock: "stock" },
      soft: "price",
      hasTokens: false,
    },
  ];
}
