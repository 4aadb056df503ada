import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type ExternalMessage } from "@crossdock/contract";
import { listMessages } from "@crossdock/queue";
import { actorName } from "../actors.ts";
import type { AppParts } from "../app-parts.ts";
import { change } from "../change.ts";
import { checkPayload } from "../concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { explainSkipped, removeExternalMessages, restoreExternalMessages } from "../external-message-changes.ts";
import { matchingSql, permittedFilter, type Filter } from "../external-message-matching.ts";
import { toArrival, toCheck } from "../external-message-replay.ts";
import { createOnce } from "../idempotency.ts";
import { addListRoute } from "../list-route.ts";
import { toMessage } from "../message-rows.ts";
import { readMasking } from "../masking.ts";
import { addRoute, type RouteContext } from "../route.ts";
import { addScanRoute, scanBySteps, walkScan, type Scan } from "../scanning.ts";
import { readSubtenantCodes } from "../subtenant-codes.ts";
import { countExternalMessages, getExternalMessage, listExternalMessages, lookAtExternalMessages, readBodies } from "./rows.ts";

/** One raw message may hold many documents for many targets; more than these are found by the list of messages. */
const messagesMax = 500;
/** Messages that one call changes at most, so that its transaction stays short; the caller asks again while there are more. */
const batchSize = 1000;
const countMax = 10_000;

export function registerExternalMessages(
  app: FastifyInstance,
  deps: Deps,
  { directory, intake }: Pick<AppParts, "directory" | "intake">,
): void {
  const { pools, config, keys } = deps;
  type Asked = Pick<RouteContext<unknown, Filter & { cursor?: string | undefined }, unknown>, "tenant" | "principal" | "query">;
  const scanFor = async ({ tenant: { tenantId }, principal, query }: Asked): Promise<Scan<ExternalMessage>> => {
    await inTenant(pools.readOnly, tenantId, (client) => checkPayload(client, { tenantId, principal, key: keys.masking }, query.payload));
    const { cursor, ...filter } = permittedFilter(principal, query);
    return scanBySteps(cursor, (client, place) => lookAtExternalMessages(client, tenantId, filter, place));
  };
  addListRoute(
    app,
    deps,
    { list: routes.listExternalMessages, exported: routes.exportExternalMessages },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        await checkPayload(client, { tenantId, principal, key: keys.masking }, query.payload);
        return listExternalMessages(client, tenantId, permittedFilter(principal, query));
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
      await checkPayload(client, { tenantId, principal, key: keys.masking }, query.payload);
      const count = await countExternalMessages(client, tenantId, permittedFilter(principal, query), countMax + 1);
      return { count: Math.min(count, countMax), isExact: count <= countMax };
    }),
  );

  addRoute(app, routes.getExternalMessage, ({ tenant: { tenantId }, params: { externalMessageId: originId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const message = await getExternalMessage(client, tenantId, originId);
      if (!message) throw notFound();
      const codes = await readSubtenantCodes(client, tenantId);
      const published = await listMessages(client, { tenantId, filter: { originId }, limit: messagesMax });
      const { maskText } = await readMasking(client, tenantId, keys.masking);
      return { ...message, body: maskText(message.body), messages: published.items.map((item) => toMessage(item, codes)) };
    }),
  );

  // As JSON text, every character of a message may take two.
  const bodyLimit = 2 * config.bodyLimitBytes;
  addRoute(
    app,
    routes.checkExternalMessage,
    async ({ tenant: { tenantId }, params, body }) => {
      const arrival = await inTenant(pools.readOnly, tenantId, (client) =>
        toArrival(client, directory, tenantId, params.externalMessageId, body),
      );
      return toCheck(await intake.check(arrival));
    },
    { bodyLimit },
  );

  addRoute(
    app,
    routes.replayExternalMessage,
    (context) => {
      const { tenantId } = context.tenant;
      const { params, body } = context;
      return createOnce(pools.app, tenantId, context, async (client) => {
        const arrival = await toArrival(client, directory, tenantId, params.externalMessageId, body);
        const { externalMessageId: id, state, reasons, messageIds } = await intake.receiveIn(client, arrival);
        return { id, state, reasons, messageIds };
      });
    },
    { bodyLimit },
  );

  addRoute(app, routes.removeExternalMessages, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = body;
      if ("filter" in body) await checkPayload(client, { tenantId, principal, key: keys.masking }, body.filter.payload);
      const wanted = "ids" in body ? body.ids : await matchingIds(client, tenantId, permittedFilter(principal, body.filter));
      const ids = await removeExternalMessages(client, tenantId, wanted, await actorName(client, tenantId, principal));
      const skipped = "ids" in body ? await explainSkipped(client, tenantId, body.ids, ids) : [];
      return { ids, skipped, hasMore: !("ids" in body) && wanted.length === batchSize };
    }),
  );

  addRoute(app, routes.restoreExternalMessages, ({ tenant: { tenantId }, body, request }) =>
    change(pools.app, request, async (client) => {
      const ids = await restoreExternalMessages(client, tenantId, body.ids);
      return { ids, skipped: await explainSkipped(client, tenantId, body.ids, ids) };
    }),
  );
}

async function matchingIds(client: pg.ClientBase, tenantId: number, filter: Parameters<typeof matchingSql>[2]): Promise<string[]> {
  const { sql, values } = await matchingSql(client, tenantId, filter, { before: null, limit: batchSize });
  return (await client.query<{ id: string }>(`select id::text from (${sql}) found`, values)).rows.map(({ id }) => id);
}
