import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { MessageId, routes, type Attempt, type MessageState } from "@crossdock/contract";
import { countMessages, listAttempts, listMessages, remove, restore, type AttemptRecord } from "@crossdock/queue";
import { readCursor } from "../api/cursors.ts";
import type { Principal } from "../access/access.ts";
import { capped, countMax } from "../api/capped-count.ts";
import { change } from "../api/change.ts";
import { readConcealing } from "../masking/concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addListRoute } from "../api/list-route.ts";
import { readMasking, type Masking } from "../masking/masking.ts";
import { toMessageFilter } from "./filter.ts";
import { operate } from "./actions.ts";
import { readLinks } from "./repairs.ts";
import { findMessage, readMessageDocuments, toMessage, toPage } from "./rows.ts";
import { isSlow, prepareScan, rowsBy, type FilterQuery, type ScanAsked } from "./scan.ts";
import { addRoute } from "../api/route.ts";
import { addScanRoute, walkScan } from "../api/scanning.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { readDebug } from "./debug.ts";
import { inStates, missingKeys } from "./search.ts";
import { registerTraces } from "./trace-routes.ts";

type States = { state?: MessageState[] | undefined };

export function registerMessages(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  registerTraces(app, deps);
  const filterFor = async (principal: Principal, client: pg.ClientBase, tenantId: number, query: FilterQuery & States) => {
    const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
    return inStates(await toMessageFilter(client, tenantId, query, concealing), query.state);
  };
  const scanFor = (asked: ScanAsked & { query: States }) =>
    prepareScan(deps, asked, { ofList: (filter) => inStates(filter, asked.query.state), begin: rowsBy(toMessage) });

  addListRoute(
    app,
    deps,
    { list: routes.listMessages, exported: routes.exportMessages },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const filter = await filterFor(principal, client, tenantId, query);
        const page = await listMessages(client, { tenantId, filter, cursor: readCursor(MessageId, query.cursor), limit: query.limit });
        return toPage(client, tenantId, page, toMessage);
      }),
    {
      documents: readMessageDocuments,
      walk: ({ tenant, principal, query }, signal) =>
        isSlow(query) ? walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query }), signal) : null,
    },
  );

  addRoute(app, routes.countMessages, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const filter = await filterFor(principal, client, tenantId, query);
      const keysNotFound = await missingKeys(client, tenantId, filter);
      return { ...capped(await countMessages(client, { tenantId, filter, cap: countMax + 1 })), ...(keysNotFound && { keysNotFound }) };
    }),
  );

  addScanRoute(app, deps, routes.scanMessages, scanFor);

  addRoute(app, routes.getMessage, ({ tenant: { tenantId }, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const message = await findMessage(client, tenantId, params.messageId);
      const { document, headers, version, originId, entityVersion } = message;
      const codes = await readSubtenantCodes(client, tenantId);
      const links = await readLinks(client, tenantId, message);
      const { maskText } = await readMasking(client, tenantId, keys.masking);
      return {
        ...toMessage(message, codes),
        document: maskText(document),
        headers,
        version,
        externalMessageId: originId,
        entityVersion,
        ...links,
      };
    }),
  );

  addRoute(app, routes.listAttempts, ({ tenant: { tenantId }, params: { messageId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const { document } = await findMessage(client, tenantId, messageId);
      const masking = await readMasking(client, tenantId, keys.masking);
      const values = masking.valuesIn(document);
      const debug = await readDebug(client, tenantId, messageId);
      const attempts = await listAttempts(client, { tenantId, messageId });
      return { items: attempts.map((attempt) => masked(toAttempt(attempt, debug), masking, values)) };
    }),
  );

  addRoute(app, routes.removeMessages, ({ tenant: { tenantId }, principal, body: { ids }, request }) =>
    change(pools.app, request, (client, trail) =>
      operate(client, { tenantId, principal, verb: "remove", wanted: ids, trail }, (by) =>
        remove(client, { tenantId, messageIds: ids, by }),
      ),
    ),
  );

  addRoute(app, routes.restoreMessages, ({ tenant: { tenantId }, principal, body: { ids }, request }) =>
    change(pools.app, request, (client, trail) =>
      operate(client, { tenantId, principal, verb: "restore", wanted: ids, trail }, () => restore(client, { tenantId, messageIds: ids })),
    ),
  );
}

function toAttempt(
  { errorClass, errorMessage, startedAt, ...attempt }: AttemptRecord,
  debug: Awaited<ReturnType<typeof readDebug>>,
): Attempt {
  return {
    ...attempt,
    debug: debug.get(attempt.number) ?? null,
    startedAt: startedAt.toISOString(),
    outcome: errorClass === null ? "delivered" : "failed",
    error: errorClass === null ? null : { class: errorClass, message: errorMessage ?? "", fingerprint: null },
  };
}

/** `values`: those that are masked in the message, which the target may have been told in another form, and repeat. */
function masked(attempt: Attempt, { maskText, scrub }: Masking, values: readonly string[]): Attempt {
  const { request, response, error, debug } = attempt;
  const maskBody = (body: string | null): string | null => body && maskText(body, values);
  const maskHeaders = (headers: Record<string, string>): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value, values)]));
  const maskRequest = (sent: NonNullable<Attempt["request"]>) => ({
    ...sent,
    url: scrub(sent.url, values),
    headers: maskHeaders(sent.headers),
    body: maskBody(sent.body),
  });
  const maskResponse = (answer: Attempt["response"]) =>
    answer && { ...answer, headers: maskHeaders(answer.headers), body: maskBody(answer.body) };
  return {
    ...attempt,
    request: request && maskRequest(request),
    response: maskResponse(response),
    debug: debug && debug.map((exchange) => ({ request: maskRequest(exchange.request), response: maskResponse(exchange.response) })),
    error: error && { ...error, message: scrub(error.message, values) },
  };
}
