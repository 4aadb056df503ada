import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { ApiKey, ApiKeyScope, isPermitted, routes, type Permission, type Role } from "@crossdock/contract";
import { mayCaller, type Principal } from "../access/access.ts";
import { createApiKey } from "../access/api-key.ts";
import { change, type Trail } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { sha256 } from "../keys/sha256.ts";

const columns = `
  id, name, prefix, role, scopes, queue.iso(last_used_at) as "lastUsedAt", queue.iso(created_at) as "createdAt", queue.iso(expires_at) as "expiresAt",
  queue.iso(revoked_at) as "revokedAt"`;

const createSql = `
  insert into hub.api_key (tenant_id, name, prefix, hash, role, scopes, expires_at) values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`;

/** Whoever has a key for a while could else keep its rights for ever. */
const outlastsSql = "select from hub.api_key where tenant_id = $1 and id = $2 and (expires_at is null or expires_at >= $3::timestamptz)";

const lockSql = `
  select name, prefix, revoked_at is not null as "isRevoked" from hub.api_key where tenant_id = $1 and id = $2 for no key update`;
const revokeSql = "update hub.api_key set revoked_at = now() where tenant_id = $1 and id = $2";

/** All that is remembered of a creation: the key itself is kept nowhere. */
const keepOnly = ({ id, name }: ApiKey) => because("key-shown-then", { id: String(id), name });

/** The least role that has all of the scopes. */
function roleWith(scopes: readonly Permission[]): Role {
  const byRights: Role[] = ["gateway", "viewer", "user", "admin"];
  return byRights.find((role) => scopes.every((scope) => isPermitted(role, scope))) ?? "admin";
}

/** Of all that a key may be given; `reveal` by a role only. */
const givable = [...ApiKeyScope.options, "reveal"] as const;

/** Whether the caller has all the rights that a key of this role and these scopes would have. */
function mayGive(principal: Principal, role: Role, scopes: readonly Permission[] | null): boolean {
  return (scopes ?? givable.filter((right) => isPermitted(role, right))).every((right) => mayCaller(principal, right));
}

export function registerApiKeys(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.listApiKeys, ({ tenant: { tenantId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const { rows } = await client.query(`select ${columns} from hub.api_key where tenant_id = $1 order by id desc`, [tenantId]);
      return { items: rows.map((row) => ApiKey.parse(row)) };
    }),
  );

  addRoute(app, routes.createApiKey, (context) => {
    const { tenantId } = context.tenant;
    const { body, principal } = context;
    const create = async (client: pg.PoolClient, trail: Trail) => {
      const key = createApiKey(keys.apiKeys);
      const scopes = body.scopes ? [...new Set(body.scopes)] : null;
      const role = body.role ?? roleWith(scopes ?? []);
      if (!mayGive(principal, role, scopes))
        throw new ApiError("permission-missing", { detail: "A key gives no right that it has not itself" });
      if (principal.kind === "api-key" && (await client.query(outlastsSql, [tenantId, principal.apiKeyId, body.expiresAt])).rowCount === 0)
        throw new ApiError("permission-missing", { detail: "A key makes none that outlasts it" });
      const { rows } = await client.query(createSql, [tenantId, body.name, key.slice(0, 10), sha256(key), role, scopes, body.expiresAt]);
      trail.after = ApiKey.parse(rows[0]);
      return { ...ApiKey.parse(rows[0]), key };
    };
    return createOnce(pools.app, tenantId, context, create, { keepOnly });
  });

  addRoute(app, routes.revokeApiKey, ({ tenant: { tenantId }, params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const known = await client.query(lockSql, [tenantId, params.apiKeyId]);
      if (!known.rows[0]) throw notFound();
      const { isRevoked, ...key } = known.rows[0];
      trail.isChange = !isRevoked;
      trail.after = key;
      if (!isRevoked) await client.query(revokeSql, [tenantId, params.apiKeyId]);
      return undefined;
    }),
  );
}
