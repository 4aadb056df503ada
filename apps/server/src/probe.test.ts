import { routes } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RegisteredRoute } from "./access/access.ts";
import { plantAlert } from "./alerts/testing.ts";
import { routeOf } from "./testing/changes.ts";
import {
  callerRoutes,
  missing,
  nameToKey,
  namesakes,
  newMapping,
  newPoint,
  newSource,
  newView,
  publicRoutes,
  tenantProbes,
  type Call,
  type Ids,
} from "./testing/probes.ts";
import { fillQueues } from "./testing/queues.ts";
import { testApp, type TestApp } from "./testing/test-app.ts";

/**
 * The cross-tenant probe. Every route is called by people and keys that have no right to what they name; what they are told must be, to
 * the letter, what they would be told if it did not exist. A route that testing/probes.ts does not list fails the run.
 */

let made: TestApp;
let acme: Ids;
let keys: { acme: string; other: string };

beforeAll(async () => {
  made = await testApp();
  await made.call("admin", "POST", "/api/v1/tenants/acme/subtenants", { code: "secret", name: "Secret" });
  await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", { ...newPoint, code: "hidden", subtenantCode: "secret" });
  const mapping = await made.call("admin", "POST", "/api/v1/tenants/acme/mappings", { ...newMapping, sourceValue: "navy" });
  const createKey = async (tenant: string) => {
    const created = await made.call("admin", "POST", `/api/v1/tenants/${tenant}/api-keys`, { name: "worker" });
    return created.json<{ id: number; key: string }>();
  };
  const [acmeKey, otherKey] = [await createKey("acme"), await createKey("other")];
  keys = { acme: acmeKey.key, other: otherKey.key };
  const queues = await fillQueues(made, "acme");
  await fillQueues(made, "other");
  const groups = await made.call("admin", "GET", "/api/v1/tenants/acme/dead-letter-groups");
  // Kept as rejected: it is a message all the same.
  await made.app.inject({
    method: "POST",
    url: "/centra/v1/items?subtenant=shop",
    headers: { "x-api-key": acmeKey.key, "content-type": "application/json" },
    payload: { sku: "a-1" },
  });
  await made.app.inject({
    method: "POST",
    url: "/centra/v1/items?subtenant=secret",
    headers: { "x-api-key": acmeKey.key, "content-type": "application/json" },
    payload: { schemaVersion: 1, sku: "probe-1", name: "Probe" },
  });
  const note = await made.call("admin", "POST", `/api/v1/tenants/acme/messages/${queues.deadId}/notes`, { text: "Waits for the ERP" });
  const job = await made.call("admin", "POST", "/api/v1/tenants/acme/jobs", { kind: "remove", selection: { ids: [queues.readyId] } });
  const view = await made.call("admin", "POST", "/api/v1/tenants/acme/saved-views", newView);
  const received = await made.call("admin", "GET", "/api/v1/tenants/acme/external-messages");
  await made.call("admin", "POST", "/api/v1/tenants/acme/external-items/import", {
    csv: "integrationPoint,entityType,key,externalId\nqueues,item,a-1,7",
  });
  const source = await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", {
    ...newSource,
    code: "polled",
    subtenantCode: "secret",
  });
  const schedule = await made.call("admin", "POST", "/api/v1/tenants/acme/schedules", {
    integrationPointId: source.json<{ id: number }>().id,
    entityType: "order",
    everySeconds: 600,
  });
  const scheduleId = schedule.json<{ id: number }>().id;
  const run = await made.call("admin", "POST", `/api/v1/tenants/acme/schedules/${scheduleId}/run`);
  const channel = await made.call("admin", "POST", "/api/v1/tenants/acme/alert-channels", { kind: "email", name: "Operators" });
  acme = {
    subtenantCode: "secret",
    integrationPointId: queues.integrationPointId,
    queueId: queues.orderQueueId,
    messageId: queues.deadId,
    externalMessageId: received.json<{ items: { id: string }[] }>().items[0]?.id ?? "",
    mappingId: mapping.json<{ id: number }>().id,
    apiKeyId: acmeKey.id,
    fingerprint: groups.json<{ items: { fingerprint: string }[] }>().items[0]?.fingerprint ?? "",
    noteId: note.json<{ id: number }>().id,
    viewId: view.json<{ id: number }>().id,
    jobId: job.json<{ id: number }>().id,
    scheduleId,
    runId: run.json<{ id: number }>().id,
    channelId: channel.json<{ id: number }>().id,
    ...(await plantAlert(made.pool("owner", 1), 1001, "secret")),
  };
});
afterAll(() => made.close());

