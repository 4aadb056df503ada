import type { FastifyInstance } from "fastify";
import { routes, type Mapping, type MappingContent } from "@crossdock/contract";
import type pg from "pg";
import { signChanges } from "../access/authorship.ts";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { isStale, tagVersion } from "../api/versions.ts";
import { refuseCycles } from "./check.ts";
import { importMappings } from "./import.ts";
import { findMappings, insertMapping, lockMappings, removeMappings, restoreMappings, updateMapping, type StoredContent } from "./rows.ts";
import { explainSkipped, lastChangedBy } from "./skipped.ts";
import { currentVersion } from "./versions.ts";

/** 50,000 lines of about 150 bytes. */
const importBytesMax = 8 * 1024 * 1024;

/** One mapping at a time. */
export function registerMappingEdits(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.createMapping, (context) => {
    const { tenantId } = context.tenant;
    const { body, principal, reply } = context;
    return createOnce(pools.app, tenantId, context, async (client) => {
      await lockMappings(client, tenantId);
      await signChanges(client, { tenantId, principal });
      const id = await insertMapping(client, tenantId, body);
      await refuseCycles(client, tenantId, [body.fieldName]);
      return tagVersion(reply, await find(client, tenantId, id));
    });
  });

  addRoute(app, routes.updateMapping, ({ tenant: { tenantId }, principal, params: { mappingId }, body, request, reply }) =>
    change(pools.app, request, async (client, trail) => {
      await lockMappings(client, tenantId);
      await signChanges(client, { tenantId, principal });
      const stored = await find(client, tenantId, mappingId);
      trail.before = stored;
      if (isStale(request, stored)) {
        const changedBy = await lastChangedBy(client, tenantId, mappingId);
        const detail = `${changedBy ?? "Somebody"} changed this mapping meanwhile.`;
        throw new ApiError("version-changed", { detail, current: { ...stored, changedBy } });
      }
      const content = contentOf(stored, body);
      await updateMapping(client, tenantId, mappingId, content);
      await refuseCycles(client, tenantId, [content.fieldName]);
      return tagVersion(reply, await find(client, tenantId, mappingId));
    }),
  );
}

/** Many at once. */
export function registerMappingSets(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.removeMappings, ({ tenant: { tenantId }, principal, body: { ids: wanted }, request }) =>
    change(pools.app, request, async (client, trail) => {
      await lockMappings(client, tenantId);
      await signChanges(client, { tenantId, principal });
      trail.before = await findMappings(client, tenantId, wanted);
      const ids = await removeMappings(client, tenantId, wanted);
      trail.isChange = ids.length > 0;
      return { ids, skipped: await explainSkipped(client, tenantId, wanted, ids) };
    }),
  );

  addRoute(app, routes.restoreMappings, ({ tenant: { tenantId }, principal, body: { ids: wanted }, request }) =>
    change(pools.app, request, async (client, trail) => {
      await lockMappings(client, tenantId);
      await signChanges(client, { tenantId, principal });
      const ids = await restoreMappings(client, tenantId, wanted);
      const restored = await findMappings(client, tenantId, ids);
      await refuseCycles(
        client,
        tenantId,
        restored.map(({ fieldName }) => fieldName),
      );
      trail.isChange = ids.length > 0;
      trail.after = restored;
      return { ids, skipped: await explainSkipped(client, tenantId, wanted, ids) };
    }),
  );

  addRoute(
    app,
    routes.importMappings,
    ({ tenant: { tenantId }, principal, body: { csv, isDryRun }, request }) =>
      change(pools.app, request, async (client, trail) => {
        await lockMappings(client, tenantId);
        await signChanges(client, { tenantId, principal, reason: "CSV" });
        const result = await importMappings(client, tenantId, csv, isDryRun);
        trail.isChange = !isDryRun && result.errorCount === 0 && result.created + result.updated > 0;
        return { ...result, version: trail.isChange ? await currentVersion(client, tenantId) : null };
      }),
    { bodyLimit: importBytesMax },
  );
}

async function find(client: pg.ClientBase, tenantId: number, id: number): Promise<Mapping> {
  const [mapping] = await findMappings(client, tenantId, [id]);
  if (!mapping) throw notFound();
  return mapping;
}

/** What the edit leaves unsaid stays. */
function contentOf(stored: Mapping, edit: { [Name in keyof MappingContent]?: MappingContent[Name] | undefined }): StoredContent {
  return {
    subtenantCode: edit.subtenantCode === undefined ? stored.subtenantCode : edit.subtenantCode,
    fieldName: edit.fieldName ?? stored.fieldName,
    source: edit.source ?? stored.source,
    sourceValue: edit.sourceValue ?? stored.sourceValue,
    target: edit.target ?? stored.target,
    targetValue: edit.targetValue ?? stored.targetValue,
  };
}
