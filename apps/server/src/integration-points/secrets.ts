import type pg from "pg";
import { openCredentials } from "../credentials.ts";
import type { KeyRing } from "../key-ring.ts";

const credentialsSql = "select credentials from hub.integration_point where tenant_id = $1 and id = $2";

/** The credentials as they are stored. */
export async function openStored(client: pg.ClientBase, keys: KeyRing, tenantId: number, id: number): Promise<Record<string, unknown>> {
  const { rows } = await client.query<{ credentials: Buffer | null }>(credentialsSql, [tenantId, id]);
  return openCredentials(keys, { tenantId, integrationPointId: id }, rows[0]?.credentials ?? null);
}

/** Sets single ones; null takes one away. */
export function withSecrets(credentials: Record<string, unknown>, secrets: Record<string, string | null>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...credentials, ...secrets }).filter(([, value]) => value !== null));
}