type Answer = { status: number; body: string };

/** A route of the API that is asked with nothing but its path. */
function isPlainRead(name: string): boolean {
  const { method, path } = routeOf(name);
  return method === "GET" && /^\/api\/[^:]+$/.test(path);
}

/** Calls as `token`. What the caller sent is taken out of the answer, as is the request's id. */
async function ask(route: { method: string; path: string }, call: Call, token: string | null): Promise<Answer> {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(call.params?.[name] ?? "none"));
  const answer = await made.app.inject({
    method: route.method as "GET",
    url: path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(call.query && { query: Object.fromEntries(Object.entries(call.query).map(([name, value]) => [name, String(value)])) }),
    ...(call.body && { payload: call.body }),
  });
  const lists = Object.values(call.body ?? {}).filter((value) => Array.isArray(value));
  const named = [...Object.values(call.params ?? {}), ...Object.values(call.query ?? {}), ...lists.flat().map(echoOf)];
  let body = answer.body.replaceAll(String(answer.headers["x-request-id"]), "REQUEST");
  for (const name of named) if (typeof name === "string" && name !== "") body = body.replaceAll(name, "NAMED");
  return { status: answer.statusCode, body };
}

/** How an answer names what a list in the body named: a number as a text, a thing by its parts. */
function echoOf(value: unknown): unknown {
  if (typeof value === "number") return `"${value}"`;
  return typeof value === "object" && value !== null ? `"${Object.values(value).join(" ")}"` : value;
}

const inTenant = (tenantCode: string, call: Call): Call => ({ ...call, params: { ...call.params, tenantCode } });

test("every registered route is probed, and nothing else is", () => {
  const listed = [...Object.keys(tenantProbes), ...callerRoutes].map(nameToKey).concat([...publicRoutes]);
  const registered = made.app.registeredRoutes.filter((route) => route.permission !== "gateway");
  expect(registered.map((route) => `${route.method} ${route.path}`).toSorted()).toEqual(listed.toSorted());
  expect(
    registered
      .filter((route) => route.permission === "public")
      .map((route) => `${route.method} ${route.path}`)
      .toSorted(),
  ).toEqual([...publicRoutes].toSorted());
  expect(Object.keys(routes).toSorted()).toEqual(expect.arrayContaining([...Object.keys(tenantProbes), ...callerRoutes].toSorted()));
});

test.each(Object.keys(tenantProbes))("%s: a stranger learns nothing of the tenant, not even that it exists", async (name) => {
  const route = routeOf(name);
  const call = tenantProbes[name]?.(acme) ?? {};
  const answer = await ask(route, inTenant("acme", call), made.accounts.stranger);
  expect(answer.status).toBe(404);
  expect(answer).toEqual(await ask(route, inTenant("no-such-tenant", call), made.accounts.stranger));
  expect(answer).toEqual(await ask(route, inTenant("acme", call), keys.other));
});

/** Those that name something besides the tenant; the others have nothing to mix up. */
const naming = Object.entries(tenantProbes).filter(([, probe]) => JSON.stringify(probe(missing)) !== JSON.stringify(probe(namesakes)));
const reading = naming.filter(([name]) => routeOf(name).method === "GET");

test.each(naming)("%s: another tenant's ids are as good as none", async (name, probe) => {
  // An admin has every permission, so nothing but the tenant stands between them and the row.
  const foreign = await ask(routeOf(name), inTenant("other", probe(acme)), made.accounts.admin);
  expect(foreign).toEqual(await ask(routeOf(name), inTenant("other", probe(missing)), made.accounts.admin));
});

test.each(reading)("%s: the same ids do reach something in their own tenant, so the probe is sound", async (name, probe) => {
  const own = await ask(routeOf(name), inTenant("acme", probe(acme)), made.accounts.admin);
  expect(own).not.toEqual(await ask(routeOf(name), inTenant("acme", probe(missing)), made.accounts.admin));
});

test.each([...Object.keys(tenantProbes), ...callerRoutes])("%s: without a valid token there is no answer", async (name) => {
  const route = routeOf(name);
  const call = tenantProbes[name]?.(acme) ?? {};
  const answer = await ask(route, inTenant("acme", call), null);
  expect(answer.status).toBe(401);
  expect(answer).toEqual(await ask(route, inTenant("no-such-tenant", call), null));
  expect((await ask(route, inTenant("acme", call), "cdk_madeup")).status).toBe(401);
});

