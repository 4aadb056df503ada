import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { ApiKeyScope, Role, isPermitted, type Permission } from "@crossdock/contract";
import { z } from "zod";
import { readAccessToken } from "./access-token.ts";
import { apiKeyPrefix, isOwnApiKey } from "./api-key.ts";
import { inTenant } from "../db.ts";
import type { Keys } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { sha256 } from "../keys/sha256.ts";

/** Who calls. A person's rights extend to the tenants granted; a key's to its one tenant. */
export type Principal = Person | ApiKeyHolder;
export type Person = { kind: "user"; userId: number; sessionId: string; role: Role };
type ApiKeyHolder = {
  kind: "api-key";
  apiKeyId: number;
  tenantId: number;
  tenantCode: string;
  role: Role;
  /** What the key may do, out of what its role may; null for all of it. */
  scopes: readonly Permission[] | null;
};

/** A name for who asks, the same for all of their requests. */
export const callerOf = (principal: Principal): string =>
  principal.kind === "user" ? `user ${principal.userId}` : `API key ${principal.apiKeyId}`;

/** Throws for a key: the request is about something that only a person has. */
export function personOf(principal: Principal): Person {
  if (principal.kind === "api-key") throw new ApiError("permission-missing", { detail: "An API key is no user" });
  return principal;
}

/** Whether the caller's role, and a key's scopes, permit this. */
export function mayCaller(principal: Principal, permission: Permission): boolean {
  if (!isPermitted(principal.role, permission)) return false;
  // A key belongs to one tenant; what is administered concerns the installation.
  if (principal.kind === "user" || permission === "signed-in") return true;
  return permission !== "administer" && (principal.scopes === null || principal.scopes.includes(permission));
}

/** The tenant that a request works in, once its caller has been found to have a right to it. */
export type TenantScope = { tenantId: number; tenantCode: string };

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
    tenantScope: TenantScope | null;
  }
  interface FastifyInstance {
    registeredRoutes: readonly RegisteredRoute[];
    authorise: Authorise;
    watchAccess: WatchAccess;
  }
  interface FastifyContextConfig {
    permission?: Permission;
  }
}

export type RegisteredRoute = { method: string; path: string; permission: Permission; changes: boolean };

/** From here on, a route that states no permission makes the start fail: nothing is open by oversight. All others are collected in `registeredRoutes`. */
export function requirePermissions(app: FastifyInstance): void {
  const registered: RegisteredRoute[] = [];
  app.decorate("registeredRoutes", registered);
  app.addHook("onRoute", (route) => {
    const permission = route.config?.permission;
    if (permission === undefined) throw new Error(`${String(route.method)} ${route.url} states no permission`);
    for (const method of [route.method].flat()) {
      registered.push({ method, path: route.url, permission, changes: route.config?.changes ?? method !== "GET" });
    }
  });
}

/** Whose rights changed. `all`: some may have, nobody knows whose. */
export type AccessChange = { kind: "user" | "key" | "tenant"; id: number } | { kind: "all" };
/** Calls the listener for every change, in whichever process it was made. */
export type OnAccessChange = (listener: (change: AccessChange) => void) => void;

function concerns(change: AccessChange, { principal, tenantScope }: FastifyRequest): boolean {
  if (change.kind === "all") return true;
  if (change.kind === "tenant") return tenantScope?.tenantId === change.id;
  return change.kind === "user"
    ? principal?.kind === "user" && principal.userId === change.id
    : principal?.kind === "api-key" && principal.apiKeyId === change.id;
}

/** `right`: what the work needs besides. `onKept` is called when a change concerns the caller and leaves them the right. */
type Watched = { right?: Permission | null; onKept?: (change: AccessChange) => void };

/**
 * Watches over work that goes on after its caller was let in: `onLost` is called, with the refusal, when a change has taken the caller's
 * right to it. Calling the function returned ends the watch.
 */
export type WatchAccess = (request: FastifyRequest, onLost: (refusal: unknown) => void, watched?: Watched) => () => void;

