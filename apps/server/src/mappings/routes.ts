import type { FastifyInstance } from "fastify";
import { routes, type Mapping } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../cursors.ts";
import { change } from "../change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors.ts";
import { createOnce } from "../idempotency.ts";
import { addRoute } from "../route.ts";
import { findSubtenantId } from "../subtenant-codes.ts";

const columns = `
  mapping.id, subtenant.code as "subtenantCode", mapping.field_name as "fieldName", mapping.source, mapping.source_value as "sourceValue",
  mapping.target, mapping.target_value as "targetValue"`;

// In the order of the id, newest first: it is stable while people edit.
const listSql = `
  select ${columns}
  from hub.mapping left join hub.subtenant on subtenant.tenant_id = mapping.tenant_id and subtenant.id = mapping.subtenant_id
  where mapping.tenant_id = $1 and ($2::integer is null or mapping.id < $2) and ($3::text is null or mapping.field_name = $3)
    and ($4::text is null or position(lower($4) in lower(concat_ws(' ', field_name, source, source_value, target, target_value))) > 0)
  order by mapping.id desc
  limit $5`;

const createSql = `
  insert into hub.mapping (tenant_id, subtenant_id, field_name, source, source_value, target, target_value)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`;

const removeSql = `
  delete from hub.mapping where tenant_id = $1 and id = $2
  returning field_name as "fieldName", source, source_value as "sourceValue", target, target_value as "targetValue"`;

const Cursor = z.object({ id: z.int() });

export function registerMappings(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listMappings, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const after = readCursor(Cursor, query.cursor)?.id ?? null;
      const values = [tenantId, after, query.fieldName ?? null, query.search ?? null, query.limit + 1];
      const { rows } = await client.query<Mapping>(listSql, values);
      return pageAfter(rows, query.limit, (last) => ({ id: last.id }));
    }),
  );

  addRoute(app, routes.createMapping, (context) => {
    const { tenantId } = context.tenant;
    const { body } = context;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const subtenantId = body.subtenantCode === null ? null : await findSubtenantId(client, tenantId, body.subtenantCode);
      const values = [tenantId, subtenantId, body.fieldName, body.source, body.sourceValue, body.target, body.targetValue];
      const { rows } = await client.query<{ id: number }>(createSql, values);
      if (!rows[0]) throw new ApiError("already-exists", { detail: "This value has a mapping already" });
      return { id: rows[0].id, ...body };
    });
  });

  addRoute(app, routes.removeMapping, ({ tenant: { tenantId }, params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const removed = await client.query(removeSql, [tenantId, params.mappingId]);
      if (removed.rowCount === 0) throw notFound();
      trail.before = removed.rows[0];
      return undefined;
    }),
  );
}
