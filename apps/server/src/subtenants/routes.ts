import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type Subtenant } from "@crossdock/contract";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";
import { syncTargets } from "../targets.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { listSubtenants } from "./list.ts";

const columns = `
  id, code, name, is_active as "isActive", debug_mode as "debugMode", incoming_paused as "incomingPaused", outgoing_paused as "outgoingPaused",
  version`;

/** The parts of a subtenant that people change. */
type Change = { [Name in Exclude<keyof Subtenant, "id" | "code" | "version">]?: Subtenant[Name] | undefined };

export function registerSubtenants(app: FastifyInstance, deps: Deps): void {
  const { pools } = deps;
  addListRoute(app, deps, { list: routes.listSubtenants, exported: routes.exportSubtenants }, async ({ tenant }) => ({
    items: await listSubtenants(pools.readOnly, tenant.tenantId),
  }));

  addRoute(app, routes.createSubtenant, (context) => {
    const { tenantId } = context.tenant;
    const { body, reply } = context;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const sql = `insert into hub.subtenant (tenant_id, code, name) values ($1, $2, $3) on conflict do nothing returning ${columns}`;
      const { rows } = await client.query<Subtenant>(sql, [tenantId, body.code, body.name]);
      if (!rows[0]) throw new ApiError("already-exists");
      return tagVersion(reply, rows[0]);
    });
  });

  const update = (tenantId: number, code: string, next: Change, request: FastifyRequest, reply: FastifyReply): Promise<Subtenant> =>
    change(pools.app, request, async (client, trail) => {
      const sql = `select ${columns} from hub.subtenant where tenant_id = $1 and code = $2 for no key update`;
      const [stored] = (await client.query<Subtenant>(sql, [tenantId, code])).rows;
      if (!stored) throw notFound();
      checkVersion(request, stored);
      trail.before = stored;
      return tagVersion(reply, await write(client, tenantId, stored, next));
    });

  addRoute(app, routes.updateSubtenant, ({ tenant, params, body, request, reply }) =>
    update(tenant.tenantId, params.subtenantCode, body, request, reply),
  );

  addRoute(app, routes.switchSubtenant, ({ tenant, params, body, request, reply }) =>
    update(tenant.tenantId, params.subtenantCode, body, request, reply),
  );
}

const updateSql = `
  update hub.subtenant
  set name = $3, is_active = $4, debug_mode = $5, incoming_paused = $6, outgoing_paused = $7, version = version + 1
  where tenant_id = $1 and id = $2
  returning ${columns}`;

async function write(client: pg.ClientBase, tenantId: number, stored: Subtenant, change: Change): Promise<Subtenant> {
  const { rows } = await client.query<Subtenant>(updateSql, [
    tenantId,
    stored.id,
    change.name ?? stored.name,
    change.isActive ?? stored.isActive,
    change.debugMode ?? stored.debugMode,
    change.incomingPaused ?? stored.incomingPaused,
    change.outgoingPaused ?? stored.outgoingPaused,
  ]);
  const [written] = rows;
  if (!written) throw notFound();
  // The engine knows targets only: what stops a whole subtenant stops each of its targets.
  if (written.isActive !== stored.isActive || written.outgoingPaused !== stored.outgoingPaused) {
    await syncTargets(client, { tenantId, subtenantId: stored.id });
  }
  return written;
}
