import { expect, test } from "vitest";
import { ConnectorCode, connectorCatalogue } from "./connector-catalogue.ts";

/** The registered paths as they are written in the specification, dev paths second. */
const paths: Record<ConnectorCode, [string, string, ...string[]]> = {
  sitoo: ["/sitoo", "/sitoodev", "items/next", "orders/next?retry=", "prices/next", "warehouse/next"],
  shopify: ["/shopify/v1", "/shopify-dev/v1", "item", "order?retry=", "price", "inventory"],
  colect: ["/colect/v1", "/colectdev/v1", "item/next", "order/next", "price/next", "warehouse/next", "shipment/next", "customer/next"],
  storm: ["/storm/v1", "/stormdev/v1", "item/next", "price/next", "warehouse/next"],
  wgr: ["/wikinggruppen/v1", "/wikinggruppen-dev/v1", "items/next", "prices/next", "stock/next", "orders/next?retry="],
  delogue: ["/delogue/v1", "/deloguedev/v1", "item/next"],
  queryservice: ["/queryservice/v1", "/queryservicedev/v1", "item/next", "price/next", "warehouse/next", "customer/next"],
  bigcommerce: ["/bigcommerce/v1", "/bigcommercedev/v1", "item/next", "price/next", "warehouse/next", "shipment/next", "order/next"],
  centra: ["/centra/v1", "/centradev/v1", "items/next", "prices/next", "orders/next?retry=", "shipments/next", "warehouse/next"],
  nuorder: [
    "/nuorder/v1",
    "/nuorderdev/v1",
    "item/next",
    "price/next",
    "warehouse/next",
    "shipment/next",
    "order/next?retry=",
    "customer/next",
  ],
  optimizely: ["/optimizely/v1", "/optimizelydev/v1", "order"],
  jetshop: ["/jetshop/v1", "/jetshopdev/v1", "item/next", "order/next"],
  brink: ["/brink/v1", "/brinkdev/v1", "items/next", "orders/next", "prices/next", "warehouses/next", "shipments/next"],
  addimotion: ["/addimotion", "/addimotiondev", "orders/next", "shipment/next"],
  plytix: ["/plytix/v1", "/plytixdev/v1", "item/next", "price/next", "warehouse/next"],
  litium: [
    "/litium/v1",
    "/litiumdev/v1",
    "items/next",
    "prices/next",
    "warehouses/next",
    "orders/next",
    "shipments/next",
    "customers/next",
  ],
  magento: [
    "/magento/v1",
    "/magentodev/v1",
    "items/next",
    "prices/next",
    "warehouses/next",
    "orders/next",
    "shipments/next",
    "customers/next",
  ],
};

test("every connector is registered under paths of its own", () => {
  const connectorCodes = ConnectorCode.options;
  const bases = connectorCodes.flatMap((code) => [connectorCatalogue[code].basePath, connectorCatalogue[code].devBasePath]);
  expect(new Set(bases).size).toBe(2 * connectorCodes.length);
  for (const code of connectorCodes) {
    const types = connectorCatalogue[code].endpoints.map((endpoint) => endpoint.entityType);
    expect(new Set(types).size, `${code} has one path for each entity type`).toBe(types.length);
  }
});

test.each(Object.entries(paths))("%s has the paths of the specification", (code, [basePath, devBasePath, ...endpoints]) => {
  const entry = Object.values(connectorCatalogue).find((candidate) => candidate.code === code);
  expect(entry).toMatchObject({ basePath, devBasePath });
  expect(entry?.endpoints.map(({ path, hasNext, canResend }) => `${path}${hasNext ? "/next" : ""}${canResend ? "?retry=" : ""}`)).toEqual(
    endpoints,
  );
});
