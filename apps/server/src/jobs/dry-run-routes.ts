import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { AppParts } from "../app-parts.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { readMasking } from "../masking/masking.ts";
import { addRoute } from "../api/route.ts";
import { countPatch, dryRunPatch } from "./patch-dry-run.ts";
import { countRedirect, dryRunRedirect } from "./redirect-dry-run.ts";

/** What a patch or a redirect would do, before it is started. */
export function registerDryRuns(app: FastifyInstance, { pools, keys }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.dryRunJob, ({ tenant: { tenantId }, params: { jobId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const { items, nextCursor } = await dryRunPatch(client, tenantId, { jobId, ...query });
      const { maskText } = await readMasking(client, tenantId, keys.masking);
      const masked = items.map((item) => ({ ...item, before: maskText(item.before), after: item.after && maskText(item.after) }));
      return { items: masked, nextCursor };
    }),
  );

  addRoute(app, routes.countDryRun, ({ tenant: { tenantId }, params: { jobId } }) =>
    inTenant(pools.readOnly, tenantId, (client) => countPatch(client, tenantId, jobId)),
  );

  addRoute(app, routes.dryRunRedirect, async ({ tenant: { tenantId }, params: { jobId }, query }) => {
    const present = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, (client) => dryRunRedirect(client, tenantId, present, { jobId, ...query }));
  });

  addRoute(app, routes.countRedirect, async ({ tenant: { tenantId }, params: { jobId } }) => {
    const present = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, (client) => countRedirect(client, tenantId, present, jobId));
  });
}
