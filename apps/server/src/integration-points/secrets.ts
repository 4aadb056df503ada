import type { IntegrationPoint } from "@crossdock/contract";
import type pg from "pg";
import { openCredentials } from "../credentials.ts";
import { ApiError } from "../errors.ts";
import { because } from "../faults.ts";
import type { KeyRing } from "../key-ring.ts";

const credentialsSql = "select credentials from hub.integration_point where tenant_id = $1 and id = $2";

type Stored = { keys: KeyRing; tenantId: number; point: Pick<IntegrationPoint, "id" | "credentialNames"> };

/** The credentials as they are stored. Throws conflict for those that cannot be opened, as long as not each of them is given anew. */
export async function openStored(
  client: pg.ClientBase,
  { keys, tenantId, point }: Stored,
  given: object,
): Promise<Record<string, unknown>> {
  const { id, credentialNames } = point;
  const { rows } = await client.query<{ credentials: Buffer | null }>(credentialsSql, [tenantId, id]);
  const opened = openCredentials(keys, { tenantId, integrationPointId: id }, rows[0]?.credentials ?? null);
  if (opened === null && !credentialNames.every((name) => Object.hasOwn(given, name)))
    throw new ApiError("conflict", because("credentials-closed"));
  return opened ?? {};
}

/** Sets single ones; null takes one away. */
export function withSecrets(credentials: Record<string, unknown>, secrets: Record<string, string | null>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...credentials, ...secrets }).filter(([, value]) => value !== null));
}
