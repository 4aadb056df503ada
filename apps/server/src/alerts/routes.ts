import type { FastifyInstance } from "fastify";
import { routes, type AlertEvent, type AlertState, type alertRoutesAt } from "@crossdock/contract";
import { z } from "zod";
import type pg from "pg";
import { personOf, type Principal } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import { change } from "../api/change.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { requireFuture } from "../api/future.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";
import { scopeOfInstallation, scopeOfTenant, type Scope } from "../api/scopes.ts";
import { findSubtenantId } from "../subtenants/codes.ts";
import { requireOperator } from "../access/tenant-people.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { readOldestOrders, readStockAges } from "./delays.ts";
import {
  addEvents,
  countFiring,
  getAlert,
  listAlerts,
  listByIds,
  listEvents,
  listNewestNotifications,
  markRead,
  readUnread,
  writeAlerts,
  type AlertChange,
} from "./rows.ts";
import { readStreams } from "./streams.ts";

const Cursor = z.object({ id: z.int() });

/** How many would have to be missed where no rule says so. */
const silentFrom = 8;

export function registerAlerts(app: FastifyInstance, deps: Deps): void {
  registerAt(app, deps, scopeOfTenant, {
    list: routes.listAlerts,
    get: routes.getAlert,
    exported: routes.exportAlerts,
    update: routes.updateAlert,
    updateMany: routes.updateAlerts,
    listNotifications: routes.listNotifications,
    markNotificationsRead: routes.markNotificationsRead,
  });
  registerAt(app, deps, scopeOfInstallation, {
    list: routes.listInstallationAlerts,
    get: routes.getInstallationAlert,
    exported: routes.exportInstallationAlerts,
    update: routes.updateInstallationAlert,
    updateMany: routes.updateInstallationAlerts,
    listNotifications: routes.listInstallationNotifications,
    markNotificationsRead: routes.markInstallationNotificationsRead,
  });
  registerDelays(app, deps);
}

type AlertRoutes = ReturnType<typeof alertRoutesAt> & { exported: typeof routes.exportAlerts };

function registerAt(app: FastifyInstance, deps: Deps, scopeOf: Scope, at: AlertRoutes): void {
  const { pools } = deps;
  addListRoute(app, deps, at, (context) => {
    const tenantId = scopeOf(context);
    const { cursor, limit, ...filter } = context.query;
    return inTenant(pools.readOnly, tenantId, async (client) => {
      const rows = await listAlerts(client, tenantId, filter, readCursor(Cursor, cursor)?.id ?? null, limit + 1);
      return { ...pageAfter(rows, limit, ({ id }) => ({ id })), openCount: await countFiring(client, tenantId) };
    });
  });

  addRoute(app, at.get, (context) => {
    const tenantId = scopeOf(context);
    const { alertId } = context.params;
    return inTenant(pools.readOnly, tenantId, async (client) => ({
      ...tagVersion(context.reply, await getAlert(client, tenantId, alertId)),
      events: await listEvents(client, tenantId, alertId),
    }));
  });

  addRoute(app, at.update, (context) => {
    const tenantId = scopeOf(context);
    const { principal, body, request, reply } = context;
    const { alertId } = context.params;
    return change(pools.app, request, async (client, trail) => {
      const stored = await getAlert(client, tenantId, alertId, "lock");
      checkVersion(request, stored);
      if (stored.state === "recovered") throw new ApiError("conflict", because("alert-recovered"));
      trail.before = stored;
      trail.target = { kind: "alerts", id: String(alertId) };
      await changeAlerts(client, tenantId, principal, [alertId], body);
      return tagVersion(reply, await getAlert(client, tenantId, alertId));
    });
  });

  addRoute(app, at.updateMany, (context) => {
    const tenantId = scopeOf(context);
    const { principal, request } = context;
    const { ids: wanted, ...body } = context.body;
    return change(pools.app, request, async (client, trail) => {
      const found = await listByIds(client, tenantId, wanted, "lock");
      const before = found.filter(({ state }) => isChangeable(state, body.state));
      const ids = before.map(({ id }) => id);
      await changeAlerts(client, tenantId, principal, ids, body);
      trail.before = before;
      trail.after = await listByIds(client, tenantId, ids);
      trail.isChange = ids.length > 0;
      const states = new Map(found.map(({ id, state }) => [id, state]));
      const skipped = [...new Set(wanted)]
        .filter((id) => !ids.includes(id))
        .map((id) => ({ id: String(id), state: states.get(id) ?? null }));
      return { ids, skipped };
    });
  });

  addRoute(app, at.listNotifications, (context) => {
    const tenantId = scopeOf(context);
    const { principal, query } = context;
    return inTenant(pools.readOnly, tenantId, async (client) => {
      // Counted first: what comes in between must not be counted without being listed.
      const unread = principal.kind === "user" ? await readUnread(client, tenantId, principal.userId) : { readUpTo: "0", unreadCount: 0 };
      return { items: await listNewestNotifications(client, tenantId, query.limit), ...unread };
    });
  });

  addRoute(app, at.markNotificationsRead, (context) => {
    const tenantId = scopeOf(context);
    const { userId } = personOf(context.principal);
    return inTenant(pools.app, tenantId, async (client) => {
      await markRead(client, tenantId, userId, context.body.upTo);
      return undefined;
    });
  });
}

