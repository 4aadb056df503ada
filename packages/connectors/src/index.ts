import type { ConnectorCode } from "@crossdock/contract";
import type { Connector } from "./connector.ts";
import { genericConnector } from "./generic/generic.ts";
import { guarded } from "./guard.ts";
import { shopify } from "./shopify/shopify.ts";

export type * from "./connector.ts";
export { type AppliedMapping, type MissingMapping, applyMappings, missingMappingError } from "./mappings.ts";
export { decodeJson, toDecimal } from "./json.ts";

/** Every connector of the catalogue. Systems without a folder of their own are served by the generic one under their name. */
export const connectors: Record<ConnectorCode, Connector> = {
  sitoo: generic("sitoo"),
  shopify: guarded(shopify),
  colect: generic("colect"),
  storm: generic("storm"),
  wgr: generic("wgr"),
  delogue: generic("delogue"),
  queryservice: generic("queryservice"),
  bigcommerce: generic("bigcommerce"),
  centra: generic("centra"),
  nuorder: generic("nuorder"),
  optimizely: generic("optimizely"),
  jetshop: generic("jetshop"),
  brink: generic("brink"),
  addimotion: generic("addimotion"),
  plytix: generic("plytix"),
  litium: generic("litium"),
  magento: generic("magento"),
};

function generic(code: ConnectorCode): Connector {
  return guarded(genericConnector(code));
}
