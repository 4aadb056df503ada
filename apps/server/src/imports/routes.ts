import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { AppParts } from "../app-parts.ts";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { closedBecause } from "../intake/directory.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { requireSource } from "../runs/open-source.ts";
import { getRun } from "../runs/rows.ts";
import { previewOf } from "./preview.ts";
import { countParts, insertImport, lockArriving, openImport, putPart } from "./rows.ts";

export function registerImports(app: FastifyInstance, { pools }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.previewImport, async ({ body }) => previewOf(body));

  addRoute(app, routes.createImport, async (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    const configuration = await directory.fresh(tenantId);
    return createOnce(pools.app, tenantId, context, async (client) => {
      const point = configuration.points.get(body.integrationPointId);
      if (!point) throw notFound();
      requireSource(point, body.entityType);
      const closed = closedBecause(configuration, point);
      if (closed !== null) throw new ApiError("conflict", because(closed));
      const id = await insertImport(client, tenantId, principal, body);
      if (id === null) throw notFound();
      return getRun(client, tenantId, id);
    });
  });

  addRoute(app, routes.putImportPart, ({ tenant: { tenantId }, params: { runId, number }, body }) =>
    inTenant(pools.app, tenantId, async (client) => {
      await lockArriving(client, tenantId, runId);
      await putPart(client, tenantId, runId, number, body.text);
      return undefined;
    }),
  );

  addRoute(app, routes.startImport, ({ tenant: { tenantId }, params: { runId }, body, request }) =>
    change(pools.app, request, async (client) => {
      await lockArriving(client, tenantId, runId);
      const { count, last } = await countParts(client, tenantId, runId);
      if (count !== body.parts || last !== body.parts)
        throw new ApiError("conflict", because("import-parts", { count, parts: body.parts }));
      await openImport(client, tenantId, runId, body.rows ?? null);
      return getRun(client, tenantId, runId);
    }),
  );
}
