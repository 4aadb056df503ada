import type { FastifyInstance } from "fastify";
import { connectors } from "@crossdock/connectors";
import { routes, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { change } from "../change.ts";
import { pageAfter, readCursor } from "../cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors.ts";
import { createOnce } from "../idempotency.ts";
import { addRoute } from "../route.ts";
import {
  cancelRun,
  getRun,
  getSchedule,
  insertSchedule,
  listRunLines,
  listRuns,
  listSchedules,
  removeSchedule,
  startRun,
  updateSchedule,
} from "./rows.ts";
import { databaseNow, nextAt } from "./timing.ts";

const RunCursor = z.object({ id: z.int() });
const LineCursor = z.object({ id: z.string().regex(/^\d{1,18}$/) });

export function registerSchedules(app: FastifyInstance, { pools }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.listSchedules, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ items: await listSchedules(client, tenantId, query.subtenant ?? null) })),
  );

  addRoute(app, routes.createSchedule, (context) => {
    const { tenant, body } = context;
    const { tenantId } = tenant;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const timing = { cron: body.cron ?? null, everySeconds: body.everySeconds ?? null };
      await requirePullable(directory, tenantId, body.integrationPointId, body.entityType);
      const first = nextAt(timing, await databaseNow(client));
      const id = await insertSchedule(client, tenantId, {
        ...timing,
        ...body,
        cron: timing.cron,
        everySeconds: timing.everySeconds,
        nextAt: first,
      });
      if (id === null) throw new ApiError("already-exists");
      return getSchedule(client, tenantId, id);
    });
  });

  addRoute(app, routes.updateSchedule, ({ tenant: { tenantId }, params: { scheduleId }, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const stored = await getSchedule(client, tenantId, scheduleId, "lock");
      trail.before = stored;
      const timing = timingOf(stored, body);
      const isActive = body.isActive ?? stored.isActive;
      const next = nextAt(timing, await databaseNow(client));
      await updateSchedule(client, tenantId, scheduleId, { ...timing, isActive, nextAt: next, fromStart: body.fromStart ?? false });
      return getSchedule(client, tenantId, scheduleId);
    }),
  );

  addRoute(app, routes.removeSchedule, ({ tenant: { tenantId }, params: { scheduleId }, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = await getSchedule(client, tenantId, scheduleId, "lock");
      await removeSchedule(client, tenantId, scheduleId);
      return undefined;
    }),
  );

  addRoute(app, routes.runSchedule, ({ tenant: { tenantId }, principal, params: { scheduleId }, request }) =>
    change(pools.app, request, async (client, trail) => {
      await getSchedule(client, tenantId, scheduleId);
      const { runId, isNew } = await startRun(client, tenantId, scheduleId, principal);
      trail.isChange = isNew;
      return getRun(client, tenantId, runId);
    }),
  );

  registerRuns(app, pools);
}

function registerRuns(app: FastifyInstance, pools: Deps["pools"]): void {
  addRoute(app, routes.listRuns, ({ tenant: { tenantId }, query: { cursor, limit, ...filter } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
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

/** Throws not-found for a point that the tenant does not have, and conflict for a source that can't be asked. */
async function requirePullable(directory: AppParts["directory"], tenantId: number, pointId: number, entityType: EntityType): Promise<void> {
  const point = (await directory.of(tenantId)).points.get(pointId);
  if (!point) throw notFound();
  const connector = connectors[point.connector];
  const { pull } = connector.servedBy?.(point.settings) ?? connector;
  if (point.direction === "target" || !point.entityTypes.includes(entityType))
    throw new ApiError("conflict", { detail: `The integration point '${point.code}' is no source of this entity type.` });
  if (!pull?.entityTypes.includes(entityType))
    throw new ApiError("conflict", { detail: `This system can't be asked for ${entityType} messages.` });
}

function timingOf(
  stored: { cron: string | null; everySeconds: number | null },
  body: { cron?: string | undefined; everySeconds?: number | undefined },
) {
  if (body.cron !== undefined && body.everySeconds !== undefined)
    throw new ApiError("bad-request", { detail: "Either cron or everySeconds." });
  if (body.cron !== undefined) return { cron: body.cron, everySeconds: null };
  if (body.everySeconds !== undefined) return { cron: null, everySeconds: body.everySeconds };
  return { cron: stored.cron, everySeconds: stored.everySeconds };
}
