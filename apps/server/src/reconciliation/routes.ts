import { routes, type Difference } from "@crossdock/contract";
import type { FastifyInstance } from "fastify";
import { IdCursor, pageAfter, readCursor } from "../api/cursors.ts";
import { inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addListRoute } from "../api/list-route.ts";
import { type Masking, readMasking } from "../masking/masking.ts";
import { addRoute } from "../api/route.ts";
import { getRun, insertRun } from "../runs/rows.ts";
import { countDifferences, countFixable, listDifferences } from "./rows.ts";

export function registerReconciliation(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  addListRoute(
    app,
    deps,
    { list: routes.listDifferences, exported: routes.exportDifferences },
    ({ tenant: { tenantId }, params: { runId }, query: { cursor, limit, ...filter } }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        await getRun(client, tenantId, runId);
        const rows = await listDifferences(client, tenantId, runId, filter, readCursor(IdCursor, cursor)?.id ?? "0", limit + 1);
        const masking = await readMasking(client, tenantId, keys.masking);
        const counts = await countDifferences(client, tenantId, runId);
        const page = pageAfter(rows, limit, ({ id }) => ({ id }));
        return { ...page, items: page.items.map((each) => concealed(each, masking)), counts };
      }),
  );

  addRoute(app, routes.fixDifferences, (context) => {
    const { tenant, principal, params, body } = context;
    const { tenantId } = tenant;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const run = await getRun(client, tenantId, params.runId);
      if ((run.kind !== "reconciliation" && run.kind !== "deletions") || run.finishedAt === null || run.integrationPointId === null)
        throw new ApiError("conflict", because("reconciliation-open"));
      const total = await countFixable(client, tenantId, run.id, body.ids ?? null);
      if (total === 0) throw new ApiError("conflict", because("differences-none"));
      const { integrationPointId, entityType } = run;
      const kind = run.kind === "deletions" ? "deletions" : "resync";
      const options = { ofRun: run.id, ...(body.ids && { differences: body.ids }) };
      const id = await insertRun(client, tenantId, principal, { kind, integrationPointId, entityType, options, total });
      if (id === null) throw new ApiError("conflict", because(kind === "resync" ? "resync-open" : "run-open"));
      return getRun(client, tenantId, id);
    });
  });
}

const hide = (value: string | null): string | null => (value === null ? null : "•••");

/** Values that are masked everywhere are masked here, too. */
function concealed({ fields, ...difference }: Difference, masking: Masking): Difference {
  const isConcealed = (path: string): boolean =>
    masking.conceals(path.split(".").flatMap((name) => (/^\d+$/.test(name) ? [] : [{ kind: "member" as const, name }])));
  return {
    ...difference,
    fields: fields.map((field) =>
      isConcealed(field.path) ? { path: field.path, source: hide(field.source), target: hide(field.target) } : field,
    ),
  };
}
