import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { z } from "zod";
import { signChanges } from "../access/authorship.ts";
import { change } from "../api/change.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { checkVersion } from "../api/versions.ts";
import { lockMappings } from "./rows.ts";
import { currentVersion, listVersions, readToRestore, readVersion, restoreVersion } from "./versions.ts";

const Cursor = z.object({ version: z.int() });

export function registerMappingVersions(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listMappingVersions, ({ tenant: { tenantId }, query: { cursor, limit } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const rows = await listVersions(client, tenantId, readCursor(Cursor, cursor)?.version ?? null, limit + 1);
      return pageAfter(rows, limit, ({ version }) => ({ version }));
    }),
  );

  addRoute(app, routes.getMappingVersion, ({ tenant: { tenantId }, params: { version } }) =>
    inTenant(pools.readOnly, tenantId, (client) => readVersion(client, tenantId, version)),
  );

  addRoute(app, routes.restoreMappingVersion, ({ tenant: { tenantId }, principal, params: { version }, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      await lockMappings(client, tenantId);
      const current = await currentVersion(client, tenantId);
      checkVersion(request, { version: current });
      // Versions have no gaps.
      if (version > current) throw notFound();
      await signChanges(client, { tenantId, principal, reason: body.reason, restored: version });
      const { toRestore } = await readToRestore(client, tenantId, version);
      trail.before = toRestore.map(({ before }) => before);
      trail.after = toRestore.map(({ after }) => after);
      const changes = await restoreVersion(client, tenantId, version);
      trail.isChange = changes > 0;
      return { version: await currentVersion(client, tenantId), changes };
    }),
  );
}
