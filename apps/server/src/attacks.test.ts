import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { routes, type Problem } from "@crossdock/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testApp, type TestApp } from "./testing/test-app.ts";

/** Attacks that every route and every way out has to stand, tried on the whole application. */

let made: TestApp;
let port: number;
beforeAll(async () => {
  made = await testApp();
  port = Number(new URL(await made.app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme";

describe("headers that keep a browser from harm", () => {
  const asked: [string, { method?: "GET" | "POST"; url: string; payload?: string; headers?: Record<string, string> }, number][] = [
    ["an answer", { url: "/healthz" }, 200],
    ["the description", { url: "/openapi.json" }, 200],
    ["no token", { url: "/api/v1/tenants" }, 401],
    ["no such path", { url: "/api/v1/nothing" }, 404],
    ["no JSON", { method: "POST", url: "/api/v1/session", payload: "{", headers: { "content-type": "application/json" } }, 400],
    ["another media type", { method: "POST", url: "/api/v1/session", payload: "a=b", headers: { "content-type": "text/plain" } }, 415],
    ["a bad address", { url: "/%ff" }, 400],
    ["the gateway", { url: "/centra/v1/items/next" }, 401],
    ["a hook", { method: "POST", url: "/hooks/00000000-0000-4000-8000-000000000000", payload: "{}" }, 404],
  ];

  test.each(asked)("stand on %s", async (_what, request, status) => {
    const answer = await made.app.inject({ method: "GET", ...request });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["content-security-policy"]).toMatch(/frame-ancestors 'none'/);
    expect(answer.headers["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.headers["x-powered-by"]).toBeUndefined();
  });

  test("keep answers out of caches", async () => {
    const headers = { authorization: `Bearer ${made.accounts.user}` };
    for (const url of [
      "/auth",
      "/api/v1/tenants",
      `${base}/messages`,
      `${base}/messages/1`,
      "/centra/v1/items/next?tenant=acme&subtenant=shop",
    ])
      expect([url, (await made.app.inject({ url, headers })).headers["cache-control"]]).toEqual([url, "no-store"]);
  });

  test("stand on a stream", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${base}/events`, { headers: { authorization: `Bearer ${made.accounts.user}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    await answer.body?.cancel();
  });

  test.each([
    ["no HTTP", "NONSENSE\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`, 431],
    ["two lengths", "POST /api/v1/session HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400],
  ])("stand on what Node itself answers to %s", async (_what, bytes, status) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
    socket.write(bytes);
    await once(socket, "close");
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toMatch(/x-content-type-options: nosniff/i);
    expect(text).toMatch(/content-security-policy: default-src 'none'/i);
    expect(text).toMatch(/content-type: application\/problem\+json/i);
    expect(text).toContain(`"status":${status}`);
  });
});

describe("what is no proper HTTP", () => {
  test("breaks off an answer that has begun, instead of having its own written into it", async () => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
    socket.write(`GET ${base}/events HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${made.accounts.user}\r\n\r\n`);
    await expect.poll(() => text).toContain("retry: 2000");
    socket.write("NONSENSE\r\n\r\n");
    await once(socket, "close");
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test.each(["host: a\r\nhost: b", "Host: a\r\nHOST: a"])("is refused where the host is named twice: %j", async (hosts) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
    socket.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`);
    await once(socket, "close");
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"bad-request"');
  });
});

describe("texts that mean something elsewhere", () => {
  test("a formula is exported as a text", async () => {
    const owner = made.pool("owner", 1);
    await owner.query(`insert into hub.coming_soon_address (email, locale) values ('=cmd|calc!a1@example.com', '@en')`);
    const exported = await made.call("admin", "GET", routes.exportComingSoonAddresses.path);
    expect(exported.statusCode).toBe(200);
    for (const cell of exported.body.split(/[\r\n,]+/)) expect(cell).not.toMatch(/^"?[=+\-@]/);
  });

  test.each([
    ["a path", { url: "/api/v1/tenants/acme%0d%0aset-cookie:%20a=b/mappings" }],
    ["a query", { url: `${base}/mappings?search=%0d%0aset-cookie:%20a=b` }],
    ["an Idempotency-Key", { url: `${base}/mappings`, headers: { "idempotency-key": "a\u0085set-cookie: a=b" } }],
    ["a forwarded host", { url: "/", headers: { "x-forwarded-host": "evil.example", "x-forwarded-for": "evil" } }],
  ])("%s with a line break makes no header", async (_what, request) => {
    const { authorization } = { authorization: `Bearer ${made.accounts.admin}` };
    const answer = await made.app.inject({
      method: "GET",
      url: request.url,
      headers: { authorization, ...("headers" in request ? request.headers : {}) },
    });
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(JSON.stringify(answer.headers)).not.toContain("evil");
  });

  test.each([
    ["POST", "/api/v1/users"],
    ["PATCH", "/api/v1/users/2"],
    ["PATCH", "/api/v1/account"],
    ["POST", "/api/v1/sign-up"],
    ["POST", "/api/v1/tenants"],
    ["POST", `${base}/subtenants`],
    ["POST", `${base}/integration-points`],
    ["POST", `${base}/api-keys`],
    ["POST", `${base}/saved-views`],
    ["POST", `${base}/alert-channels`],
    ["POST", `${base}/imports`],
  ] as const)("%s %s takes no name of several lines, nor one that turns around what stands beside it", async (method, path) => {
    for (const name of ["Ada\r\nBcc: a@example.com", "Ada\u001b[31m", "Ada\u0085", "Ada\u2028Eve", "Ada \u202eeve", "Ada\u2067"]) {
      const refusal = (await made.call("admin", method, path, { name, kind: "email" })).json<Problem>();
      expect(refusal.errors).toContainEqual({ path: "body/name", reason: "line-form", message: expect.any(String) });
    }
  });

  test.each([
    "/../../../../etc/passwd",
    "/assets/../../../../etc/passwd",
    "/assets/..%2f..%2f..%2f..%2fetc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
    "/assets/%2e%2e%5c%2e%2e%5cpackage.json",
    "/assets/....//....//package.json",
    "/.env",
    "/.git/config",
    "/assets/%00/../index.html",
  ])("%s reads no file of the machine", async (url) => {
    const answer = await made.app.inject({ url });
    expect(answer.statusCode).toBeLessThan(500);
    expect(answer.body).not.toMatch(/root:|"workspaces"|\[core\]/);
  });

  test("no body reaches a prototype", async () => {
    const bodies = [
      '{"__proto__":{"polluted":1}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"name":"x","code":"p","__proto__":{"polluted":1}}',
    ];
    for (const payload of bodies) {
      const headers = { authorization: `Bearer ${made.accounts.admin}`, "content-type": "application/json" };
      for (const url of [`${base}/subtenants`, `${base}/mappings`, `${base}/jobs`, `${base}/integration-points`]) {
        expect((await made.app.inject({ method: "POST", url, headers, payload })).statusCode).toBeLessThan(500);
      }
    }
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("too much", () => {
  test("no text takes long to look at", async () => {
    const long = [
      "a".repeat(50_000),
      "((((".repeat(5_000),
      `${"a.".repeat(20_000)}@`,
      `$${".a".repeat(200)} = 1`,
      `$${"[*]".repeat(30)} contains "${"a".repeat(100)}"`,
      "%_".repeat(100),
    ];
    const began = performance.now();
    for (const text of long) {
      const query = encodeURIComponent(text.slice(0, 8_000));
      for (const path of [
        `${base}/messages?payload=${query}`,
        `${base}/messages?search=${query}`,
        `${base}/mappings?search=${query}`,
        `${base}/search?q=${query}`,
      ]) {
        expect((await made.call("user", "GET", path)).statusCode).toBeLessThan(500);
      }
      const answer = await made.call("admin", "POST", "/api/v1/session", { email: text, password: text });
      expect(answer.statusCode).toBeLessThan(500);
    }
    expect(performance.now() - began).toBeLessThan(90_000);
  });

  test("a compressed body is not unpacked", async () => {
    const payload = gzipSync(Buffer.alloc(20_000_000, 0x20));
    const headers = { authorization: `Bearer ${made.accounts.admin}`, "content-type": "application/json", "content-encoding": "gzip" };
    const answer = await made.app.inject({ method: "POST", url: `${base}/mappings`, headers, payload });
    expect([400, 415]).toContain(answer.statusCode);
  });

  test.each(["/api/v1/session", `${base}/mappings`, "/centra/v1/items?tenant=acme&subtenant=shop"])(
    "100 MB announced to %s are refused before they are sent",
    async (path) => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (part: Buffer) => (text += part.toString("latin1")));
      socket.on("error", () => undefined);
      const token = made.accounts.admin;
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 100000000\r\n\r\n{`,
      );
      await expect.poll(() => text).toMatch(/^HTTP\/1\.1 413 /);
      socket.destroy();
    },
  );
});

test("a fault of the server is told in general terms, with the id under which the log has it", async () => {
  const owner = made.pool("owner", 1);
  await owner.query("alter table hub.mapping rename to mapping_away");
  const answer = await made.call("admin", "GET", `${base}/mappings`);
  await owner.query("alter table hub.mapping_away rename to mapping");
  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toEqual({
    type: "urn:crossdock:error:internal",
    title: "Something went wrong on our side",
    status: 500,
    code: "internal",
    requestId: answer.headers["x-request-id"],
  });
});
