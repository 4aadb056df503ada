import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { mayCaller, type Principal } from "../access/access.ts";
import type { AppParts } from "../app-parts.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addRoute } from "../api/route.ts";
import { checkMissing, listMissing, previewDraft, type TrialScope } from "./drafts.ts";

/** What mappings do or would do to real messages; nothing is sent or saved. */
export function registerMappingTrials(app: FastifyInstance, { pools }: Deps, directory: AppParts["directory"]): void {
  const scopeOf = async (tenantId: number, principal: Principal): Promise<TrialScope> => ({
    tenantId,
    directory: await directory.fresh(tenantId),
    mayReveal: mayCaller(principal, "reveal"),
  });

  addRoute(app, routes.previewMappings, async ({ tenant: { tenantId }, principal, body }) =>
    previewDraft(pools.readOnly, await scopeOf(tenantId, principal), body),
  );

  addRoute(app, routes.listMissingMappings, async ({ tenant: { tenantId }, principal }) => {
    const scope = await scopeOf(tenantId, principal);
    return inTenant(pools.readOnly, tenantId, (client) => listMissing(client, scope));
  });

  addRoute(app, routes.checkMissingMappings, async ({ tenant: { tenantId }, principal, body: { mappings } }) =>
    checkMissing(pools.readOnly, await scopeOf(tenantId, principal), mappings),
  );
}
