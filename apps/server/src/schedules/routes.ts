import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { AppParts } from "../app-parts.ts";
import { change } from "../api/change.ts";
import { databaseNow } from "../clocks.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { closedBecause } from "../intake/directory.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { getRun } from "../runs/rows.ts";
import { requireAble } from "../runs/what.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { getSchedule, insertSchedule, listSchedules, removeSchedule, restoreSchedule, startRun, updateSchedule } from "./rows.ts";
import { nextAt } from "./timing.ts";

export function registerSchedules(app: FastifyInstance, { pools }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.listSchedules, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ items: await listSchedules(client, tenantId, query.subtenant ?? null) })),
  );

  addRoute(app, routes.createSchedule, async (context) => {
    const { tenant, body, reply } = context;
    const { tenantId } = tenant;
    const configuration = await directory.fresh(tenantId);
    return createOnce(pools.app, tenantId, context, async (client) => {
      const able = requireAble(configuration, body);
      const timing = { cron: body.cron ?? null, everySeconds: body.everySeconds ?? null };
      const id = await insertSchedule(client, tenantId, { ...body, ...able, ...timing, nextAt: nextAt(timing, await databaseNow(client)) });
      if (id === null) throw new ApiError("already-exists");
      return tagVersion(reply, await getSchedule(client, tenantId, id));
    });
  });

  addRoute(app, routes.updateSchedule, ({ tenant: { tenantId }, params: { scheduleId }, body, request, reply }) =>
    change(pools.app, request, async (client, trail) => {
      const stored = await getSchedule(client, tenantId, scheduleId, "lock");
      checkVersion(request, stored);
      trail.before = stored;
      const timing = timingOf(stored, body);
      const isActive = body.isActive ?? stored.isActive;
      const next = nextAt(timing, await databaseNow(client));
      await updateSchedule(client, tenantId, scheduleId, { ...timing, isActive, nextAt: next, fromStart: body.fromStart ?? false });
      return tagVersion(reply, await getSchedule(client, tenantId, scheduleId));
    }),
  );

  addRoute(app, routes.removeSchedule, ({ tenant: { tenantId }, params: { scheduleId }, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = await removeSchedule(client, tenantId, scheduleId);
      return undefined;
    }),
  );

  addRoute(app, routes.restoreSchedule, ({ tenant: { tenantId }, params: { scheduleId }, request, reply }) =>
    change(pools.app, request, async (client) => tagVersion(reply, await restoreSchedule(client, tenantId, scheduleId))),
  );

  addRoute(app, routes.runSchedule, async ({ tenant: { tenantId }, principal, params: { scheduleId }, request }) => {
    const configuration = await directory.fresh(tenantId);
    return change(pools.app, request, async (client, trail) => {
      const schedule = await getSchedule(client, tenantId, scheduleId);
      requireAble(configuration, schedule);
      const point = configuration.points.get(schedule.integrationPointId ?? 0);
      const closed = schedule.kind === "poll" && point ? closedBecause(configuration, point) : null;
      if (closed !== null) throw new ApiError("conflict", because(closed));
      const { runId, isNew } = await startRun(client, tenantId, scheduleId, principal);
      trail.isChange = isNew;
      return getRun(client, tenantId, runId);
    });
  });
}

function timingOf(
  stored: { cron: string | null; everySeconds: number | null },
  body: { cron?: string | undefined; everySeconds?: number | undefined },
) {
  if (body.cron !== undefined && body.everySeconds !== undefined) throw new ApiError("bad-request", because("timing-one"));
  if (body.cron !== undefined) return { cron: body.cron, everySeconds: null };
  if (body.everySeconds !== undefined) return { cron: null, everySeconds: body.everySeconds };
  return { cron: stored.cron, everySeconds: stored.everySeconds };
}
