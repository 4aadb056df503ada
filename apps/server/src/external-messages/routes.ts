import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { listMessages } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { addRoute } from "../route.ts";
import { getExternalMessage, listExternalMessages } from "./rows.ts";

/** One raw message may hold many documents for many targets; more than these are found by the list of messages. */
const messagesMax = 500;

export function registerExternalMessages(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listExternalMessages, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, (client) => listExternalMessages(client, tenantId, query)),
  );

  addRoute(app, routes.getExternalMessage, ({ tenant: { tenantId }, params: { externalMessageId: originId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const message = await getExternalMessage(client, tenantId, originId);
      if (!message) throw notFound();
      const published = await listMessages(client, { tenantId, filter: { originId }, limit: messagesMax });
      return { ...message, messageIds: published.items.map((item) => item.messageId) };
    }),
  );
}
