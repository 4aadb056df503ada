import type { Readable } from "node:stream";
import { connectorCatalogue, isPermitted, routes, type Permission, type Role } from "@crossdock/contract";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RegisteredRoute } from "./access/access.ts";
import { testApp, type TestApp } from "./testing/test-app.ts";

/**
 * Every route, called by everybody there is. What each is answered follows from the permission that the route declares; nothing but that
 * declaration is written down here. Who is let in comes as far as the route's own checks: bodies are sent in a form that no route takes,
 * and names are such that nothing has them, so that nothing is changed.
 */

type Caller = { name: string; headers: Record<string, string>; expect: (route: RegisteredRoute) => Verdict };
/** `open`: past the check of rights, whatever the route says then. `own`: the same, unless the route is for people alone. */
type Verdict = "open" | "own" | 401 | 403 | 404;

let made: TestApp;
let callers: Caller[];

beforeAll(async () => {
  made = await testApp();
  callers = [...strangers(), ...(await people()), ...(await lockedOut()), ...(await keys())];
});
afterAll(() => made.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const isOfTenant = ({ path }: RegisteredRoute) => path.includes(":tenantCode");
/** The gateway's tenant is named in the query, or the key's own. */
const namesTenant = (route: RegisteredRoute) => isOfTenant(route) || route.permission === "gateway";

/** Without rights to come from anywhere: whatever is not public is closed. */
function closed(name: string, headers: Record<string, string>): Caller {
  return { name, headers, expect: ({ permission }) => (permission === "public" ? "open" : 401) };
}

function strangers(): Caller[] {
  return [closed("nobody", {}), closed("a made-up token", bearer("x.y.z")), closed("a made-up key", { "x-api-key": "cdk_madeup" })];
}

const granted = (role: Role): Caller["expect"] => {
  return ({ permission }) => (isPermitted(role, permission) ? "open" : 403);
};

async function people(): Promise<Caller[]> {
  const { viewer, user, admin, stranger } = made.accounts;
  return [
    { name: "viewer", headers: bearer(viewer), expect: granted("viewer") },
    { name: "user", headers: bearer(user), expect: granted("user") },
    { name: "admin", headers: bearer(admin), expect: granted("admin") },
    {
      name: "user of another tenant",
      headers: bearer(stranger),
      // The tenant is looked for before the right, so that its existence is not told.
      expect: (route) => (namesTenant(route) && route.permission !== "public" ? 404 : granted("user")(route)),
    },
  ];
}

async function lockedOut(): Promise<Caller[]> {
  const owner = made.pool("owner", 1);
  const enter = async (email: string): Promise<string> => {
    const payload = { email, password: "correct horse battery", remember: false };
    return (await made.app.inject({ method: "POST", url: "/api/v1/session", payload })).json<{ access_token: string }>().access_token;
  };
  const revoked = await enter("admin@example.com");
  await owner.query("update hub.session set revoked_at = now() where id = $1", [sessionOf(revoked)]);
  await owner.query(
    `insert into hub."user" (email, name, role, password_hash) select 'gone@example.com', 'Gone', 'admin', password_hash from hub."user" where id = 1`,
  );
  const disabled = await enter("gone@example.com");
  await owner.query(`update hub."user" set is_active = false where email = 'gone@example.com'`);
  const expired = await new SignJWT({ sid: sessionOf(made.accounts.admin) })
    .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
    .setSubject("1")
    .setIssuer("crossdock")
    .setAudience("crossdock-api")
    .setIssuedAt("-1h")
    .setExpirationTime("-1s")
    .sign(made.deps.keys.accessToken);
  return [
    closed("admin with a revoked session", bearer(revoked)),
    closed("disabled admin", bearer(disabled)),
    closed("admin with an expired token", bearer(expired)),
  ];
}

const sessionOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { sid: string }).sid;

const may = (isAllowed: (permission: Permission) => boolean): Caller["expect"] => {
  return ({ permission }) => {
    if (permission === "public" || permission === "signed-in") return "own";
    return permission !== "administer" && isAllowed(permission) ? "own" : 403;
  };
};

async function keys(): Promise<Caller[]> {
  const create = async (tenant: string, body: object): Promise<{ id: number; key: string }> =>
    (await made.call("admin", "POST", `/api/v1/tenants/${tenant}/api-keys`, { name: "matrix", ...body })).json();
  const scopes = [["read"], ["operate"], ["configure"], ["gateway"], ["read", "operate", "configure"]] as const;
  const ofScopes = scopes.map(async (some): Promise<Caller> => {
    const { key } = await create("acme", { scopes: some });
    const allowed: readonly Permission[] = some;
    return { name: `key for ${some.join(", ")}`, headers: { "x-api-key": key }, expect: may((permission) => allowed.includes(permission)) };
  });
  const ofRoles = (["viewer", "user", "admin", "gateway"] as const).map(async (role): Promise<Caller> => {
    const { key } = await create("acme", { role });
    return { name: `key with the role ${role}`, headers: { "x-api-key": key }, expect: may((permission) => isPermitted(role, permission)) };
  });
  const foreign = await create("other", { role: "admin" });
  const revoked = await create("acme", { role: "admin" });
  await made.call("admin", "DELETE", `/api/v1/tenants/acme/api-keys/${revoked.id}`);
  const expired = await create("acme", { role: "admin", expiresAt: "2020-01-01T00:00:00Z" });
  return [
    ...(await Promise.all([...ofScopes, ...ofRoles])),
    {
      name: "key of another tenant",
      headers: { "x-api-key": foreign.key },
      // On the gateway it works in its own tenant, whatever the query says.
      expect: (route) => (isOfTenant(route) ? 404 : may((permission) => isPermitted("admin", permission))(route)),
    },
    closed("revoked key", { "x-api-key": revoked.key }),
    closed("expired key", { "x-api-key": expired.key }),
  ];
}

