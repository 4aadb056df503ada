import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import Fastify from "fastify";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { requirePermissions } from "./access/access.ts";
import { createApiKey } from "./access/api-key.ts";
import { testApp, type TestApp } from "./testing/test-app.ts";
import { whyNoWrites } from "./writability.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

test("a process whose database answers is ready", async () => {
  const answer = await made.app.inject("/readyz");
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ status: "ready", environment: "Development", isDemo: false });
  const { statusCode, body } = await made.app.inject({ method: "HEAD", url: "/readyz" });
  expect([statusCode, body]).toEqual([200, ""]);
});

test("a database that does not answer is not waited for", async () => {
  const pool = made.pool("app", 1);
  const held = await pool.connect();
  await expect(whyNoWrites(pool, 50)).rejects.toThrow("does not answer");
  held.release();
});

test("the OpenAPI document is version 3.1 and describes errors as Problem", async () => {
  const document = (await made.app.inject("/openapi.json")).json();
  expect(document.openapi).toBe("3.1.0");
  expect(document.components.schemas.Problem).toBeDefined();
  const { get } = document.paths["/api/v1/tenants/{tenantCode}/messages"];
  expect(get.operationId).toBe("listMessages");
  expect(get["x-permission"]).toBe("read");
  expect(get.responses.default).toEqual({ $ref: "#/components/responses/Problem" });
  const { content } = document.components.responses.Problem;
  expect(content).toEqual({ "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } });
});

test("every reference in the OpenAPI document leads to a part of it", async () => {
  const { body } = await made.app.inject("/openapi.json");
  const document: unknown = JSON.parse(body);
  const lookUp = (reference: string) =>
    reference
      .split("/")
      .slice(1)
      .reduce<unknown>((part, name) => Object(part)[name.replaceAll("~1", "/").replaceAll("~0", "~")], document);
  const references = new Set([...body.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => String(reference)));
  expect(references.size).toBeGreaterThan(50);
  expect([...references].filter((reference) => !reference.startsWith("#/") || lookUp(reference) === undefined)).toEqual([]);
});

test("the OpenAPI document tells of each body that a route reads by itself, and of every type that an answer may have", async () => {
  const { paths } = (await made.app.inject("/openapi.json")).json();
  const bodyTypes = (path: string) => Object.keys(paths[path].post.requestBody?.content ?? {});
  expect(bodyTypes("/brink/v1/orders")).toEqual(["application/json", "application/x-ndjson"]);
  expect(bodyTypes("/hooks/{hookId}")).toEqual(["application/json"]);
  expect(Object.keys(paths["/hooks/{hookId}"].get.responses["200"].content)).toEqual(["text/plain"]);
  const { schema } = paths["/sitoo/orders/{messageId}/ack"].post.requestBody.content["application/json"];
  expect(schema.required).toEqual(["leaseToken"]);
  for (const path of ["users/export", "tenants/{tenantCode}/runs/{runId}/export"])
    expect(Object.keys(paths[`/api/v1/${path}`].get.responses["200"].content)).toEqual(["text/csv", "application/x-ndjson"]);
});

test("a route without a permission stops the start", () => {
  const app = Fastify();
  requirePermissions(app);
  expect(() => app.get("/nobody-asked", () => "open")).toThrow("GET /nobody-asked states no permission");
});

test("errors are problem+json with a code, the request's id and the paths at fault", async () => {
  const answer = await made.app.inject({ method: "POST", url: "/api/v1/session", payload: { email: "x" } });
  expect(answer.statusCode).toBe(400);
  expect(answer.headers["content-type"]).toContain("application/problem+json");
  const problem = answer.json();
  expect(problem).toMatchObject({ code: "validation-failed", requestId: answer.headers["x-request-id"] });
  expect(problem.errors.map((error: { path: string }) => error.path)).toEqual(["body/email", "body/password"]);
});

test.each([
  ["not JSON", "{", 400, "bad-json"],
  ["too large", JSON.stringify({ email: "x".repeat(2 * 1024 * 1024) }), 413, "too-large"],
])("a body that is %s has an error of its own", async (_what, payload, status, code) => {
  const answer = await made.app.inject({
    method: "POST",
    url: "/api/v1/session",
    headers: { "content-type": "application/json" },
    payload,
  });
  expect(answer.json()).toMatchObject({ status, code });
});

test("an unknown path is a problem for programs and the console's page for browsers that navigate", async () => {
  const detail = "Nothing answers GET /api/v1/no-such-thing here.";
  expect((await made.app.inject("/api/v1/no-such-thing?a=1")).json()).toMatchObject({ status: 404, code: "not-found", detail });
});

test("a failure of ours tells the caller nothing but the request's id", async () => {
  const answer = await made.app.inject({
    url: "/api/v1/tenants/acme/mappings?cursor=%00",
    headers: { authorization: `Bearer ${made.accounts.user}` },
  });
  expect(answer.json()).toMatchObject({ status: 400, code: "cursor-invalid" });
});

test("pages may load nothing but the console's own files", async () => {
  const policy = (await made.app.inject("/healthz")).headers["content-security-policy"];
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe-eval");
});

test("a request that comes while the server stops is told to come again, as a problem", async () => {
  const stopping = await testApp();
  const url = new URL(await stopping.app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect(Number(url.port), url.hostname);
  const begun = once(stopping.app.server, "connection");
  socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n");
  const [theirs] = (await begun) as [Socket];
  // Until the server has read of it, the connection is an idle one, which the stop closes.
  await expect.poll(() => theirs.bytesRead).toBeGreaterThan(0);
  const closed = stopping.close();
  await expect.poll(() => stopping.app.server.listening).toBe(false);
  socket.write("\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/^retry-after: 1\r$/im);
  expect(answer).toContain('"code":"unavailable"');
  await closed;
});

test("a connection that is kept alive does not hold up the stop once it has its answer", async () => {
  const stopping = await testApp();
  const url = new URL(await stopping.app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect(Number(url.port), url.hostname).setEncoding("utf8");
  socket.write(`GET /api/v1/tenants/acme/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${stopping.accounts.user}\r\n\r\n`);
  await expect.poll(() => socket.read() as string | null).toContain("retry: 2000");
  // A caller who never hangs up: the stop ends the stream, and then the connection.
  const hungUp = once(socket, "close");
  socket.resume();
  await Promise.all([stopping.close(), hungUp]);
});

test("callers whom a proxy names with their port, or with IPv6 in brackets, are told apart", async () => {
  const behindProxy = await testApp({ CROSSDOCK_TRUST_PROXY: "127.0.0.1,10.0.0.0/8", CROSSDOCK_RATE_LIMIT: "10" });
  const ask = async (from: string) => (await behindProxy.app.inject({ url: "/readyz", headers: { "x-forwarded-for": from } })).statusCode;
  for (let port = 50_000; port < 50_010; port += 1) expect(await ask(`192.0.2.1:${port}`)).toBe(200);
  expect(await ask("192.0.2.1:50010")).toBe(429);
  expect(await ask("192.0.2.1:443, 10.0.0.1:50000")).toBe(429);
  for (const other of ["192.0.2.2:50000", "[2001:db8:0:1::1]:50000", "[2001:db8:0:2::1]", "192.0.2.1:1, 192.0.2.3:50000, 10.0.0.1:443"])
    expect(await ask(other)).toBe(200);
  await behindProxy.close();
});

test("requests that are refused are counted, and those of the console's files and the gateway are not", async () => {
  const limited = await testApp({ CROSSDOCK_RATE_LIMIT: "10" });
  const { app, accounts } = limited;
  const ask = async (url: string, token: string) =>
    (await app.inject({ url, headers: { accept: "text/html", authorization: `Bearer ${token}` }, remoteAddress: "192.0.2.1" })).statusCode;
  for (const url of ["/", "/queue", "/centra/v1/items/next?subtenant=shop&tenant=acme"])
    for (let time = 0; time < 11; time += 1) expect(await ask(url, "made-up")).not.toBe(429);
  for (let guess = 0; guess < 10; guess += 1) expect(await ask("/api/v1/tenants", `cdk_${guess}`)).toBe(401);
  expect(await ask("/api/v1/tenants", "cdk_10")).toBe(429);
  expect(await ask("/api/v1/tenants", accounts.user)).toBe(429);
  expect((await limited.call("user", "GET", "/api/v1/tenants")).statusCode).toBe(200);
  await limited.close();
});

const gatewayPaths = [
  ["GET", "/centra/v1/items/next"],
  ["POST", "/brink/v1/orders"],
  ["POST", "/sitoo/orders/1/ack"],
  ["POST", "/centradev/v1/items"],
] as const;

/** An application that takes ten unknown keys a minute and address, the minute being told; keys of `acme`, and calls of the gateway with them. */
async function limitedGateway() {
  vi.useFakeTimers({ toFake: ["Date"] });
  const limited = await testApp({ CROSSDOCK_RATE_LIMIT: "10" });
  onTestFinished(async () => {
    vi.useRealTimers();
    await limited.close();
  });
  const keysPath = "/api/v1/tenants/acme/api-keys";
  const createKey = async () => (await limited.call("admin", "POST", keysPath, { name: "worker" })).json<{ id: number; key: string }>();
  const ask = (key: string, remoteAddress = "192.0.2.1", [method, url]: (typeof gatewayPaths)[number] = gatewayPaths[0]) =>
    limited.app.inject({ method, url, headers: { "x-api-key": key }, remoteAddress });
  const guess = async (times: number) => {
    for (let time = 0; time < times; time += 1)
      expect((await ask(`cdk_guess${time}`, "192.0.2.1", gatewayPaths[time % gatewayPaths.length])).statusCode).toBe(401);
  };
  return { limited, keysPath, createKey, ask, guess };
}

test("of wrong keys the gateway takes so many a minute from one address, on all its paths together, and looks up no more", async () => {
  const { limited, ask, guess } = await limitedGateway();
  const key = createApiKey(Buffer.from("of the secret that was changed"));
  await limited
    .pool("owner", 1)
    .query("insert into hub.api_key (tenant_id, name, prefix, hash, role) values (1001, 'old', 'cdk_', sha256($1::bytea), 'gateway')", [
      Buffer.from(key),
    ]);
  await guess(10);
  const refused = await ask("cdk_guess");
  expect(refused.json()).toMatchObject({ status: 429, code: "too-many-requests" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  // A look-up would have found this one.
  expect((await ask(key)).statusCode).toBe(429);
  // Neither another address nor a console behind the same one feels it.
  expect((await ask(key, "192.0.2.2")).statusCode).toBe(400);
  // It was found now.
  expect((await ask(key)).statusCode).toBe(400);
  const ofConsole = await limited.app.inject({
    url: "/api/v1/tenants",
    headers: { authorization: `Bearer ${limited.accounts.user}` },
    remoteAddress: "192.0.2.1",
  });
  expect(ofConsole.statusCode).toBe(200);
});

test("a key works behind the address of somebody who guesses, also for the first time, and when keys have to be looked up anew", async () => {
  const { limited, keysPath, createKey, ask, guess } = await limitedGateway();
  const [{ key }, other] = [await createKey(), await createKey()];
  await guess(10);
  expect((await ask("cdk_guess")).statusCode).toBe(429);
  for (const each of [key, other.key]) expect((await ask(each)).statusCode).toBe(400);
  expect((await limited.call("admin", "DELETE", `${keysPath}/${other.id}`)).statusCode).toBe(204);
  await expect.poll(async () => (await ask(other.key)).statusCode).toBe(401);
  for (let time = 0; time < 20; time += 1) expect((await ask(key)).statusCode).toBe(400);
});

test("wrong keys are forgotten after a minute", async () => {
  const { ask, guess } = await limitedGateway();
  await guess(10);
  vi.setSystemTime(Date.now() + 59_000);
  expect((await ask("cdk_guess")).statusCode).toBe(429);
  vi.setSystemTime(Date.now() + 1_000);
  await guess(10);
});

test("a key that was found counts as a wrong one once it is revoked", async () => {
  const { limited, keysPath, createKey, ask } = await limitedGateway();
  const { id, key } = await createKey();
  expect((await ask(key)).statusCode).toBe(400);
  expect((await limited.call("admin", "DELETE", `${keysPath}/${id}`)).statusCode).toBe(204);
  await expect.poll(async () => (await ask(key)).statusCode).toBe(401);
  for (let time = 0; time < 10; time += 1) expect((await ask(key)).statusCode).toBe(401);
  expect((await ask(key)).statusCode).toBe(429);
});
