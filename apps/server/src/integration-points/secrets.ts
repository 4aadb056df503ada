import type { IntegrationPoint } from "@crossdock/contract";
import type pg from "pg";
import { openCredentials } from "../keys/credentials.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { KeyRing } from "../keys/key-ring.ts";

const credentialsSql = "select credentials from hub.integration_point where tenant_id = $1 and id = $2";

type Stored = { keys: KeyRing; tenantId: number; point: Pick<IntegrationPoint, "id" | "credentialNames"> };

/** The stored credentials. Throws conflict if they cannot be opened, unless each of them is given anew. */
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

/** Only check what comes in, and are sent nowhere. */
const unsent = ["webhookSecret", "secondWebhookSecret"];

const addressesIn = (settings: Record<string, unknown>): URL[] =>
  Object.values(settings).flatMap((value) =>
    typeof value === "string" && /^https?:/i.test(value) && URL.canParse(value) ? [new URL(value)] : [],
  );

const originsIn = (settings: Record<string, unknown>): string[] => addressesIn(settings).map(({ origin }) => origin);

/** Whether other settings name another address in place of one that the present ones name. */
export function leadsElsewhere(stored: Record<string, unknown>, settings: Record<string, unknown>): boolean {
  const [before, after] = [stored, settings].map((each) => addressesIn(each).map(({ href }) => href.replace(/\/+$/, "")));
  return before?.some((address) => !after?.includes(address)) === true && after?.some((address) => !before.includes(address)) === true;
}

/**
 * Throws conflict where settings name a host that the stored ones don't, unless each of the stored credentials is given anew or removed:
 * whoever may change an address could otherwise have them sent to a host of their own.
 */
export function refuseElsewhere(
  { settings: stored, credentialNames }: Pick<IntegrationPoint, "settings" | "credentialNames">,
  settings: Record<string, unknown>,
  given: object,
): void {
  const known = originsIn(stored);
  const isElsewhere = originsIn(settings).some((origin) => !known.includes(origin));
  if (isElsewhere && !credentialNames.every((name) => unsent.includes(name) || Object.hasOwn(given, name)))
    throw new ApiError("conflict", because("credentials-elsewhere"));
}

/** Sets single credentials; null removes one. */
export function withSecrets(credentials: Record<string, unknown>, secrets: Record<string, string | null>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...credentials, ...secrets }).filter(([, value]) => value !== null));
}
