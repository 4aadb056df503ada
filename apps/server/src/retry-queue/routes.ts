import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { listRetrying, retryNow } from "@crossdock/queue";
import { z } from "zod";
import { readCursor } from "../api/cursors.ts";
import { change } from "../api/change.ts";
import { readConcealing } from "../masking/concealing.ts";
import { inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addListRoute } from "../api/list-route.ts";
import { operate } from "../messages/actions.ts";
import { toMessageFilter } from "../messages/filter.ts";
import { readMessageDocuments, toRetryQueueItem, toPage } from "../messages/rows.ts";
import { isSlowInState, prepareScan, rowsBy, type ScanAsked } from "../messages/scan.ts";
import { addRoute } from "../api/route.ts";
import { addScanRoute, walkScan } from "../api/scanning.ts";

/** Due time as PostgreSQL writes it, and message id: what the engine's list is ordered by; of a search, the id alone. */
const Cursor = z.string().regex(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+-]\d\d(:\d\d)*\|)?\d{1,18}$/);

export function registerRetryQueue(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  const scanFor = (asked: ScanAsked) =>
    prepareScan(deps, asked, { ofList: (filter) => ({ ...filter, state: "retrying" }), begin: rowsBy(toRetryQueueItem) });
  addListRoute(
    app,
    deps,
    { list: routes.listRetryQueue, exported: routes.exportRetryQueue },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
        const filter = await toMessageFilter(client, tenantId, query, concealing);
        const page = await listRetrying(client, { tenantId, filter, cursor: readCursor(Cursor, query.cursor), limit: query.limit });
        return toPage(client, tenantId, page, toRetryQueueItem);
      }),
    {
      documents: readMessageDocuments,
      walk: ({ tenant, principal, query }, signal) =>
        isSlowInState(query) ? walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query }), signal) : null,
    },
  );

  addScanRoute(app, deps, routes.scanRetryQueue, scanFor);

  addRoute(app, routes.retryNow, ({ tenant: { tenantId }, principal, body: { ids }, request }) =>
    change(pools.app, request, (client, trail) =>
      operate(client, { tenantId, principal, verb: "retry", wanted: ids, trail }, () => retryNow(client, { tenantId, messageIds: ids })),
    ),
  );
}
