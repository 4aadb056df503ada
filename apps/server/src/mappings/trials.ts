import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { AppParts } from "../app-parts.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addRoute } from "../route.ts";
import { checkMissing, listMissing, previewDraft } from "./drafts.ts";

/** What mappings do or would do to real messages; nothing is sent or saved. */
export function registerMappingTrials(app: FastifyInstance, { pools }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.previewMappings, async ({ tenant: { tenantId }, body }) => {
    const configuration = await directory.of(tenantId);
    return previewDraft(pools.readOnly, tenantId, configuration, body);
  });

  addRoute(app, routes.listMissingMappings, async ({ tenant: { tenantId } }) => {
    const configuration = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, (client) => listMissing(client, tenantId, configuration));
  });

  addRoute(app, routes.checkMissingMappings, async ({ tenant: { tenantId }, body: { mappings } }) => {
    const configuration = await directory.of(tenantId);
    return checkMissing(pools.readOnly, tenantId, configuration, mappings);
  });
}
