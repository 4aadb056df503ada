import { z } from "zod";
import type { EntityType } from "./canonical/index.ts";

/** One gateway path of a connector, e.g. `items` with `/next`; `canResend`: it takes `?retry=`. */
export type ConnectorEndpoint = { path: string; entityType: EntityType; hasNext: boolean; canResend: boolean };

export type ConnectorEntry = {
  code: ConnectorCode;
  name: string;
  /** Where production integration points are served; `devBasePath` serves those of the environment development. */
  basePath: string;
  devBasePath: string;
  endpoints: readonly ConnectorEndpoint[];
  /** Generic: served by the configurable HTTP connector. */
  kind: "native" | "generic";
};

export const ConnectorCode = z.enum([
  "sitoo",
  "shopify",
  "colect",
  "storm",
  "wgr",
  "delogue",
  "queryservice",
  "bigcommerce",
  "centra",
  "nuorder",
  "optimizely",
  "jetshop",
  "brink",
  "addimotion",
  "plytix",
  "litium",
  "magento",
]);
export type ConnectorCode = z.infer<typeof ConnectorCode>;

/** Which entity a path means: singular and plural forms, and three words for stock, are in use. */
const entityTypes = {
  item: "item",
  items: "item",
  price: "price",
  prices: "price",
  inventory: "stock",
  stock: "stock",
  warehouse: "stock",
  warehouses: "stock",
  order: "order",
  orders: "order",
  shipment: "shipment",
  shipments: "shipment",
  customer: "customer",
  customers: "customer",
} as const satisfies Record<string, EntityType>;

/** `orders/next?retry=`: served with `/next`, resend offered. Messages are handed in at each of them. */
type EndpointNotation = `${keyof typeof entityTypes}${"" | "/next"}${"" | "?retry="}`;

const native = { kind: "native" } as const;

/** The registered connectors. Base paths are /{code}/v1 and /{code}dev/v1 unless the entry says otherwise. */
export const connectorCatalogue: Record<ConnectorCode, ConnectorEntry> = {
  sitoo: entry("sitoo", "Sitoo", ["items/next", "orders/next?retry=", "prices/next", "warehouse/next"], {
    basePath: "/sitoo",
    devBasePath: "/sitoodev",
    ...native,
  }),
  shopify: entry("shopify", "Shopify", ["item", "order?retry=", "price", "inventory"], { devBasePath: "/shopify-dev/v1", ...native }),
  colect: entry("colect", "Colect", ["item/next", "order/next", "price/next", "warehouse/next", "shipment/next", "customer/next"], native),
  storm: entry("storm", "Storm", ["item/next", "price/next", "warehouse/next"], native),
  wgr: entry("wgr", "Wikinggruppen", ["items/next", "prices/next", "stock/next", "orders/next?retry="], {
    basePath: "/wikinggruppen/v1",
    devBasePath: "/wikinggruppen-dev/v1",
  }),
  delogue: entry("delogue", "Delogue", ["item/next"]),
  queryservice: entry("queryservice", "Query service", ["item/next", "price/next", "warehouse/next", "customer/next"]),
  bigcommerce: entry("bigcommerce", "BigCommerce", ["item/next", "price/next", "warehouse/next", "shipment/next", "order/next"], native),
  centra: entry("centra", "Centra", ["items/next", "prices/next", "orders/next?retry=", "shipments/next", "warehouse/next"], native),
  nuorder: entry(
    "nuorder",
    "nuORDER",
    ["item/next", "price/next", "warehouse/next", "shipment/next", "order/next?retry=", "customer/next"],
    native,
  ),
  optimizely: entry("optimizely", "Optimizely", ["order"], native),
  jetshop: entry("jetshop", "Jetshop", ["item/next", "order/next"], native),
  brink: entry("brink", "Brink", ["items/next", "orders/next", "prices/next", "warehouses/next", "shipments/next"], native),
  addimotion: entry("addimotion", "Addimotion", ["orders/next", "shipment/next"], {
    basePath: "/addimotion",
    devBasePath: "/addimotiondev",
  }),
  plytix: entry("plytix", "Plytix", ["item/next", "price/next", "warehouse/next"], native),
  litium: entry(
    "litium",
    "Litium",
    ["items/next", "prices/next", "warehouses/next", "orders/next", "shipments/next", "customers/next"],
    native,
  ),
  magento: entry(
    "magento",
    "Magento",
    ["items/next", "prices/next", "warehouses/next", "orders/next", "shipments/next", "customers/next"],
    native,
  ),
};

function entry(
  code: ConnectorCode,
  name: string,
  endpoints: EndpointNotation[],
  exceptions: Partial<Pick<ConnectorEntry, "basePath" | "devBasePath" | "kind">> = {},
): ConnectorEntry {
  return {
    code,
    name,
    basePath: `/${code}/v1`,
    devBasePath: `/${code}dev/v1`,
    kind: "generic",
    ...exceptions,
    endpoints: endpoints.map(endpoint),
  };
}

function endpoint(notation: EndpointNotation): ConnectorEndpoint {
  const path = Object.keys(entityTypes).find((name): name is keyof typeof entityTypes => new RegExp(`^${name}(?![a-z])`).test(notation));
  if (!path) throw new Error(`no entity type for ${notation}`);
  return {
    path,
    entityType: entityTypes[path],
    hasNext: notation.includes("/next"),
    canResend: notation.includes("?retry="),
  };
}
