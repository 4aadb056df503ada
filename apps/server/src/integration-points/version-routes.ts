import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { z } from "zod";
import { signChanges } from "../access/authorship.ts";
import { change } from "../api/change.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addRoute } from "../api/route.ts";
import { syncTargets } from "../targets.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { checkSettings } from "./check.ts";
import { getIntegrationPoint, updateIntegrationPoint } from "./rows.ts";
import { refuseElsewhere } from "./secrets.ts";
import { refuseUnsaid } from "./system.ts";
import { listVersions, readVersion } from "./versions.ts";

const VersionCursor = z.object({ version: z.int() });

/** What an integration point was before, and the way back. */
export function registerPointVersions(app: FastifyInstance, { pools }: Pick<Deps, "pools">): void {
  addRoute(app, routes.listIntegrationPointVersions, ({ tenant: { tenantId }, params: { integrationPointId: id }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await getIntegrationPoint(client, tenantId, id);
      const before = readCursor(VersionCursor, query.cursor)?.version ?? null;
      const rows = await listVersions(client, { tenantId, id, before, limit: query.limit + 1 });
      return pageAfter(rows, query.limit, ({ version }) => ({ version }));
    }),
  );

  addRoute(
    app,
    routes.restoreIntegrationPointVersion,
    ({ tenant: { tenantId }, principal, params: { integrationPointId: id, version }, body, request, reply }) =>
      change(pools.app, request, async (client, trail) => {
        const stored = await getIntegrationPoint(client, tenantId, id, "lock");
        trail.before = stored;
        checkVersion(request, stored);
        await signChanges(client, { tenantId, principal, reason: body.reason, restored: version });
        const content = await readVersion(client, tenantId, id, version);
        // What is switched in operation stays as it is. The connector may have become stricter since.
        const wanted = { ...content, isActive: stored.isActive, settings: checkSettings(stored.connector, content.settings) };
        refuseElsewhere(stored, wanted.settings, {});
        await refuseUnsaid(client, tenantId, stored, wanted.settings);
        await updateIntegrationPoint(client, { tenantId, stored, change: wanted, credentials: null });
        await syncTargets(client, { tenantId, integrationPointId: id });
        return tagVersion(reply, await getIntegrationPoint(client, tenantId, id));
      }),
  );
}