async function changeAlerts(
  client: pg.ClientBase,
  tenantId: number,
  principal: Principal,
  ids: number[],
  { state, snoozedUntil, ownerId }: AlertChange,
): Promise<void> {
  requireFuture("snoozedUntil", snoozedUntil);
  const by = await actorName(client, tenantId, principal);
  const ownerName = ownerId == null ? null : (await requireOperator(client, tenantId, ownerId)).name;
  const userId = principal.kind === "user" ? principal.userId : null;
  await writeAlerts(client, tenantId, ids, { state, snoozedUntil, ownerId, userId });
  if (state !== undefined) await addEvents(client, tenantId, ids, { kind: eventOf[state], actorName: by, detail: snoozedUntil ?? null });
  if (ownerId !== undefined) await addEvents(client, tenantId, ids, { kind: "assigned", actorName: by, detail: ownerName });
}

/** Whether an alert in this state takes part in the change of many. */
function isChangeable(state: AlertState, next: "firing" | "acknowledged" | undefined): boolean {
  if (next === undefined) return state !== "recovered";
  return next === "acknowledged" ? state === "firing" : state === "acknowledged" || state === "snoozed";
}

const eventOf: Record<Exclude<AlertState, "recovered">, AlertEvent["kind"]> = {
  firing: "reopened",
  acknowledged: "acknowledged",
  snoozed: "snoozed",
};

function registerDelays(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.getDelays, ({ tenant: { tenantId }, query: { subtenant } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const subtenantId = subtenant === undefined ? null : await findSubtenantId(client, tenantId, subtenant);
      const { rows } = await client.query<{ now: Date; threshold: number | null }>(
        `select clock_timestamp() as now,
           (select min(threshold) from hub.alert_rule where tenant_id = $1 and kind = 'silence' and is_active and removed_at is null) as threshold`,
        [tenantId],
      );
      const now = rows[0]?.now ?? new Date();
      const threshold = rows[0]?.threshold ?? silentFrom;
      const streams = await readStreams(client, tenantId, { now, subtenantId });
      const stock = await readStockAges(client, tenantId, subtenantId, now);
      return {
        streams: streams.map(({ subtenantCode, entityType, lastAt, usualPerHour, missed }) => ({
          subtenantCode,
          entityType,
          lastAt: lastAt.toISOString(),
          usualPerHour,
          missed,
          isSilent: missed >= threshold,
        })),
        orders: await readOldestOrders(client, tenantId, subtenantId),
        stock: stock.map(({ subtenantCode, receivedAt }) => ({ subtenantCode, receivedAt: receivedAt.toISOString() })),
      };
    }),
  );
}
