import { ConnectorCode } from "@crossdock/contract";
import type { Connector } from "./connector.ts";
import { genericConnector } from "./generic/generic.ts";
import { guarded } from "./guard.ts";
import { shopify } from "./shopify/shopify.ts";

export type * from "./connector.ts";
export { type AppliedMapping, type MissingMapping, applyMappings, missingMappingError } from "./mappings.ts";
export { decodeJson, toDecimal } from "./json.ts";

const native: Partial<Record<ConnectorCode, Connector>> = { shopify };

/** Every connector of the catalogue; those without a folder of their own are served by the generic one. */
export const connectors = Object.fromEntries(
  ConnectorCode.options.map((code) => [code, guarded(native[code] ?? genericConnector(code))]),
) as Record<ConnectorCode, Connector>;
