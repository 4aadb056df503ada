import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes } from "@crossdock/contract";
import type { TenantScope } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import type { AppParts } from "../app-parts.ts";
import { change } from "../api/change.ts";
import { permitPayload } from "../masking/concealing.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { explainSkipped, removeExternalMessages, restoreExternalMessages } from "./changes.ts";
import { matchingSql, permittedFilter } from "./matching.ts";
import { toArrival, toCheck, type Correction } from "./replay.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";

/** Messages that one call changes at most, so that its transaction stays short; the caller asks again while there are more. */
const batchSize = 1000;

/** What people do with raw messages: correct and replay one, remove and restore some. */
export function registerExternalMessageChanges(
  app: FastifyInstance,
  { pools, config, keys }: Deps,
  { directory, intake }: Pick<AppParts, "directory" | "intake">,
): void {
  // As JSON text, every character of a message may take two.
  const bodyLimit = 2 * config.bodyLimitBytes;
  const translate = async ({ tenantId }: TenantScope, { externalMessageId }: { externalMessageId: string }, body: Correction) => {
    const configuration = await directory.of(tenantId);
    const arrival = await inTenant(pools.readOnly, tenantId, (client) =>
      toArrival(client, configuration, tenantId, externalMessageId, body),
    );
    return { arrival, translation: await intake.check(arrival) };
  };
  addRoute(
    app,
    routes.checkExternalMessage,
    async ({ tenant, params, body }) => toCheck((await translate(tenant, params, body)).translation),
    { bodyLimit },
  );

  addRoute(
    app,
    routes.replayExternalMessage,
    async (context) => {
      const { tenantId } = context.tenant;
      // Before the transaction: no connection of the database waits for what a connector computes.
      const { arrival, translation } = await translate(context.tenant, context.params, context.body);
      return createOnce(pools.app, tenantId, context, async (client) => {
        const { externalMessageId: id, state, reasons, messageIds } = await intake.receiveIn(client, arrival, translation);
        return { id, state, reasons, messageIds };
      });
    },
    { bodyLimit },
  );

  addRoute(app, routes.removeExternalMessages, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = body;
      const caller = { tenantId, principal, key: keys.masking };
      const wanted =
        "ids" in body
          ? body.ids
          : await matchingIds(client, tenantId, await permitPayload(client, caller, permittedFilter(principal, body.filter)));
      const ids = await removeExternalMessages(client, { tenantId, ids: wanted, by: await actorName(client, tenantId, principal) });
      trail.isChange = ids.length > 0;
      const skipped = "ids" in body ? await explainSkipped(client, tenantId, body.ids, ids) : [];
      return { ids, skipped, hasMore: !("ids" in body) && wanted.length === batchSize };
    }),
  );

  addRoute(app, routes.restoreExternalMessages, ({ tenant: { tenantId }, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const ids = await restoreExternalMessages(client, { tenantId, ids: body.ids });
      trail.isChange = ids.length > 0;
      return { ids, skipped: await explainSkipped(client, tenantId, body.ids, ids) };
    }),
  );
}

async function matchingIds(client: pg.ClientBase, tenantId: number, filter: Parameters<typeof matchingSql>[2]): Promise<string[]> {
  const { sql, values } = await matchingSql(client, tenantId, filter, { before: null, limit: batchSize });
  return (await client.query<{ id: string }>(`select id::text from (${sql}) found`, values)).rows.map(({ id }) => id);
}