/** Names that nothing has, in the form that each may take. */
const names: Record<string, string> = {
  tenantCode: "acme",
  sessionId: "00000000-0000-4000-8000-000000000000",
  hookId: "00000000-0000-4000-8000-000000000000",
};

type Answer = { status: number; code: string; isExplained: boolean };

async function ask({ method, path, permission }: RegisteredRoute, caller: Caller): Promise<Answer> {
  const { headers } = caller;
  const url = path.replace(/:(\w+)/g, (_, name: string) => names[name] ?? "999999").replace("*", "none");
  const answer = await made.app.inject({
    method: method as "GET",
    url: `${url}${permission === "gateway" ? "?tenant=acme&subtenant=nowhere" : ""}`,
    headers: { ...headers, ...(method !== "GET" && { "content-type": "application/json" }) },
    ...(method !== "GET" && { payload: "[]" }),
    // Each from a place of their own: some routes answer one place a few times a minute only.
    remoteAddress: `198.51.100.${callers.indexOf(caller) + 1}`,
    payloadAsStream: true,
  });
  const stream = answer.stream();
  // An event stream has no end: its head is the answer.
  if (answer.headers["content-type"]?.toString().startsWith("text/event-stream")) {
    stream.destroy();
    return { status: answer.statusCode, code: "", isExplained: false };
  }
  const body = await textOf(stream);
  // A successful answer may tell of codes too: the audit log lists refusals.
  if (answer.statusCode < 400) return { status: answer.statusCode, code: "", isExplained: false };
  return { status: answer.statusCode, code: /"code":"([\w-]+)"/.exec(body)?.[1] ?? "", isExplained: body.includes('"detail"') };
}

async function textOf(stream: Readable): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString();
}

/** Empty when the answer is as declared. */
function faultOf(verdict: Verdict, permission: Permission, { status, code, isExplained }: Answer): string {
  if (typeof verdict === "number") return status === verdict ? "" : `${status} ${code} instead of ${verdict}`;
  if (status >= 500) return `${status} ${code}`;
  // Some of what every reader may ask for is a person's own, such as their account or views, and the route says so in words.
  if (verdict === "own" && isExplained && code === "permission-missing") return "";
  // A public route may refuse the secret that it takes itself.
  const refusals = permission === "public" ? ["not-signed-in"] : ["not-signed-in", "token-invalid", "permission-missing"];
  return refusals.includes(code) ? `refused with ${status} ${code}` : "";
}

const devBases = Object.values(connectorCatalogue).map(({ devBasePath }) => `${devBasePath}/`);

/** The gateway's paths for development are registered in one go with the others, so three callers are enough to see that they are closed alike. */
function callersOf({ path, permission }: RegisteredRoute): Caller[] {
  const isTwin = permission === "gateway" && devBases.some((base) => path.startsWith(base));
  return isTwin ? callers.filter(({ name }) => ["nobody", "viewer", "revoked key"].includes(name)) : callers;
}

const known = (route: { method: string; path: string; permission: Permission }) => `${route.method} ${route.path} ${route.permission}`;

test("the routes registered are those declared, with the permission declared, and the connectors'", () => {
  const declared = new Set(Object.values(routes).map(known));
  const bases = Object.values(connectorCatalogue).flatMap(({ basePath, devBasePath }) => [basePath, devBasePath]);
  const others = made.app.registeredRoutes.filter((route) => !declared.has(known(route)));
  const unlisted = others.filter(({ method, path, permission }) => {
    if (permission === "gateway") return !bases.some((base) => path.startsWith(`${base}/`));
    return path !== "/hooks/:hookId" && method !== "HEAD";
  });
  expect(unlisted).toEqual([]);
  const registered = new Set(made.app.registeredRoutes.map(known));
  expect([...declared].filter((route) => !registered.has(route))).toEqual([]);
});

test("everybody is let in where the route's declared permission says so, and nowhere else", async () => {
  // Ending all of the asker's other sessions is the one thing here that would end a caller.
  const asked = made.app.registeredRoutes.filter(({ method, path }) => `${method} ${path}` !== "DELETE /api/v1/account/sessions");
  const faults: string[] = [];
  const judge = async (route: RegisteredRoute, caller: Caller): Promise<void> => {
    const fault = faultOf(caller.expect(route), route.permission, await ask(route, caller));
    if (fault !== "") faults.push(`${caller.name}, ${route.method} ${route.path}: ${fault}`);
  };
  const questions = asked.flatMap((route) => callersOf(route).map((caller) => [route, caller] as const)).values();
  // Four at a time share the questions: a tenant has no more slots for scans.
  const askOn = async () => {
    for (const question of questions) await judge(...question);
  };
  await Promise.all([askOn(), askOn(), askOn(), askOn()]);
  expect(faults).toEqual([]);
  expect(asked.length * callers.length).toBeGreaterThan(4_000);
}, 120_000);
