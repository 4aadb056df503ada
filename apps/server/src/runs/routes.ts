import type { FastifyInstance } from "fastify";
import { routes, type Run, type RunState } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { change, type Trail } from "../api/change.ts";
import { IdCursor, pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";
import { noteToolboxRun } from "../toolbox-history.ts";
import { readFailure } from "./line-text.ts";
import { cancelRun, getRun, insertRun, listRunLines, listRuns, pauseRun, readFileOf, resumeRun } from "./rows.ts";
import { requireAble } from "./what.ts";

const RunCursor = z.object({ id: z.int() });

/** All runs, present and past, whatever started them. */
export function registerRuns(app: FastifyInstance, deps: Deps, directory: AppParts["directory"]): void {
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

  addRoute(app, routes.createRun, async (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    const configuration = await directory.fresh(tenantId);
    return createOnce(pools.app, tenantId, context, async (client) => {
      const able = requireAble(configuration, body);
      const keys = body.kind === "resync" && body.keys && { keys: [...new Set(body.keys)] };
      const options = { ...able.options, ...keys, ...(body.reason && { reason: body.reason }) };
      const id = await insertRun(client, tenantId, principal, { ...able, kind: body.kind, entityType: body.entityType, options });
      if (id === null) throw new ApiError("conflict", because("run-open"));
      if (body.isFromToolbox && (body.kind === "reconciliation" || body.kind === "resync")) {
        const { integrationPointId, entityType } = body;
        const operation = body.kind === "reconciliation" ? ("reconcile" as const) : ("resync" as const);
        await noteToolboxRun(client, tenantId, principal, { operation, parameters: { integrationPointId, entityType }, runId: id });
      }
      return getRun(client, tenantId, id);
    });
  });

  addRoute(app, routes.getRun, ({ tenant: { tenantId }, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const run = await getRun(client, tenantId, params.runId);
      const file = await readFileOf(client, tenantId, run.id);
      return { ...run, file, failure: run.fault === null ? null : readFailure(run.fault) };
    }),
  );

  addRoute(app, routes.listRunLines, ({ tenant: { tenantId }, params: { runId }, query: { cursor, limit } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await getRun(client, tenantId, runId);
      const rows = await listRunLines(client, tenantId, runId, readCursor(IdCursor, cursor)?.id ?? "0", limit + 1);
      return pageAfter(rows, limit, ({ id }) => ({ id }));
    }),
  );

  addRoute(app, routes.cancelRun, ({ tenant: { tenantId }, params: { runId }, request }) =>
    change(pools.app, request, (client, trail) => moveRun(client, trail, { tenantId, runId }, cancelRun, "cancelled")),
  );

  addRoute(app, routes.pauseRun, ({ tenant: { tenantId }, params: { runId }, request }) =>
    change(pools.app, request, (client, trail) => moveRun(client, trail, { tenantId, runId }, pauseRun, "paused")),
  );

  addRoute(app, routes.resumeRun, ({ tenant: { tenantId }, params: { runId }, request }) =>
    change(pools.app, request, (client, trail) => moveRun(client, trail, { tenantId, runId }, resumeRun, null)),
  );
}

/** Changes nothing if the run is in that state already; throws conflict if it can't get there. */
async function moveRun(
  client: pg.ClientBase,
  trail: Trail,
  { tenantId, runId }: { tenantId: number; runId: number },
  move: (client: pg.ClientBase, tenantId: number, id: number) => Promise<boolean>,
  to: RunState | null,
): Promise<Run> {
  const stored = await getRun(client, tenantId, runId, "lock");
  trail.before = stored;
  const isMoved = await move(client, tenantId, runId);
  if (!isMoved && stored.state !== to) throw new ApiError("conflict", because("run-state", { state: stored.state }));
  trail.isChange = isMoved;
  return getRun(client, tenantId, runId);
}
