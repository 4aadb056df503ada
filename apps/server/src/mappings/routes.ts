import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { capped, countMax } from "../api/capped-count.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";
import { registerMappingEdits, registerMappingSets } from "./change-routes.ts";
import { countMappings, listMappings } from "./rows.ts";
import { registerMappingTrials } from "./trials.ts";
import { registerMappingVersions } from "./version-routes.ts";

const Cursor = z.object({ id: z.int() });

export function registerMappings(app: FastifyInstance, deps: Deps, directory: AppParts["directory"]): void {
  const { pools } = deps;
  registerMappingEdits(app, deps);
  registerMappingSets(app, deps);
  registerMappingVersions(app, deps);
  registerMappingTrials(app, deps, directory);

  addListRoute(
    app,
    deps,
    { list: routes.listMappings, exported: routes.exportMappings },
    ({ tenant: { tenantId }, query: { cursor, limit, ...filter } }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const rows = await listMappings(client, tenantId, filter, readCursor(Cursor, cursor)?.id ?? null, limit + 1);
        return pageAfter(rows, limit, ({ id }) => ({ id }));
      }),
  );

  addRoute(app, routes.countMappings, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      return capped(await countMappings(client, tenantId, query, countMax + 1));
    }),
  );
}
