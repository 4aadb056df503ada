import { z } from "zod";
import { seal, unseal } from "./sealing.ts";

type Owner = { tenantId: number; integrationPointId: number };

const place = ({ tenantId, integrationPointId }: Owner) => ({
  tenantId,
  record: `integration_point ${integrationPointId}`,
  field: "credentials",
});

/** The form in which hub.integration_point keeps credentials; null when there are none. */
export function sealCredentials(key: Buffer, owner: Owner, credentials: Record<string, unknown>): Buffer | null {
  return Object.keys(credentials).length === 0 ? null : seal(key, place(owner), JSON.stringify(credentials));
}

/** Throws when the bytes belong to another integration point or were sealed with another secret. */
export function openCredentials(key: Buffer, owner: Owner, sealed: Buffer | null): Record<string, unknown> {
  return sealed === null ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(unseal(key, place(owner), sealed)));
}
