import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes } from "@crossdock/contract";
import { listMessages } from "@crossdock/queue";
import { actorSql, actorValues } from "../actor.ts";
import type { AppParts } from "../app-parts.ts";
import { mayCaller, type Principal } from "../access.ts";
import { change } from "../change.ts";
import { checkPayload } from "../concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { tellExternalNews } from "../external-news.ts";
import { createOnce } from "../idempotency.ts";
import { addListRoute } from "../list-route.ts";
import { toMessage } from "../message-rows.ts";
import { readMasking } from "../masking.ts";
import { addRoute } from "../route.ts";
import { readSubtenantCodes } from "../subtenant-codes.ts";
import { matchingSql } from "./matching.ts";
import { toArrival, toCheck } from "./replay.ts";
import { countExternalMessages, getExternalMessage, listExternalMessages, readBodies } from "./rows.ts";

/** One raw message may hold many documents for many targets; more than these are found by the list of messages. */
const messagesMax = 500;
/** Messages that one call changes at most, so that its transaction stays short; the caller asks again while there are more. */
const batchSize = 1000;
const countMax = 10_000;

// In the order of ids, so that two operators who remove the same messages wait for each other instead of dead-locking.
const lockSql = (isRemoved: boolean): string => `
  select id from hub.external_message
  where tenant_id = $1 and id = any($2::bigint[]) and removed_at is ${isRemoved ? "not null" : "null"} order by id for update`;
const removeSql = `
  with own as materialized (${lockSql(false)})
  update hub.external_message message set removed_at = now(), removed_by = ${actorSql("$1", "$3", "$4")}
  from own where message.tenant_id = $1 and message.id = own.id returning message.id::text`;
const restoreSql = `
  with own as materialized (${lockSql(true)})
  update hub.external_message message set removed_at = null, removed_by = null
  from own where message.tenant_id = $1 and message.id = own.id returning message.id::text`;

export function registerExternalMessages(
  app: FastifyInstance,
  deps: Deps,
  { directory, intake }: Pick<AppParts, "directory" | "intake">,
): void {
  const { pools, config, keys } = deps;
  addListRoute(
    app,
    deps,
    { list: routes.listExternalMessages, exported: routes.exportExternalMessages },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        await checkPayload(client, { tenantId, principal, key: keys.masking }, query.payload);
        return listExternalMessages(client, tenantId, permitted(principal, query));
      }),
    { documents: readBodies },
  );

  addRoute(app, routes.countExternalMessages, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await checkPayload(client, { tenantId, principal, key: keys.masking }, query.payload);
      const count = await countExternalMessages(client, tenantId, permitted(principal, query), countMax + 1);
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
      const wanted = "ids" in body ? body.ids : await matchingIds(client, tenantId, permitted(principal, body.filter));
      const ids = await run(client, tenantId, removeSql, [wanted, ...actorValues(principal)]);
      return { ids, hasMore: !("ids" in body) && wanted.length === batchSize };
    }),
  );

  addRoute(app, routes.restoreExternalMessages, ({ tenant: { tenantId }, body, request }) =>
    change(pools.app, request, async (client) => ({ ids: await run(client, tenantId, restoreSql, [body.ids]) })),
  );
}

async function matchingIds(client: pg.ClientBase, tenantId: number, filter: Parameters<typeof matchingSql>[2]): Promise<string[]> {
  const { sql, values } = await matchingSql(client, tenantId, filter, { before: null, limit: batchSize });
  return (await client.query<{ id: string }>(`select id::text from (${sql}) found`, values)).rows.map(({ id }) => id);
}

/** Ids of what the statement changed; live consoles are told when that is anything. */
async function run(client: pg.ClientBase, tenantId: number, sql: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql, [tenantId, ...values]);
  if (rows.length > 0) await tellExternalNews(client, tenantId);
  return rows.map(({ id }) => id);
}

/** Who may not reveal finds nothing out by searching for it either: a search goes by keys alone. */
function permitted<Wish extends { search?: string | undefined; key?: string | undefined }>(principal: Principal, filter: Wish): Wish {
  const { search, key } = filter;
  if (search === undefined || mayCaller(principal, "reveal")) return filter;
  return { ...filter, search: undefined, key: key ?? search };
}
