import type { FastifyInstance } from "fastify";
import type { alertChannelRoutesAt } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { change } from "../api/change.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import type { Egress } from "../egress/egress.ts";
import { addRoute } from "../api/route.ts";
import type { Scope } from "../api/scopes.ts";
import { getChannel, getDelivery, listDeliveries } from "./channel-rows.ts";
import { tellTest } from "./notices.ts";
import { sendOne } from "./webhooks.ts";

const Cursor = z.object({ id: z.int() });

export type Tools = Pick<AppParts, "mail"> & { egress: Egress };

/** A channel's deliveries, and its test. */
export function registerDeliveriesAt(
  app: FastifyInstance,
  { config, pools, keys }: Deps,
  { mail, egress }: Tools,
  scopeOf: Scope,
  at: Pick<ReturnType<typeof alertChannelRoutesAt>, "test" | "listDeliveries">,
): void {
  addRoute(app, at.test, async (context) => {
    const tenantId = scopeOf(context);
    const { channelId } = context.params;
    const { deliveryId, kind } = await change(pools.app, context.request, async (client, trail) => {
      const { name, kind } = await getChannel(client, tenantId, channelId);
      trail.after = { name, kind };
      const told = await tellTest({ client, tenantId, deps: { config, keys } }, channelId);
      return told ?? { deliveryId: 0, kind: "email" };
    });
    if (kind === "webhook") await sendOne({ pool: pools.app, egress, key: keys.webhooks }, tenantId, { deliveryId });
    else mail.wake();
    return inTenant(pools.app, tenantId, (client) => getDelivery(client, tenantId, deliveryId));
  });

  addRoute(app, at.listDeliveries, (context) => {
    const tenantId = scopeOf(context);
    const { cursor, limit } = context.query;
    return inTenant(pools.readOnly, tenantId, async (client) => {
      await getChannel(client, tenantId, context.params.channelId);
      const rows = await listDeliveries(client, tenantId, context.params.channelId, readCursor(Cursor, cursor)?.id ?? null, limit + 1);
      return pageAfter(rows, limit, ({ id }) => ({ id }));
    });
  });
}
