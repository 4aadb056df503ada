import { z } from "zod";
import type { KeyRing } from "./key-ring.ts";
import type { SealedPlace } from "./sealing.ts";

export type Owner = { tenantId: number; integrationPointId: number };

export const credentialsPlace = ({ tenantId, integrationPointId }: Owner): SealedPlace => ({
  tenantId,
  record: `integration_point ${integrationPointId}`,
  field: "credentials",
});

/** The form in which hub.integration_point keeps credentials; null when there are none. */
export function sealCredentials(keys: KeyRing, owner: Owner, credentials: Record<string, unknown>): Buffer | null {
  return Object.keys(credentials).length === 0 ? null : keys.sealEnvelope(credentialsPlace(owner), JSON.stringify(credentials));
}

/** Null when the bytes belong to another integration point or were sealed with a key that is not known. */
export function openCredentials(keys: KeyRing, owner: Owner, sealed: Buffer | null): Record<string, unknown> | null {
  if (sealed === null) return {};
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(keys.openEnvelope(credentialsPlace(owner), sealed)));
  } catch {
    return null;
  }
}
