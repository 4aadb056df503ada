import pg from "pg";
import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { sealCredentials } from "../keys/credentials.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { syncTargets } from "../targets.ts";

export type TestPoint = {
  connector?: ConnectorCode;
  code: string;
  sourceTypes?: EntityType[];
  targetTypes?: EntityType[];
  deliveryMode?: "push" | "pull";
  environment?: "production" | "development";
  settings?: Record<string, unknown>;
  credentials?: Record<string, string>;
  ratePerSecond?: number;
  isActive?: boolean;
};

export type TestTenant = {
  tenantId: number;
  subtenantId: number;
  /** Ids and hook ids by code. */
  points: Record<string, { id: number; hookId: string }>;
  /** An API key with the role gateway. */
  apiKey: string;
};

/** A tenant `code` with one subtenant `shop` and the given integration points, queues included. */
export async function makeTenant(deps: Deps, ownerUrl: string, code: string, points: TestPoint[]): Promise<TestTenant> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    const tenantId = await insertId(owner, "insert into hub.tenant (code, name) values ($1, $1) returning id", [code]);
    const subtenantId = await insertId(
      owner,
      "insert into hub.subtenant (tenant_id, code, name) values ($1, 'shop', 'Shop') returning id",
      [tenantId],
    );
    const made: TestTenant["points"] = {};
    for (const point of points) made[point.code] = await insertPoint(owner, deps, tenantId, subtenantId, point);
    const apiKey = `cdk_${code}`;
    await owner.query(
      "insert into hub.api_key (tenant_id, name, prefix, hash, role) values ($1, 'test', 'cdk_', sha256($2::bytea), 'gateway')",
      [tenantId, Buffer.from(apiKey)],
    );
    await inTenant(deps.pools.app, tenantId, (client) => syncTargets(client, { tenantId }));
    return { tenantId, subtenantId, points: made, apiKey };
  } finally {
    await owner.end();
  }
}

async function insertPoint(
  owner: pg.Client,
  deps: Deps,
  tenantId: number,
  subtenantId: number,
  point: TestPoint,
): Promise<{ id: number; hookId: string }> {
  const { rows } = await owner.query<{ id: number; hookId: string }>(
    `insert into hub.integration_point (tenant_id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, retry, rate_per_second,
       is_active)
     values ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id, hook_id as "hookId"`,
    [
      tenantId,
      subtenantId,
      point.connector ?? "magento",
      point.code,
      point.environment ?? "production",
      point.deliveryMode ?? "push",
      point.sourceTypes ?? [],
      point.targetTypes ?? [],
      point.settings ?? {},
      { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 1000 },
      point.ratePerSecond ?? null,
      point.isActive ?? true,
    ],
  );
  const [made] = rows;
  if (!made) throw new Error("no integration point was made");
  const sealed = sealCredentials(deps.keys.credentials, { tenantId, integrationPointId: made.id }, point.credentials ?? {});
  await owner.query("update hub.integration_point set credentials = $3 where tenant_id = $1 and id = $2", [tenantId, made.id, sealed]);
  return made;
}

async function insertId(owner: pg.Client, sql: string, values: unknown[]): Promise<number> {
  const { rows } = await owner.query<{ id: number }>(sql, values);
  const [row] = rows;
  if (!row) throw new Error("nothing was inserted");
  return row.id;
}
