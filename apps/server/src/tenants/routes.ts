import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type Tenant } from "@crossdock/contract";
import type { Principal } from "../access/access.ts";
import { change, installation } from "../api/change.ts";
import { drawId, inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { syncTargets } from "../targets.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { readHealth } from "./health.ts";

const columns = `id, code, name, is_active as "isActive", colour, version`;

/** Tenants whose health one list asks for at a time: others read, too, while it goes through hundreds. */
const concurrency = 3;

export function registerTenants(app: FastifyInstance, { pools }: Deps): void {
  const listGranted = async (principal: Principal): Promise<Tenant[]> => {
    if (principal.kind === "api-key") return [await getTenant(principal.tenantId)];
    const sql = `select tenant_id as id, tenant_code as code, name, is_active as "isActive", colour, version from hub.tenants_of_user($1) order by name, code`;
    return (await pools.app.query<Tenant>(sql, [principal.userId])).rows;
  };

  const getTenant = (tenantId: number): Promise<Tenant> =>
    inTenant(pools.app, tenantId, async (client) => {
      const { rows } = await client.query<Tenant>(`select ${columns} from hub.tenant where id = $1`, [tenantId]);
      if (!rows[0]) throw notFound();
      return rows[0];
    });

  const withHealth = async (tenant: Tenant) => ({ ...tenant, health: await readHealth(pools.readOnly, tenant.id) });

  addRoute(app, routes.listTenants, async ({ principal, query: { health } }) => {
    const tenants = await listGranted(principal);
    return { items: health ? await Readable.from(tenants).map(withHealth, { concurrency }).toArray() : tenants };
  });

  addRoute(app, routes.getTenant, async ({ tenant, reply }) => withHealth(tagVersion(reply, await getTenant(tenant.tenantId))));

  addRoute(app, routes.createTenant, async (context) => {
    const { body } = context;
    // The id is drawn first, because row-level security lets a row of the tenant named in the transaction in, and no other.
    const id = await drawId(pools.app, "hub.tenant");
    const create = async (client: pg.PoolClient): Promise<Tenant> => {
      const sql = `insert into hub.tenant (id, code, name) values ($1, $2, $3) on conflict do nothing returning ${columns}`;
      const created = await client.query<Tenant>(sql, [id, body.code, body.name]);
      if (!created.rows[0]) throw new ApiError("already-exists");
      return created.rows[0];
    };
    return createOnce(pools.app, id, context, create, { scope: installation });
  });

  addRoute(app, routes.updateTenant, ({ tenant: { tenantId }, body, request, reply }) =>
    change(pools.app, request, async (client, trail) => {
      const found = await client.query<Tenant>(`select ${columns} from hub.tenant where id = $1 for no key update`, [tenantId]);
      const [stored] = found.rows;
      if (!stored) throw notFound();
      checkVersion(request, stored);
      trail.before = stored;
      const { name = stored.name, isActive = stored.isActive, colour = stored.colour } = body;
      const next = { ...stored, name, isActive, colour, version: stored.version + 1 };
      const sql = "update hub.tenant set name = $2, is_active = $3, colour = $4, version = $5 where id = $1";
      await client.query(sql, [tenantId, name, isActive, colour, next.version]);
      if (next.isActive !== stored.isActive) await syncTargets(client, { tenantId });
      return tagVersion(reply, next);
    }),
  );
}
