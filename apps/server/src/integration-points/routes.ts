import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type IntegrationPoint, type IntegrationPointChange } from "@crossdock/contract";
import { tryCircuit } from "@crossdock/queue";
import type { z } from "zod";
import { mayCaller, type Principal } from "../access/access.ts";
import type { AppParts } from "../app-parts.ts";
import { actorName } from "../access/actor.ts";
import { signChanges } from "../access/authorship.ts";
import { sealCredentials, type Owner } from "../keys/credentials.ts";
import { change } from "../api/change.ts";
import { drawId, inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { findSubtenantId } from "../subtenants/codes.ts";
import { syncTargets } from "../targets.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { checkCredentials, checkSettings, checkTypes } from "./check.ts";
import { openStored, refuseElsewhere, withSecrets } from "./secrets.ts";
import { forgetSystem, refuseUnsaid } from "./system.ts";
import {
  getIntegrationPoint,
  insertIntegrationPoint,
  listIntegrationPoints,
  updateIntegrationPoint,
  type SealedCredentials,
} from "./rows.ts";
import { registerConfigurationTrials } from "./trials.ts";
import { registerPointVersions } from "./version-routes.ts";

export function registerIntegrationPoints(app: FastifyInstance, deps: Deps, directory: AppParts["directory"]): void {
  const { pools, keys } = deps;
  registerConfigurationTrials(app, deps, directory);
  registerPointVersions(app, deps);

  addRoute(app, routes.listIntegrationPoints, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({
      items: (await listIntegrationPoints(client, tenantId, query.subtenant ?? null)).map((point) => shownTo(principal, point)),
    })),
  );

  addRoute(app, routes.createIntegrationPoint, (context) => {
    const { tenantId } = context.tenant;
    const { body, principal, reply } = context;
    checkTypes(body);
    const point = { ...body, settings: checkSettings(body.connector, body.settings) };
    const credentials = checkCredentials(body.connector, body.credentials, point.settings);
    return createOnce(pools.app, tenantId, context, async (client) => {
      const subtenantId = await findSubtenantId(client, tenantId, body.subtenantCode);
      // Drawn first, as the credentials are sealed for their row's id.
      const id = await drawId(client, "hub.integration_point");
      await signChanges(client, { tenantId, principal });
      const isNew = await insertIntegrationPoint(client, {
        tenantId,
        id,
        subtenantId,
        point,
        credentials: sealFor(keys.credentials, { tenantId, integrationPointId: id }, credentials),
      });
      if (!isNew) throw new ApiError("already-exists");
      await syncTargets(client, { tenantId, integrationPointId: id });
      return tagVersion(reply, await getIntegrationPoint(client, tenantId, id));
    });
  });

  addRoute(
    app,
    routes.updateIntegrationPoint,
    ({ tenant: { tenantId }, principal, params: { integrationPointId: id }, body, request, reply }) =>
      change(pools.app, request, async (client, trail) => {
        const stored = await getIntegrationPoint(client, tenantId, id, "lock");
        trail.before = stored;
        checkVersion(request, stored);
        checkTypes({ sourceTypes: body.sourceTypes ?? stored.sourceTypes, targetTypes: body.targetTypes ?? stored.targetTypes });
        await signChanges(client, { tenantId, principal, reason: body.reason });
        const wanted = { ...body, settings: body.settings && checkSettings(stored.connector, body.settings) };
        if (wanted.settings && !body.credentials) refuseElsewhere(stored, wanted.settings, body.secrets ?? {});
        if (wanted.settings && body.isAnotherSystem === undefined) await refuseUnsaid(client, tenantId, stored, wanted.settings);
        const credentials = await sealChanged(client, keys.credentials, tenantId, stored, wanted);
        await updateIntegrationPoint(client, { tenantId, stored, change: wanted, credentials });
        await syncTargets(client, { tenantId, integrationPointId: id });
        if (body.isAnotherSystem) await forgetSystem(client, tenantId, id, await actorName(client, tenantId, principal));
        const written = await getIntegrationPoint(client, tenantId, id);
        // Masked, it still shows that the credentials have changed.
        trail.after = { ...written, ...(credentials && { credentials: credentials.names }) };
        return tagVersion(reply, written);
      }),
  );

  addRoute(
    app,
    routes.pauseIntegrationPoint,
    ({ tenant: { tenantId }, principal, params: { integrationPointId: id }, body, request, reply }) =>
      change(pools.app, request, async (client, trail) => {
        const { name, isPaused } = await getIntegrationPoint(client, tenantId, id, "lock");
        trail.before = { name, isPaused };
        trail.after = { name, isPaused: body.isPaused };
        await signChanges(client, { tenantId, principal, reason: body.reason });
        await client.query(pauseSql, [tenantId, id, body.isPaused]);
        await syncTargets(client, { tenantId, integrationPointId: id });
        return tagVersion(reply, shownTo(principal, await getIntegrationPoint(client, tenantId, id)));
      }),
  );

  addRoute(app, routes.tryIntegrationPoint, ({ tenant: { tenantId }, params: { integrationPointId: id }, request }) =>
    change(pools.app, request, async (client, trail) => {
      const { name } = await getIntegrationPoint(client, tenantId, id);
      const isTried = await tryCircuit(client, { tenantId, targetId: id });
      trail.after = { name, isTried };
      return { isTried };
    }),
  );
}

/** Where no webhook secret is set, the id is the only one. */
function shownTo(principal: Principal, point: IntegrationPoint): IntegrationPoint {
  return mayCaller(principal, "configure") ? point : { ...point, hookId: null };
}

function sealFor(keys: Deps["keys"]["credentials"], owner: Owner, credentials: Record<string, unknown>): SealedCredentials {
  return { sealed: sealCredentials(keys, owner, credentials), names: Object.keys(credentials) };
}

/** The credentials that the change sets, sealed; null where it leaves them as they are. */
async function sealChanged(
  client: pg.ClientBase,
  keys: Deps["keys"]["credentials"],
  tenantId: number,
  stored: IntegrationPoint,
  change: Change,
): Promise<SealedCredentials | null> {
  if (!change.credentials && !change.secrets) return null;
  const settings = change.settings ?? stored.settings;
  const secrets = change.secrets ?? {};
  const before = change.credentials ?? (await openStored(client, { keys, tenantId, point: stored }, secrets));
  const credentials = checkCredentials(stored.connector, withSecrets(before, secrets), settings);
  return sealFor(keys, { tenantId, integrationPointId: stored.id }, credentials);
}

type Change = Pick<z.output<typeof IntegrationPointChange>, "settings" | "credentials" | "secrets">;

const pauseSql = "update hub.integration_point set is_paused = $3, version = version + 1 where tenant_id = $1 and id = $2";