export function createAccessWatch(authorise: Authorise, onAccessChange: OnAccessChange): WatchAccess {
  const watches = new Map<FastifyRequest, (change: AccessChange | null) => void>();
  onAccessChange((change) => {
    for (const [request, check] of watches) if (concerns(change, request)) check(change);
  });
  return (request, onLost, { right = null, onKept } = {}) => {
    const check = async (): Promise<void> => {
      await authorise(request);
      if (right !== null && !(request.principal && mayCaller(request.principal, right))) throw new ApiError("permission-missing");
    };
    const look = (change: AccessChange | null): void => void check().then(() => change && onKept?.(change), onLost);
    watches.set(request, look);
    // The caller was let in a while ago, and what has changed since then was heard by nobody.
    look(null);
    return () => void watches.delete(request);
  };
}

type Authorise = (request: FastifyRequest) => Promise<void>;

type Access = {
  authorise: Authorise;
  /** Whether the request brings an API key that may be a guess: this process no longer finds it, or has not yet, and it is not signed. */
  bringsUnknownKey: (request: FastifyRequest) => boolean;
};

/**
 * `authorise` is the check that runs before every route and before its body is read: who is it (401), which tenant (404 when it is missing or not granted),
 * may the role do this (403). In this order, so that nobody learns of other people's tenants.
 */
export function createAccess(pool: pg.Pool, keys: Pick<Keys, "accessToken" | "apiKeys">, onAccessChange: OnAccessChange): Access {
  const apiKeys = createApiKeyLookup(pool, keys.apiKeys);
  onAccessChange(({ kind }) => {
    if (kind !== "user") apiKeys.forget();
  });

  async function identify(request: FastifyRequest): Promise<Principal> {
    const presented = presentedSecret(request);
    if (presented === null) throw new ApiError("not-signed-in");
    if (presented.startsWith(apiKeyPrefix)) return apiKeys.find(presented);
    const claims = await readAccessToken(keys.accessToken, presented);
    if (claims === null) throw tokenInvalid();
    const role = claims === "over" ? null : await findUser(pool, claims.userId, claims.sessionId);
    if (claims === "over" || role === null) throw tokenInvalid({ isDenial: false });
    return { kind: "user", ...claims, role };
  }

  const authorise: Authorise = async (request) => {
    const { permission } = request.routeOptions.config;
    // What no route answers has none; `requirePermissions` has seen to all others.
    if (permission === undefined || permission === "public") return;
    const principal = await identify(request);
    request.principal = principal;
    const code = requestedTenant(request, principal);
    if (code !== null) request.tenantScope = await findTenant(pool, principal, code);
    if (!mayCaller(principal, permission)) throw new ApiError("permission-missing");
  };

  const bringsUnknownKey: Access["bringsUnknownKey"] = (request) => {
    const presented = presentedSecret(request);
    return presented !== null && presented.startsWith(apiKeyPrefix) && apiKeys.isUnknown(presented);
  };

  return { authorise, bringsUnknownKey };
}

/** What clients written for the specification read in order to refresh their token. */
const tokenInvalid = (extras: { isDenial?: false } = {}): ApiError =>
  new ApiError("token-invalid", { msg: "Token is not valid", ...extras });

function presentedSecret(request: FastifyRequest): string | null {
  const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const apiKey = request.headers["x-api-key"];
  return bearer ?? (typeof apiKey === "string" ? apiKey : null);
}

/** What names a tenant: a path's parameter and, on gateway paths, the query's. */
export const WithTenant = z.object({ tenantCode: z.string().optional(), tenant: z.string().optional() }).catch({});

/** The tenant's code from the path; on gateway paths, which have none, the one that `?tenant=` names, or the key's own. */
function requestedTenant(request: FastifyRequest, principal: Principal): string | null {
  const fromPath = WithTenant.parse(request.params).tenantCode;
  if (fromPath !== undefined) return fromPath;
  if (request.routeOptions.config.permission !== "gateway") return null;
  const named = WithTenant.parse(request.query).tenant ?? (principal.kind === "api-key" ? principal.tenantCode : undefined);
  if (named === undefined)
    throw new ApiError("bad-request", { detail: "Name the tenant: ?tenant=CODE (an API key needs no such parameter)" });
  return named;
}

/** For the caller the same as `notFound()`; the audit log keeps it as a refusal. */
const notGranted = (): ApiError => new ApiError("not-found", { isDenial: true });

