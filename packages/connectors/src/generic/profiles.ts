import type { ConnectorCode } from "@crossdock/contract";

/**
 * Settings to begin with, for systems of which little is known in public: what could be learned is set, the rest is for whoever has their
 * documentation. README.md tells what was seen.
 */
export const profiles: Partial<Record<ConnectorCode, Record<string, unknown>>> = {
  // Column names of its product export; nothing is known of an API, so documents go to an adapter in front of it.
  wgr: {
    auth: "basic",
    deliver: {
      item: {
        method: "POST",
        path: "/items",
        template:
          '{"Article number": sku, "Product name": name, "Description": description, "Producer": brand, "EAN": barcode, "Unit": unit, "Weight": weight.value, "Hidden": isActive = false ? "1" : "0", "Category": categories[0], "Image 1": images[0].url, "Image 2": images[1].url}',
      },
      price: {
        method: "POST",
        path: "/prices",
        template:
          '{"Article number": sku, "Price": includesTax = true ? null : price.amount, "Price incl VAT": includesTax = true ? price.amount : null, "VAT rate": taxRatePercent, "Campaign price": compareAtPrice ? price.amount : null, "Currency": price.currency, "Valid from": validFrom, "Valid to": validTo}',
      },
      stock: { method: "POST", path: "/stock", template: '{"Article number": sku, "Stock": quantity}' },
      order: { method: "POST", path: "/orders" },
    },
  },
  // A source of styles: an old app of its took them from /api/v2.0/Styles by a bearer token.
  delogue: {
    auth: "bearer",
    receive: {
      item: {
        expression:
          '$.{"sku": $string(StyleNumber), "name": StyleName, "description": Description, "brand": BrandName, "group": StyleNumber ? {"key": $string(StyleNumber), "name": StyleName}, "isActive": true}',
      },
    },
  },
  // Services of the house, without a public interface: canonical documents as they are.
  queryservice: { auth: "bearer", deliver: {} },
  addimotion: { auth: "bearer", deliver: {} },
};
