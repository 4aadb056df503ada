import type { FastifyInstance } from "fastify";
import { EntityType, routes } from "@crossdock/contract";
import type { AppParts } from "../app-parts.ts";
import { writeAuditEvent } from "../api/audit-event.ts";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { closedBecause } from "../intake/directory.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { streamAnswer } from "../http/streaming.ts";
import { requireSource } from "../runs/open-source.ts";
import { getRun, readFileOf } from "../runs/rows.ts";
import { previewOf } from "./preview.ts";
import { rejectedRows } from "./rejected-rows.ts";
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

  addRoute(
    app,
    routes.downloadRejectedRows,
    async ({ tenant: { tenantId }, principal, params: { runId }, query: { reason }, request, reply }) => {
      const { run, file } = await inTenant(pools.readOnly, tenantId, async (client) => ({
        run: await getRun(client, tenantId, runId),
        file: await readFileOf(client, tenantId, runId),
      }));
      if (!file) throw new ApiError("conflict", { detail: "The run is no import." });
      if (!file.hasRejectedRows) throw new ApiError("conflict", because("import-rows-over"));
      const free = app.exports.take(tenantId, principal);
      try {
        const target = { kind: "runs", id: String(runId) };
        const event = { tenantId, outcome: "done", code: null, target, reason, before: null, after: null } as const;
        await inTenant(pools.app, tenantId, (client) => writeAuditEvent(client, request, event));
        const headers = {
          "content-type": file.format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
          "content-disposition": `attachment; filename="rejected-${runId}.${file.format}"`,
        };
        const read = () => rejectedRows(pools.readOnly, { tenantId, runId, entityType: EntityType.parse(run.entityType), ...file });
        await streamAnswer(reply, { headers, read, closing: app.exports.closing, right: "reveal" });
        return "";
      } finally {
        free();
      }
    },
  );
}
