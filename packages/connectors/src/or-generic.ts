import { type Connector, dead } from "./connector.ts";
import { genericConnector } from "./generic/generic.ts";
import { isRecord } from "./json.ts";

/**
 * A native connector beside the generic one under the same code. Settings that name the system's `baseUrl` are the native connector's;
 * without one the generic connector serves the integration point: for systems behind an adapter of their owner's, and for points that were
 * set up before there was a connector.
 */
export function orGeneric(native: Connector): Connector {
  const generic = genericConnector(native.code);
  const of = (settings: unknown): Connector => (isNative(settings) ? native : generic);
  return {
    ...native,
    servedBy: of,
    entityTypes: {
      deliver: [...new Set([...native.entityTypes.deliver, ...generic.entityTypes.deliver])],
      receive: [...new Set([...native.entityTypes.receive, ...generic.entityTypes.receive])],
    },
    receive: (input) => of(input.settings).receive(input),
    verify: (input) => of(input.settings).verify(input),
    dedupeKey: (headers, body) => native.dedupeKey(headers, body) ?? generic.dedupeKey(headers, body),
    request: (input) => of(input.settings).request(input),
    needsExternalId: (input) => of(input.settings).needsExternalId?.(input) ?? true,
    list: {
      // The generic connector reads back what an integration point's own settings say.
      entityTypes: native.list?.entityTypes ?? [],
      next: (input) => of(input.settings).list?.next(input) ?? dead("not-supported", "this system has no listing by its connector"),
      expected: (input) => of(input.settings).list?.expected(input) ?? null,
    },
    probe: (input) => of(input.settings).probe?.(input) ?? dead("not-supported", "this connection can't be tested without a delivery"),
  };
}

function isNative(settings: unknown): boolean {
  return isRecord(settings) && "baseUrl" in settings;
}
