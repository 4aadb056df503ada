import type { FastifyInstance } from "fastify";
import { routes, type AlertEvent, type AlertState, type alertRoutesAt } from "@crossdock/contract";
import { z } from "zod";
import { personOf } from "../access.ts";
import { actorName } from "../actor.ts";
import { change, installation } from "../change.ts";
import { pageAfter, readCursor } from "../cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors.ts";
import { because } from "../faults.ts";
import { addRoute } from "../route.ts";
import { scopeOfInstallation, scopeOfTenant, type Scope } from "../scopes.ts";
import { checkVersion, tagVersion } from "../versions.ts";
import { readOldestOrders, readStockAges } from "./delays.ts";
import {
  addEvent,
  countFiring,
  getAlert,
  listAlerts,
  listEvents,
  listNewestNotifications,
  markRead,
  readUnread,
  writeAlert,
} from "./rows.ts";
import { requireOwner } from "./rule-rows.ts";
import { readStreams } from "./streams.ts";

const Cursor = z.object({ id: z.int() });

/** How many would have to be missed where no rule says so. */
const silentFrom = 8;

export function registerAlerts(app: FastifyInstance, deps: Deps): void {
  registerAt(app, deps, scopeOfTenant, {
    list: routes.listAlerts,
    get: routes.getAlert,
    update: routes.updateAlert,
    listNotifications: routes.listNotifications,
    markNotificationsRead: routes.markNotificationsRead,
  });
  registerAt(app, deps, scopeOfInstallation, {
    list: routes.listInstallationAlerts,
    get: routes.getInstallationAlert,
    update: routes.updateInstallationAlert,
    listNotifications: routes.listInstallationNotifications,
    markNotificationsRead: routes.markInstallationNotificationsRead,
  });
  registerDelays(app, deps);
}

function registerAt(app: FastifyInstance, { pools }: Deps, scopeOf: Scope, at: ReturnType<typeof alertRoutesAt>): void {
  addRoute(app, at.list, (context) => {
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
      const actor =
        tenantId === installation ? await nameOf(client, personOf(principal).userId) : await actorName(client, tenantId, principal);
      const state = body.state ?? stored.state;
      const snoozedUntil = state === "snoozed" ? (body.snoozedUntil ?? stored.snoozedUntil) : null;
      const ownerId = body.ownerId === undefined ? (stored.owner?.id ?? null) : body.ownerId;
      const ownerName = body.ownerId == null ? null : await requireOwner(client, tenantId, body.ownerId);
      await writeAlert(client, tenantId, alertId, { state, snoozedUntil, ownerId });
      if (body.state !== undefined)
        await addEvent(client, tenantId, alertId, { kind: eventOf[body.state], actorName: actor, detail: snoozedUntil });
      if (body.ownerId !== undefined) await addEvent(client, tenantId, alertId, { kind: "assigned", actorName: actor, detail: ownerName });
      return tagVersion(reply, await getAlert(client, tenantId, alertId));
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

const eventOf: Record<Exclude<AlertState, "recovered">, AlertEvent["kind"]> = {
  firing: "reopened",
  acknowledged: "acknowledged",
  snoozed: "snoozed",
};

async function nameOf(client: { query: Deps["pools"]["app"]["query"] }, userId: number): Promise<string> {
  const { rows } = await client.query<{ name: string }>(`select coalesce(nullif(name, ''), email) as name from hub."user" where id = $1`, [
    userId,
  ]);
  return rows[0]?.name ?? "–";
}

const subtenantSql = "select id from hub.subtenant where tenant_id = $1 and code = $2";

function registerDelays(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.getDelays, ({ tenant: { tenantId }, query: { subtenant } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const known = subtenant === undefined ? [] : (await client.query<{ id: number }>(subtenantSql, [tenantId, subtenant])).rows;
      if (subtenant !== undefined && !known[0]) throw notFound();
      const subtenantId = known[0]?.id ?? null;
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
