import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/api-keys";
const create = async (payload: object) =>
  (await made.call("admin", "POST", path, payload)).json<{ id: number; key: string; prefix: string }>();
const read = (key: string, url = "/api/v1/tenants/acme") => made.app.inject({ url, headers: { authorization: `Bearer ${key}` } });

test("a key is shown once and works in its own tenant only", async () => {
  const { key, prefix } = await create({ name: "reader", role: "viewer" });
  expect(key.startsWith(prefix)).toBe(true);
  const listed = await made.call("user", "GET", path);
  expect(listed.body).toContain(prefix);
  expect(listed.body).not.toContain(key);
  expect((await read(key)).statusCode).toBe(200);
  expect((await read(key, "/api/v1/tenants/other")).statusCode).toBe(404);
  expect((await made.app.inject({ url: "/api/v1/tenants/acme", headers: { "x-api-key": key } })).statusCode).toBe(200);
});

test("a gateway key reads nothing, and no key administers tenants", async () => {
  const gateway = await create({ name: "worker" });
  expect((await read(gateway.key)).statusCode).toBe(403);
  const admin = await create({ name: "automation", role: "admin" });
  const headers = { authorization: `Bearer ${admin.key}` };
  const answer = await made.app.inject({ method: "POST", url: "/api/v1/tenants", headers, payload: { code: "sneaky", name: "Sneaky" } });
  expect(answer.statusCode).toBe(403);
});

test("a key does what its scopes say and no more, and its last use is told", async () => {
  const { id, key } = await create({ name: "stock reader", scopes: ["read"] });
  expect((await read(key)).statusCode).toBe(200);
  const paused = await made.app.inject({
    method: "POST",
    url: "/api/v1/tenants/acme/messages/remove",
    headers: { "x-api-key": key },
    payload: { ids: ["1"] },
  });
  expect(paused.statusCode).toBe(403);
  expect((await made.app.inject({ url: "/centra/v1/items/next", headers: { "x-api-key": key } })).statusCode).toBe(403);
  type Listed = { id: number; scopes: string[] | null; lastUsedAt: string | null };
  const listed = (await made.call("user", "GET", path)).json<{ items: Listed[] }>().items;
  expect(listed.find((one) => one.id === id)).toMatchObject({ scopes: ["read"], lastUsedAt: expect.any(String) });
  const unused = await create({ name: "unused", scopes: ["operate", "gateway"] });
  const again = (await made.call("user", "GET", path)).json<{ items: Listed[] }>().items;
  expect(again.find((one) => one.id === unused.id)).toMatchObject({ role: "user", lastUsedAt: null });
});

test("a key makes no key that may more than it may itself", async () => {
  const { key } = await create({ name: "deployment", scopes: ["read", "configure"] });
  const make = async (payload: object): Promise<number> =>
    (await made.app.inject({ method: "POST", url: path, headers: { "x-api-key": key }, payload: { name: "made by a key", ...payload } }))
      .statusCode;
  for (const more of [{ role: "admin" }, { role: "user" }, { scopes: ["read", "operate"] }, { role: "gateway" }, {}])
    expect(await make(more)).toBe(403);
  for (const same of [{ role: "viewer" }, { scopes: ["read", "configure"] }]) expect(await make(same)).toBe(201);
  const whole = await create({ name: "automation", role: "admin" });
  const headers = { "x-api-key": whole.key };
  const another = await made.app.inject({ method: "POST", url: path, headers, payload: { name: "another", role: "admin" } });
  expect(another.statusCode).toBe(201);
});

test("a key makes no key that outlasts it", async () => {
  const [sooner, later] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const { key } = await create({ name: "of an hour", role: "admin", expiresAt: sooner });
  const make = async (payload: object): Promise<number> =>
    (
      await made.app.inject({
        method: "POST",
        url: path,
        headers: { "x-api-key": key },
        payload: { name: "made", role: "viewer", ...payload },
      })
    ).statusCode;
  expect([await make({}), await make({ expiresAt: later }), await make({ expiresAt: sooner })]).toEqual([403, 403, 201]);
});

test("a role and scopes are not asked for together", async () => {
  expect((await made.call("admin", "POST", path, { name: "both", role: "viewer", scopes: ["read"] })).statusCode).toBe(400);
  expect((await made.call("admin", "POST", path, { name: "none", scopes: [] })).statusCode).toBe(400);
});

test("a revoked key and an expired one are worth nothing", async () => {
  const revoked = await create({ name: "short-lived", role: "viewer" });
  expect((await made.call("admin", "DELETE", `${path}/${revoked.id}`)).statusCode).toBe(204);
  expect((await read(revoked.key)).json()).toMatchObject({ status: 401, title: "The access token or API key is not valid" });
  const expired = await create({ name: "old", role: "viewer", expiresAt: "2020-01-01T00:00:00Z" });
  expect((await read(expired.key)).statusCode).toBe(401);
});

test("a made-up key is refused like a wrong token", async () => {
  expect((await read("cdk_madeup")).json()).toMatchObject({ status: 401, msg: "Token is not valid" });
});
