import type { ConnectorCode } from "@crossdock/contract";
import { bigcommerce } from "./bigcommerce/bigcommerce.ts";
import { brink } from "./brink/brink.ts";
import { centra } from "./centra/centra.ts";
import { colect } from "./colect/colect.ts";
import type { Connector } from "./connector.ts";
import { genericConnector } from "./generic/generic.ts";
import { guarded } from "./guard.ts";
import { jetshop } from "./jetshop/jetshop.ts";
import { litium } from "./litium/litium.ts";
import { magento } from "./magento/magento.ts";
import { nuorder } from "./nuorder/nuorder.ts";
import { optimizely } from "./optimizely/optimizely.ts";
import { orGeneric } from "./or-generic.ts";
import { plytix } from "./plytix/plytix.ts";
import { shopify } from "./shopify/shopify.ts";
import { sitoo } from "./sitoo/sitoo.ts";
import { storm } from "./storm/storm.ts";

export type * from "./connector.ts";
export {
  type AppliedMapping,
  type CompiledMappings,
  applyMappings,
  compileMappings,
  missingMappingClass,
  missingMappingError,
} from "./mappings.ts";
export { decodeJson, isRecord, isTooDeep, jsonDepthMax, parseJson, toDecimal } from "./json.ts";
export { signatureToleranceSeconds } from "./signatures.ts";
export { XmlFault, XmlReader, escaped as escapedXml } from "./xml.ts";

/** Every connector of the catalogue. Systems without a folder of their own are served by the generic one under their name. */
export const connectors: Record<ConnectorCode, Connector> = {
  sitoo: native(sitoo),
  shopify: guarded(shopify),
  colect: native(colect),
  storm: native(storm),
  wgr: generic("wgr"),
  delogue: generic("delogue"),
  queryservice: generic("queryservice"),
  bigcommerce: native(bigcommerce),
  centra: native(centra),
  nuorder: native(nuorder),
  optimizely: native(optimizely),
  jetshop: native(jetshop),
  brink: native(brink),
  addimotion: generic("addimotion"),
  plytix: native(plytix),
  litium: native(litium),
  magento: native(magento),
};

function native(connector: Connector): Connector {
  return guarded(orGeneric(connector));
}

function generic(code: ConnectorCode): Connector {
  return guarded(genericConnector(code));
}
