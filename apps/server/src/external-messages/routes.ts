import type { FastifyInstance } from "fastify";
import { routes, type ExternalMessage, type Routes } from "@crossdock/contract";
import type { z } from "zod";
import { listMessages } from "@crossdock/queue";
import type { AppParts } from "../app-parts.ts";
import { capped, countMax } from "../api/capped-count.ts";
import { permitPayload } from "../masking/concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { permittedFilter } from "./matching.ts";
import { addListRoute } from "../api/list-route.ts";
import { toMessage } from "../messages/rows.ts";
import { maskedBytes, readMasking } from "../masking/masking.ts";
import { addRoute, type RouteContext } from "../api/route.ts";
import { addScanRoute, scanBySteps, walkScan, type Scan } from "../api/scanning.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { registerExternalMessageChanges } from "./change-routes.ts";
import { groupRejected } from "./groups.ts";
import { countExternalMessages, getExternalMessage, listExternalMessages, lookAtExternalMessages, readBodies } from "./rows.ts";

/** One raw message may hold many documents for many targets; more than these are found by the list of messages. */
const messagesMax = 500;

export function registerExternalMessages(app: FastifyInstance, deps: Deps, parts: Pick<AppParts, "directory" | "intake">): void {
  const { pools, keys } = deps;
  registerExternalMessageChanges(app, deps, parts);

  type Asked = Pick<
    RouteContext<unknown, Omit<z.output<NonNullable<Routes["scanExternalMessages"]["query"]>>, "limit">, unknown>,
    "tenant" | "principal" | "query"
  >;
  const scanFor = async ({ tenant: { tenantId }, principal, query }: Asked): Promise<Scan<ExternalMessage>> => {
    const { cursor, ...asked } = permittedFilter(principal, query);
    const filter = await inTenant(pools.readOnly, tenantId, (client) =>
      permitPayload(client, { tenantId, principal, key: keys.masking }, asked),
    );
    return scanBySteps(cursor, (client, place) => lookAtExternalMessages(client, tenantId, filter, place));
  };
  addListRoute(
    app,
    deps,
    { list: routes.listExternalMessages, exported: routes.exportExternalMessages },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const filter = await permitPayload(client, { tenantId, principal, key: keys.masking }, permittedFilter(principal, query));
        return listExternalMessages(client, tenantId, filter);
      }),
    {
      documents: readBodies,
      walk: ({ tenant, principal, query }, signal) =>
        query.payload === undefined
          ? null
          : walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query: { ...query, cursor: undefined } }), signal),
    },
  );

  addScanRoute(app, deps, routes.scanExternalMessages, scanFor);

  addRoute(app, routes.countExternalMessages, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const filter = await permitPayload(client, { tenantId, principal, key: keys.masking }, permittedFilter(principal, query));
      return capped(await countExternalMessages(client, tenantId, filter, countMax + 1));
    }),
  );

  addRoute(app, routes.listExternalMessageGroups, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, (client) => groupRejected(client, tenantId, query)),
  );

  addRoute(app, routes.getExternalMessage, ({ tenant: { tenantId }, params: { externalMessageId: originId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const message = await getExternalMessage(client, tenantId, originId);
      if (!message) throw notFound();
      const codes = await readSubtenantCodes(client, tenantId);
      const published = await listMessages(client, { tenantId, filter: { originId }, limit: messagesMax });
      const { maskText } = await readMasking(client, tenantId, keys.masking);
      const body = message.bodyEncoding === "utf-8" ? maskText(message.body) : maskedBytes.toString("base64");
      return { ...message, body, messages: published.items.map((item) => toMessage(item, codes)) };
    }),
  );
}
