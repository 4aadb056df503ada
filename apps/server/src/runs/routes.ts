import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { z } from "zod";
import { change } from "../change.ts";
import { pageAfter, readCursor } from "../cursors.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { addListRoute } from "../list-route.ts";
import { addRoute } from "../route.ts";
import { cancelRun, getRun, listRunLines, listRuns } from "./rows.ts";

const RunCursor = z.object({ id: z.int() });
const LineCursor = z.object({ id: z.string().regex(/^\d{1,18}$/) });

/** What runs and ran, whatever started it. */
export function registerRuns(app: FastifyInstance, deps: Deps): void {
  const { pools } = deps;
  addListRoute(
    app,
    deps,
    { list: routes.listRuns, exported: routes.exportRuns },
    ({ tenant: { tenantId }, query: { cursor, limit, ...filter } }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const rows = await listRuns(client, tenantId, filter, readCursor(RunCursor, cursor)?.id ?? null, limit + 1);
        return pageAfter(rows, limit, ({ id }) => ({ id }));
      }),
  );

  addRoute(app, routes.getRun, ({ tenant: { tenantId }, params }) =>
    inTenant(pools.readOnly, tenantId, (client) => getRun(client, tenantId, params.runId)),
  );

  addRoute(app, routes.listRunLines, ({ tenant: { tenantId }, params: { runId }, query: { cursor, limit } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await getRun(client, tenantId, runId);
      const rows = await listRunLines(client, tenantId, runId, readCursor(LineCursor, cursor)?.id ?? "0", limit + 1);
      return pageAfter(rows, limit, ({ id }) => ({ id }));
    }),
  );

  addRoute(app, routes.cancelRun, ({ tenant: { tenantId }, params: { runId }, request }) =>
    change(pools.app, request, async (client, trail) => {
      const stored = await getRun(client, tenantId, runId);
      trail.before = stored;
      const isCancelled = await cancelRun(client, tenantId, runId);
      if (!isCancelled && stored.state !== "cancelled") throw new ApiError("conflict", { detail: `The run is ${stored.state}.` });
      trail.isChange = isCancelled;
      return getRun(client, tenantId, runId);
    }),
  );
}
