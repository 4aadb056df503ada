import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { sealCredentials } from "../credentials.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { addRoute } from "../route.ts";
import { syncTargets } from "../targets.ts";
import { checkVersion, tagVersion } from "../versions.ts";
import { checkCredentials, checkSettings } from "./check.ts";
import { getIntegrationPoint, listIntegrationPoints } from "./rows.ts";

export function registerIntegrationPoints(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.listIntegrationPoints, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({
      items: await listIntegrationPoints(client, tenantId, query.subtenant ?? null),
    })),
  );

  addRoute(app, routes.createIntegrationPoint, ({ tenant: { tenantId }, body, reply }) => {
    const settings = checkSettings(body.connector, body.settings);
    const credentials = checkCredentials(body.connector, body.credentials);
    return inTenant(pools.app, tenantId, async (client) => {
      const subtenant = await client.query<{ id: number }>("select id from hub.subtenant where tenant_id = $1 and code = $2", [
        tenantId,
        body.subtenantCode,
      ]);
      if (!subtenant.rows[0]) throw new ApiError("unknown-subtenant");
      // The id is drawn first: the sealed credentials name the record that they belong to.
      const drawn = await client.query<{ id: number }>("select nextval('hub.integration_point_id_seq')::integer as id");
      const id = drawn.rows[0]?.id ?? Number.NaN;
      const inserted = await client.query(insertSql, [
        tenantId,
        id,
        subtenant.rows[0].id,
        body.connector,
        body.code,
        body.name,
        body.environment,
        body.direction,
        body.deliveryMode,
        body.entityTypes,
        settings,
        sealCredentials(keys.credentials, { tenantId, integrationPointId: id }, credentials),
        Object.keys(credentials),
        body.retry,
        body.ratePerSecond,
        body.concurrency,
      ]);
      if (inserted.rowCount === 0) throw new ApiError("already-exists");
      await syncTargets(client, { tenantId, integrationPointId: id });
      return tagVersion(reply, await getIntegrationPoint(client, tenantId, id));
    });
  });

  addRoute(app, routes.updateIntegrationPoint, ({ tenant: { tenantId }, params: { integrationPointId: id }, body, request, reply }) =>
    inTenant(pools.app, tenantId, async (client) => {
      const stored = await getIntegrationPoint(client, tenantId, id, "lock");
      checkVersion(request, stored);
      const credentials = body.credentials && checkCredentials(stored.connector, body.credentials);
      await client.query(updateSql, [
        tenantId,
        id,
        body.name ?? stored.name,
        body.entityTypes ?? stored.entityTypes,
        body.settings ? checkSettings(stored.connector, body.settings) : stored.settings,
        credentials !== undefined,
        credentials ? sealCredentials(keys.credentials, { tenantId, integrationPointId: id }, credentials) : null,
        credentials ? Object.keys(credentials) : null,
        body.retry ?? stored.retry,
        body.ratePerSecond === undefined ? stored.ratePerSecond : body.ratePerSecond,
        body.concurrency ?? stored.concurrency,
        body.isActive ?? stored.isActive,
      ]);
      await syncTargets(client, { tenantId, integrationPointId: id });
      return tagVersion(reply, await getIntegrationPoint(client, tenantId, id));
    }),
  );

  addRoute(app, routes.pauseIntegrationPoint, ({ tenant: { tenantId }, params: { integrationPointId: id }, body, reply }) =>
    inTenant(pools.app, tenantId, async (client) => {
      await getIntegrationPoint(client, tenantId, id, "lock");
      await client.query("update hub.integration_point set is_paused = $3, version = version + 1 where tenant_id = $1 and id = $2", [
        tenantId,
        id,
        body.isPaused,
      ]);
      await syncTargets(client, { tenantId, integrationPointId: id });
      return tagVersion(reply, await getIntegrationPoint(client, tenantId, id));
    }),
  );
}

const insertSql = `
  insert into hub.integration_point
    (tenant_id, id, subtenant_id, connector, code, name, environment, direction, delivery_mode, entity_types, settings, credentials,
     credential_names, retry, rate_per_second, concurrency)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  on conflict do nothing`;

const updateSql = `
  update hub.integration_point
  set name = $3, entity_types = $4, settings = $5, credentials = case when $6 then $7 else credentials end,
    credential_names = case when $6 then $8 else credential_names end, retry = $9, rate_per_second = $10, concurrency = $11, is_active = $12,
    version = version + 1
  where tenant_id = $1 and id = $2`;
