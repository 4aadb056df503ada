import type pg from "pg";
import { connectors } from "@crossdock/connectors";
import { IntegrationPoint, type IntegrationPointChange, type NewIntegrationPoint } from "@crossdock/contract";
import type { z } from "zod";
import { notFound } from "../errors/errors.ts";
import { pauseOfPointSql } from "../pause-of-point.ts";

const columns = `
  point.id, subtenant.code as "subtenantCode", point.connector, point.code, point.name, point.environment,
  point.delivery_mode as "deliveryMode", point.source_types as "sourceTypes", point.target_types as "targetTypes", point.settings, point.credential_names as "credentialNames",
  point.retry, point.rate_per_second as "ratePerSecond", point.concurrency, point.hook_id as "hookId", point.is_active as "isActive",
  point.is_paused as "isPaused", ${pauseOfPointSql("point")} as pause, point.version`;

const source = `
  from hub.integration_point point join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1`;

const listSql = `select ${columns} ${source} and ($2::text is null or subtenant.code = $2) order by subtenant.code, point.connector, point.code`;
const getSql = `select ${columns} ${source} and point.id = $2`;

export async function listIntegrationPoints(
  client: pg.ClientBase,
  tenantId: number,
  subtenantCode: string | null,
): Promise<IntegrationPoint[]> {
  const { rows } = await client.query(listSql, [tenantId, subtenantCode]);
  return rows.map(toPoint);
}

/** Throws not-found. With `lock` the row stays as it is until the transaction ends. */
export async function getIntegrationPoint(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<IntegrationPoint> {
  const { rows } = await client.query(lock ? `${getSql} for update of point` : getSql, [tenantId, id]);
  if (!rows[0]) throw notFound();
  return toPoint(rows[0]);
}

const Stored = IntegrationPoint.omit({ lacking: true });

function toPoint(row: unknown): IntegrationPoint {
  const stored = Stored.parse(row);
  return { ...stored, lacking: lackingOf(stored) };
}

/** What the connector asks for and is not there; of credentials the names tell. */
function lackingOf({ connector, deliveryMode, targetTypes, settings, credentialNames }: z.output<typeof Stored>): string[] {
  if (deliveryMode === "pull" || targetTypes.length === 0) return [];
  const credentials = Object.fromEntries(credentialNames.map((name) => [name, "set"]));
  const question = connectors[connector].probe?.({ settings, credentials });
  if (!question || !("kind" in question)) return [];
  return (question.fields ?? []).filter((name) => !credentialNames.includes(name));
}

/** Credentials in the form that is stored, with their names. */
export type SealedCredentials = { sealed: Buffer | null; names: string[] };

const insertSql = `
  insert into hub.integration_point
    (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, credentials,
     credential_names, retry, rate_per_second, concurrency)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict do nothing`;

type NewRow = {
  tenantId: number;
  id: number;
  subtenantId: number;
  point: z.output<typeof NewIntegrationPoint>;
  credentials: SealedCredentials;
};

/** False when the tenant has an integration point of this code already. */
export async function insertIntegrationPoint(
  client: pg.ClientBase,
  { tenantId, id, subtenantId, point, credentials }: NewRow,
): Promise<boolean> {
  const inserted = await client.query(insertSql, [
    tenantId,
    id,
    subtenantId,
    point.connector,
    point.code,
    point.name,
    point.environment,
    point.deliveryMode,
    point.sourceTypes,
    point.targetTypes,
    point.settings,
    credentials.sealed,
    credentials.names,
    point.retry,
    point.ratePerSecond,
    point.concurrency,
  ]);
  return inserted.rowCount === 1;
}

const updateSql = `
  update hub.integration_point
  set name = $3, target_types = $4, settings = $5, credentials = case when $6 then $7 else credentials end,
    credential_names = case when $6 then $8 else credential_names end, retry = $9, rate_per_second = $10, concurrency = $11, is_active = $12,
    source_types = $13, delivery_mode = $14, system = system + $15,
    system_at = case when $15 > 0 then clock_timestamp() else system_at end,
    version = version + 1
  where tenant_id = $1 and id = $2`;

type Change = {
  tenantId: number;
  stored: IntegrationPoint;
  change: z.output<typeof IntegrationPointChange>;
  credentials: SealedCredentials | null;
};

/** What the change does not name stays as it is stored; with `credentials` null these stay, too. */
export async function updateIntegrationPoint(client: pg.ClientBase, { tenantId, stored, change, credentials }: Change): Promise<void> {
  await client.query(updateSql, [
    tenantId,
    stored.id,
    change.name ?? stored.name,
    change.targetTypes ?? stored.targetTypes,
    change.settings ?? stored.settings,
    credentials !== null,
    credentials?.sealed ?? null,
    credentials?.names ?? null,
    change.retry ?? stored.retry,
    // Null is a value here: no limit.
    change.ratePerSecond === undefined ? stored.ratePerSecond : change.ratePerSecond,
    change.concurrency ?? stored.concurrency,
    change.isActive ?? stored.isActive,
    change.sourceTypes ?? stored.sourceTypes,
    change.deliveryMode ?? stored.deliveryMode,
    // What a delivery under way brings of the system before is not kept, nor are parts of its objects taken for the new one's.
    change.isAnotherSystem ? 1 : 0,
  ]);
}
