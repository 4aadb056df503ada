import type { FastifyInstance } from "fastify";
import { routes, type Entity, type Routes } from "@crossdock/contract";
import type { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { permitPayload } from "../masking/concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { addListRoute } from "../api/list-route.ts";
import { readMasking } from "../masking/masking.ts";
import { addRoute, type RouteContext } from "../api/route.ts";
import { addScanRoute, scanBySteps, walkScan, type Scan } from "../api/scanning.ts";
import { readRelated } from "../related-objects.ts";
import { noteToolboxRun } from "../toolbox-history.ts";
import { resyncEntity } from "./resync.ts";
import { findEntity, findVersion, listEntities, listEntityTypes, listVersions, lookAtEntities, readEntityDocuments } from "./rows.ts";
import { readTargets } from "./targets.ts";

export function registerEntities(app: FastifyInstance, deps: Deps, directory: AppParts["directory"]): void {
  const { pools, keys } = deps;
  addRoute(app, routes.listEntityTypes, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ items: await listEntityTypes(client, tenantId, query.subtenant ?? null) })),
  );

  type Query = Omit<z.output<NonNullable<Routes["scanEntities"]["query"]>>, "limit">;
  type Asked = Pick<RouteContext<unknown, Query, unknown>, "tenant" | "principal" | "query">;
  const scanFor = async ({ tenant: { tenantId }, principal, query }: Asked): Promise<Scan<Entity>> => {
    const { cursor, ...asked } = query;
    const filter = await inTenant(pools.readOnly, tenantId, (client) =>
      permitPayload(client, { tenantId, principal, key: keys.masking }, asked),
    );
    return scanBySteps(cursor, (client, place) => lookAtEntities(client, tenantId, filter, place));
  };
  addListRoute(
    app,
    deps,
    { list: routes.listEntities, exported: routes.exportEntities },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const filter = await permitPayload(client, { tenantId, principal, key: keys.masking }, query);
        return listEntities(client, tenantId, filter);
      }),
    {
      documents: readEntityDocuments,
      walk: ({ tenant, principal, query }, signal) =>
        query.payload === undefined
          ? null
          : walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query: { ...query, cursor: undefined } }), signal),
    },
  );

  addScanRoute(app, deps, routes.scanEntities, scanFor);

  addRoute(app, routes.getEntity, async ({ tenant: { tenantId }, query }) => {
    const configuration = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, async (client) => {
      const entity = await findEntity(client, tenantId, query);
      if (!entity) throw notFound();
      const versions = await listVersions(client, tenantId, query);
      const targets = await readTargets(client, tenantId, configuration, entity);
      const { maskText } = configuration.masking;
      const related = await readRelated(client, tenantId, entity, maskText);
      return { ...entity, document: maskText(entity.document), versions, targets, related };
    });
  });

  addRoute(app, routes.getEntityVersion, ({ tenant: { tenantId }, query: { version, ...name } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const document = await findVersion(client, tenantId, name, version);
      if (document === null) throw notFound();
      return { document: (await readMasking(client, tenantId, keys.masking)).maskText(document) };
    }),
  );

  addRoute(app, routes.resyncEntity, async (context) => {
    const { tenantId } = context.tenant;
    const { isFromToolbox, ...wanted } = context.body;
    const configuration = await directory.of(tenantId);
    return createOnce(pools.app, tenantId, context, async (client) => {
      const answer = await resyncEntity(client, tenantId, configuration, wanted);
      if (isFromToolbox)
        await noteToolboxRun(client, tenantId, context.principal, { operation: "resync", parameters: wanted, result: answer });
      return answer;
    });
  });
}