test.each([...Object.keys(tenantProbes), "createTenant"])(
  "%s: a role that lacks the permission is refused alike for what is and what is not",
  async (name) => {
    const route = routeOf(name);
    const probe = tenantProbes[name] ?? (() => ({ body: { code: "probe", name: "Probe" } }));
    const lacking = {
      read: keys.acme,
      operate: made.accounts.viewer,
      reveal: made.accounts.viewer,
      configure: made.accounts.user,
      administer: made.accounts.user,
    };
    const token = route.permission in lacking ? lacking[route.permission as keyof typeof lacking] : "";
    const answer = await ask(route, inTenant("acme", probe(acme)), token);
    expect(answer.status).toBe(403);
    expect(answer).toEqual(await ask(route, inTenant("acme", probe(missing)), token));
  },
);

test.each([...Object.keys(tenantProbes), ...[...callerRoutes].filter(isPlainRead)])(
  "%s: a parameter that the description does not name is refused by its name",
  async (name) => {
    const call = tenantProbes[name]?.(acme) ?? {};
    const answer = await ask(routeOf(name), inTenant("acme", { ...call, query: { ...call.query, keyPrefx: 1 } }), made.accounts.admin);
    expect(JSON.parse(answer.body)).toMatchObject({
      status: 400,
      errors: [{ path: "querystring/", reason: "fields-unknown", values: { names: "keyPrefx" } }],
    });
  },
);

test("what a load balancer, a program at the gateway or a sending system adds to its address is no fault", async () => {
  const calls = [
    ["GET", "/healthz?added=1", 200],
    ["GET", "/auth?added=1", 200],
    ["GET", "/centra/v1/items/next?tenant=acme&subtenant=secret&integrationPoint=none&added=1", 404],
    ["POST", "/hooks/00000000-0000-4000-8000-000000000000?added=1", 404],
  ] as const;
  for (const [method, url, status] of calls) {
    const answer = await made.app.inject({ method, url, headers: { authorization: `Bearer ${made.accounts.admin}` } });
    expect([url, answer.statusCode]).toEqual([url, status]);
  }
});

test("gateway: a key reaches its own tenant only, and every path is closed without one", async () => {
  const gateway = made.app.registeredRoutes.filter((route) => route.permission === "gateway");
  expect(gateway.length).toBeGreaterThan(100);
  for (const route of gateway) expect(await probeGateway(route), `${route.method} ${route.path}`).toEqual([]);
});

/** What is wrong with one gateway route; empty when nothing is. */
async function probeGateway(route: RegisteredRoute): Promise<string[]> {
  const faults: string[] = [];
  const body = { leaseToken: "00000000-0000-4000-8000-000000000000" };
  const call = (subtenant: string, messageId: string, query: Call["query"] = {}): Call => ({
    params: { messageId },
    query: { subtenant, ...query },
    ...(route.method === "POST" && { body }),
  });
  const isSame = async (what: string, left: [Call, string | null], right: [Call, string | null], status?: number): Promise<void> => {
    const [first, second] = [await ask(route, ...left), await ask(route, ...right)];
    if (first.status !== second.status || first.body !== second.body) faults.push(`${what}: ${first.body} is not ${second.body}`);
    if (status !== undefined && first.status !== status) faults.push(`${what}: ${first.status}`);
  };
  await isSame("no token", [call("shop", acme.messageId), null], [call("nowhere", missing.messageId), null], 401);
  await isSame("foreign subtenant", [call("secret", acme.messageId), keys.other], [call("nowhere", missing.messageId), keys.other]);
  if (route.path.includes(":messageId")) {
    await isSame("foreign message", [call("shop", acme.messageId), keys.other], [call("shop", missing.messageId), keys.other]);
  }
  if (route.method === "GET" && route.path.endsWith("/orders/next")) {
    const resend = (retry: string): Call => call("shop", "", { retry });
    await isSame("resend of a foreign message", [resend(acme.messageId), keys.other], [resend(missing.messageId), keys.other]);
  }
  const stranger = made.accounts.stranger;
  const asAcme = call("shop", acme.messageId, { tenant: "acme" });
  await isSame("foreign tenant", [asAcme, stranger], [call("shop", acme.messageId, { tenant: "no-such-tenant" }), stranger], 404);
  await isSame(
    "viewer",
    [asAcme, made.accounts.viewer],
    [call("nowhere", missing.messageId, { tenant: "acme" }), made.accounts.viewer],
    403,
  );
  return faults;
}
