import type { FastifyInstance } from "fastify";
import { routes, type ExternalItem, type Routes } from "@crossdock/contract";
import type { z } from "zod";
import { actorName } from "../access/actor.ts";
import { capped, countMax } from "../api/capped-count.ts";
import { change } from "../api/change.ts";
import { permitPayload } from "../masking/concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute, type RouteContext } from "../api/route.ts";
import { addScanRoute, scanBySteps, walkScan, type Scan } from "../api/scanning.ts";
import { tellExternalNews } from "../external-messages/news.ts";
import { importItems, undoImport } from "./import.ts";
import { explainSkipped } from "./skipped.ts";
import { countExternalItems, findMatching, listExternalItems, lookAtExternalItems, removeItems, restoreItems } from "./rows.ts";

/** Items that one call removes at most, so that its transaction stays short; the caller asks again while there are more. */
const batchSize = 1000;
/** 50,000 lines of about 150 bytes. */
const importBytesMax = 8 * 1024 * 1024;

export function registerExternalItems(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  type Query = Omit<z.output<NonNullable<Routes["scanExternalItems"]["query"]>>, "limit">;
  type Asked = Pick<RouteContext<unknown, Query, unknown>, "tenant" | "principal" | "query">;
  const scanFor = async ({ tenant: { tenantId }, principal, query }: Asked): Promise<Scan<ExternalItem>> => {
    const { cursor, ...asked } = query;
    const filter = await inTenant(pools.readOnly, tenantId, (client) =>
      permitPayload(client, { tenantId, principal, key: keys.masking }, asked),
    );
    return scanBySteps(cursor, (client, place) => lookAtExternalItems(client, tenantId, filter, place));
  };
  addListRoute(
    app,
    deps,
    { list: routes.listExternalItems, exported: routes.exportExternalItems },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const filter = await permitPayload(client, { tenantId, principal, key: keys.masking }, query);
        return listExternalItems(client, tenantId, filter);
      }),
    {
      walk: ({ tenant, principal, query }, signal) =>
        query.payload === undefined
          ? null
          : walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query: { ...query, cursor: undefined } }), signal),
    },
  );

  addScanRoute(app, deps, routes.scanExternalItems, scanFor);

  addRoute(app, routes.countExternalItems, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const filter = await permitPayload(client, { tenantId, principal, key: keys.masking }, query);
      return capped(await countExternalItems(client, tenantId, filter, countMax + 1));
    }),
  );

  addRoute(app, routes.removeExternalItems, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = body;
      const caller = { tenantId, principal, key: keys.masking };
      const items =
        "items" in body
          ? body.items
          : (await Array.fromAsync(findMatching(client, tenantId, await permitPayload(client, caller, body.filter), batchSize))).flat();
      const removed = await removeItems(client, tenantId, items, await actorName(client, tenantId, principal));
      const removedIds = removed.map(({ id }) => id);
      trail.isChange = removedIds.length > 0;
      if (removedIds.length > 0) await tellExternalNews(client, tenantId);
      const skipped = "items" in body ? await explainSkipped(client, tenantId, items, removed) : [];
      return { removedIds, skipped, hasMore: "filter" in body && items.length === batchSize };
    }),
  );

  addRoute(app, routes.restoreExternalItems, ({ tenant: { tenantId }, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const items = await restoreItems(client, tenantId, body.removedIds);
      trail.isChange = items.length > 0;
      const restored = items.filter(({ isRestored }) => isRestored).length;
      if (restored > 0) await tellExternalNews(client, tenantId);
      return { restored, madeAnew: items.length - restored, unknown: new Set(body.removedIds).size - items.length };
    }),
  );

  addRoute(
    app,
    routes.importExternalItems,
    ({ tenant: { tenantId }, body: { csv, isDryRun }, request }) =>
      change(pools.app, request, async (client, trail) => {
        const result = await importItems(client, tenantId, csv, isDryRun);
        const isWritten = !isDryRun && result.errorCount === 0 && result.created + result.updated > 0;
        trail.isChange = isWritten;
        if (isWritten) await tellExternalNews(client, tenantId);
        return result;
      }),
    { bodyLimit: importBytesMax },
  );

  addRoute(app, routes.undoExternalItemImport, ({ tenant: { tenantId }, params, request }) =>
    change(pools.app, request, async (client) => {
      const undone = await undoImport(client, tenantId, params.importId);
      if (undone.restored + undone.removed > 0) await tellExternalNews(client, tenantId);
      return undone;
    }),
  );
}
