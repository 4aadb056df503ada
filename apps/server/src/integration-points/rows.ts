import type pg from "pg";
import { IntegrationPoint } from "@crossdock/contract";
import { notFound } from "../errors.ts";

const columns = `
  point.id, subtenant.code as "subtenantCode", point.connector, point.code, point.name, point.environment, point.direction,
  point.delivery_mode as "deliveryMode", point.entity_types as "entityTypes", point.settings, point.credential_names as "credentialNames",
  point.retry, point.rate_per_second as "ratePerSecond", point.concurrency, point.hook_id as "hookId", point.is_active as "isActive",
  point.is_paused as "isPaused", point.version`;

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
  return rows.map((row) => IntegrationPoint.parse(row));
}

/** Throws not-found. With `lock` the row stays as it is until the transaction ends. */
export async function getIntegrationPoint(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<IntegrationPoint> {
  const { rows } = await client.query(lock ? `${getSql} for update of point` : getSql, [tenantId, id]);
  if (!rows[0]) throw notFound();
  return IntegrationPoint.parse(rows[0]);
}