async function findTenant(pool: pg.Pool, principal: Principal, code: string): Promise<TenantScope> {
  // PostgreSQL's text can't hold it, so no tenant is called so; asked for, it would be refused otherwise than the others that are missing.
  if (code.includes("\0")) throw notGranted();
  if (principal.kind === "api-key") {
    if (principal.tenantCode !== code) throw notGranted();
    return { tenantId: principal.tenantId, tenantCode: code };
  }
  const { rows } = await pool.query<{ tenantId: number }>({
    name: "tenant-of-user",
    text: `select tenant_id as "tenantId" from hub.tenant_of_user($1, $2)`,
    values: [principal.userId, code],
  });
  const [tenant] = rows;
  if (!tenant) throw notGranted();
  return { tenantId: tenant.tenantId, tenantCode: code };
}

/** The role of an active user whose session is open; null otherwise. Asked on every request, so that a sign-out holds at once. */
async function findUser(pool: pg.Pool, userId: number, sessionId: string): Promise<Role | null> {
  const { rows } = await pool.query<{ role: string }>({
    name: "user-of-session",
    text: `
      select "user".role
      from hub."user" join hub.session on session.user_id = "user".id
      where "user".id = $1 and "user".is_active and session.id = $2 and session.revoked_at is null and session.expires_at > now()`,
    values: [userId, sessionId],
  });
  return rows[0] ? Role.parse(rows[0].role) : null;
}

/**
 * How long a key, once found, is trusted, because the gateway asks thousands of times a second. A revoked one ends at once, or within
 * this time when the notification is lost.
 */
const apiKeyCacheMs = 4_000;
const apiKeyCacheSize = 10_000;

type ApiKeyLookup = { find: (key: string) => Promise<Principal>; isUnknown: (key: string) => boolean; forget: () => void };

const Scopes = z.array(ApiKeyScope).nullable();
type KeyRow = { tenantId: number; tenantCode: string; apiKeyId: number; role: string; scopes: string[] | null; isUseDue: boolean };
const keySql = `
  select tenant_id as "tenantId", tenant_code as "tenantCode", api_key_id as "apiKeyId", role, scopes, is_use_due as "isUseDue"
  from hub.api_key_tenant($1)`;

/** At most once a minute. Does not wait for a row that somebody has locked: the next use will be noted instead. */
async function noteUse(pool: pg.Pool, { tenantId, apiKeyId }: KeyRow): Promise<void> {
  await inTenant(pool, tenantId, (client) =>
    client.query(
      `update hub.api_key set last_used_at = now()
       where (tenant_id, id) in (select tenant_id, id from hub.api_key where tenant_id = $1 and id = $2 for update skip locked)`,
      [tenantId, apiKeyId],
    ),
  );
}

/** What a key is remembered by, so that memory holds none. */
const nameOf = (key: string): string => sha256(key).toString("base64");

function createApiKeyLookup(pool: pg.Pool, secret: Buffer): ApiKeyLookup {
  const known = new Map<string, { principal: Promise<Principal>; until: number }>();
  /** Whether keys were right when last looked up; of wrong ones only those that are signed, so that no guess takes another key's place. */
  const verdicts = new Map<string, boolean>();

  async function lookUp(key: string, name: string): Promise<Principal> {
    const { rows } = await pool.query<KeyRow>({ name: "api-key-tenant", text: keySql, values: [Buffer.from(name, "base64")] });
    const [row] = rows;
    if (verdicts.size >= apiKeyCacheSize) verdicts.clear();
    if (row || isOwnApiKey(secret, key)) verdicts.set(name, row !== undefined);
    else verdicts.delete(name);
    if (!row) throw tokenInvalid();
    const { isUseDue, ...holder } = row;
    if (isUseDue) await noteUse(pool, row);
    return { kind: "api-key", ...holder, role: Role.parse(row.role), scopes: Scopes.parse(row.scopes) };
  }

  function find(key: string): Promise<Principal> {
    const name = nameOf(key);
    const cached = known.get(name);
    if (cached && cached.until > performance.now()) return cached.principal;
    // Kept from the beginning of the look-up on: a change that is heard of meanwhile forgets it, too.
    const entry = { principal: lookUp(key, name), until: performance.now() + apiKeyCacheMs };
    entry.principal.catch(() => known.delete(name));
    if (known.size >= apiKeyCacheSize) known.clear();
    known.set(name, entry);
    return entry.principal;
  }

  return { find, isUnknown: (key) => !(verdicts.get(nameOf(key)) ?? isOwnApiKey(secret, key)), forget: () => known.clear() };
}
