import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import Fastify from "fastify";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { joinChunks, limitBodyBytes, limitBodyTime } from "./bodies.ts";
import { handleError } from "../errors/errors.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let port: number;
beforeAll(async () => {
  made = await testApp();
  port = Number(new URL(await made.app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => made.close());

const mappings = "/api/v1/tenants/acme/mappings";
const mapping = (fieldName: string): Buffer =>
  Buffer.from(`{"fieldName":"${fieldName}","source":"*","sourceValue":"b","target":"centra","targetValue":"d"}`, "latin1");

function post(url: string, payload: Buffer, type = "application/json", more: Record<string, string> = {}) {
  return made.app.inject({
    method: "POST",
    url,
    headers: { authorization: `Bearer ${made.accounts.admin}`, "content-type": type, ...more },
    payload,
  });
}

test.each([
  ["bytes that are no UTF-8", mapping("\xff"), "bad-encoding"],
  ["half of a surrogate pair", mapping("\\ud83d"), "bad-encoding"],
  ["half of a surrogate pair in a name", Buffer.from('{"a\\udc00":1}'), "bad-encoding"],
  ["a NUL", mapping("\\u0000"), "nul-character"],
  ["a prototype", Buffer.from('{"__proto__":{"isAdmin":true}}'), "bad-json"],
  ["64 levels around half a character", Buffer.from(`${"[".repeat(64)}"\\ud800"${"]".repeat(64)}`), "bad-encoding"],
  ["65 levels", Buffer.from("[".repeat(65) + "]".repeat(65)), "bad-json"],
])("%s in a body of the API is answered 400", async (_what, body, code) => {
  expect((await post(mappings, body)).json()).toMatchObject({ status: 400, code });
});

test("a NUL deep in what is kept as JSON is the caller's mistake, too", async () => {
  const selection = { filter: { state: ["dead"] } };
  for (const patch of [
    { kind: "merge", merge: { name: "a\u0000" } },
    { kind: "mapping", path: "$.name", from: "a\u0000", to: "b" },
  ]) {
    const answer = await post("/api/v1/tenants/acme/jobs", Buffer.from(JSON.stringify({ kind: "patch", selection, patch })));
    expect(answer.json()).toMatchObject({ status: 400, code: "nul-character" });
  }
});

function createPatch(merge: string, failureLimit: string) {
  const selection = '{"filter":{"state":["dead"]}}';
  const body = `{"kind":"patch","selection":${selection},"failureLimit":${failureLimit},"patch":{"kind":"merge","merge":${merge}}}`;
  return post("/api/v1/tenants/acme/jobs", Buffer.from(`\ufeff${body}`));
}

test("a number that a double can't hold keeps all its digits where any value is taken, and is refused where a number is expected", async () => {
  const job = (
    await createPatch('{"a":[9007199254740993],"b":0.1234567890123456789,"c":1e400,"d":9007199254740992,"e":12.50}', "10.0")
  ).json();
  expect(job).toMatchObject({ failureLimit: 10 });
  expect(job).toHaveProperty("patch.merge", {
    a: ["9007199254740993"],
    b: "0.1234567890123456789",
    c: "1e400",
    d: 9007199254740992,
    e: 12.5,
  });
  expect((await createPatch('{"a":1}', "10.000000000000000001")).json()).toMatchObject({
    code: "validation-failed",
    errors: [{ path: "body/failureLimit", reason: "wrong-type" }],
  });
});

test("a whole pair of surrogates is a character like any other", async () => {
  expect((await post(mappings, mapping("\\ud83d\\ude00"))).json()).toMatchObject({ fieldName: "😀" });
});

test("a call without a body may name a type all the same, and one that needs a body misses it", async () => {
  const headers = { authorization: `Bearer ${made.accounts.admin}`, "content-type": "application/json" };
  const cancel = await made.app.inject({ method: "POST", url: "/api/v1/tenants/acme/runs/1/cancel", headers });
  expect(cancel.json()).toMatchObject({ code: "not-found" });
  expect((await post(mappings, Buffer.alloc(0))).json()).toMatchObject({ code: "validation-failed", errors: [{ path: "body/" }] });
});

test("the API takes JSON only, and not packed", async () => {
  const refusal = { status: 415, code: "media-type-unsupported" };
  expect((await post(mappings, Buffer.from("hello"), "text/plain")).json()).toMatchObject(refusal);
  expect((await post(mappings, gzipSync(mapping("a")), "application/json", { "content-encoding": "gzip" })).json()).toMatchObject(refusal);
});

const cursorOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString("base64url");

test.each([
  ["an id beyond its type", `${mappings}?cursor=${cursorOf({ id: 9007199254740991 })}`, 400, "bad-request"],
  ["a day that is none", `/api/v1/tenants/acme/retry-queue?cursor=${cursorOf("2026-99-99 00:00:00+00|1")}`, 400, "bad-request"],
  ["an id of 5,000 digits", `/api/v1/tenants/acme/messages/${"9".repeat(5000)}`, 404, "not-found"],
  ["a path that is no UTF-8", "/api/v1/tenants/%ff", 400, "bad-request"],
])("%s is the caller's mistake", async (_what, url, status, code) => {
  const answer = await made.app.inject({ url, headers: { authorization: `Bearer ${made.accounts.admin}` } });
  expect(answer.headers["content-type"]).toContain("application/problem+json");
  expect(answer.json()).toMatchObject({ status, code });
});

test("what is said before the sign-in is short", async () => {
  const payload = { email: "admin@example.com", password: "x".repeat(70_000) };
  expect((await made.app.inject({ method: "POST", url: "/api/v1/session", payload })).json()).toMatchObject({ code: "too-large" });
});

/** The first line of the answer to the beginning of a request, whose rest never comes. */
async function answerTo(toPort: number, beginning: string): Promise<string> {
  const socket = connect(toPort, "127.0.0.1");
  socket.write(beginning);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString("latin1").split("\r\n")[0] ?? "";
}

const longPost = (path: string, type = "application/json"): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 1000000\r\n\r\n{`;

test("a made-up hook is refused before its body has come", async () => {
  expect(await answerTo(port, longPost("/hooks/00000000-0000-4000-8000-000000000000"))).toBe("HTTP/1.1 404 Not Found");
});

test.each(["application/json", "application/x-ndjson"])(
  "a body of %s that is held whole and does not arrive in time is not waited for",
  async (type) => {
    const app = Fastify();
    app.setErrorHandler(handleError);
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    limitBodyTime(app, 20);
    app.post("/", () => "never");
    const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    expect(await answerTo(Number(url.port), longPost("/", type))).toBe("HTTP/1.1 408 Request Timeout");
    await app.close();
  },
);

const chunkedPost = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const bytes = "1\r\nx\r\n".repeat(20_000);

test("a body in chunks of a byte is not held byte by byte", async () => {
  const app = Fastify();
  joinChunks(app);
  const lengths: number[] = [];
  app.addContentTypeParser("*", async (_request: unknown, payload: Readable) => {
    for await (const piece of payload) lengths.push((piece as Buffer).length);
  });
  app.post("/", () => "ok");
  const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  expect(await answerTo(Number(url.port), `${chunkedPost}${bytes}0\r\n\r\n`)).toBe("HTTP/1.1 200 OK");
  expect(lengths.reduce((sum, length) => sum + length)).toBe(20_000);
  expect(lengths.length).toBeLessThan(200);
  await app.close();
});

test("a body in chunks that does not arrive in time is not waited for, and its sender is parted from", async () => {
  const app = Fastify();
  app.setErrorHandler(handleError);
  joinChunks(app);
  limitBodyTime(app, 20);
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post("/", () => "never");
  const { port: ownPort } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect(Number(ownPort), "127.0.0.1");
  const answer: Buffer[] = [];
  socket.on("data", (piece: Buffer) => answer.push(piece));
  socket.write(chunkedPost + bytes);
  await once(socket, "close");
  expect(Buffer.concat(answer).toString("latin1")).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  await app.close();
});

test("a sender that hangs up when its chunks were refused as too many disturbs nobody", async () => {
  const app = Fastify();
  joinChunks(app);
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: 1000 }, (_request, body, done) => done(null, body));
  app.post("/", () => "never");
  const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const faults: unknown[] = [];
  const note = (fault: unknown) => faults.push(fault);
  process.on("uncaughtExceptionMonitor", note);
  expect(await answerTo(Number(url.port), chunkedPost + bytes)).toBe("HTTP/1.1 413 Payload Too Large");
  await app.close();
  process.off("uncaughtExceptionMonitor", note);
  expect(faults).toEqual([]);
});

test.each(["0", "5"])("a request without a parser for its body of %s bytes is answered, however long that takes", async (length) => {
  const app = Fastify();
  limitBodyTime(app, 20);
  // Begun later and longer than the limit, so the limit is over when it ends.
  app.get("/", () => new Promise((resolve) => setTimeout(resolve, 40, "done")));
  const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const faults: unknown[] = [];
  const note = (fault: unknown) => faults.push(fault);
  process.on("uncaughtExceptionMonitor", note);
  const answer = await answerTo(Number(url.port), `GET / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
  process.off("uncaughtExceptionMonitor", note);
  expect([answer, faults]).toEqual(["HTTP/1.1 200 OK", []]);
  await app.close();
});

test.each([
  ["person", { user: 1, tenant: 1 }, { user: 1, tenant: 2 }],
  ["person within tenants and without", { user: 1, tenant: 1 }, { user: 1 }],
  ["tenant", { user: 1, tenant: 1 }, { user: 2, tenant: 1 }],
  ["tenant's webhooks", { hook: 1 }, { hook: 1 }],
  ["tenant and its webhooks", { user: 1, tenant: 1 }, { hook: 1 }],
] as const)(
  "large bodies of one %s leave room for another's, and one of untold length counts as what its route takes",
  async (_, first, second) => {
    const app = Fastify();
    app.setErrorHandler(handleError);
    app.decorateRequest("principal", null);
    app.decorateRequest("tenantScope", null);
    app.addHook("onRequest", async (request) => {
      const { user, tenant, hook }: Caller = JSON.parse(String(request.headers["x-caller"]));
      if (user !== undefined) request.principal = { kind: "user", userId: user, sessionId: "", role: "viewer" };
      if (tenant !== undefined) request.tenantScope = { tenantId: tenant, tenantCode: "" };
      if (hook !== undefined) request.hookTenantId = hook;
    });
    limitBodyBytes(app, 1_000_000);
    const waiting = Promise.withResolvers<string>();
    let begun = 0;
    app.post("/*", { bodyLimit: 300_000 }, () => {
      begun += 1;
      return waiting.promise;
    });
    type Caller = { user?: number; tenant?: number; hook?: number };
    const send = (caller: Caller, payload: Readable | string, url = "/") =>
      app.inject({
        method: "POST",
        url,
        headers: {
          "content-type": "text/plain",
          "x-caller": JSON.stringify(caller),
          ...(typeof payload === "string" ? {} : { "transfer-encoding": "chunked" }),
        },
        payload,
      });
    const one = send(first, Readable.from(["x"]));
    await vi.waitUntil(() => begun === 1);
    expect((await send(second, "x".repeat(250_000), "/?other")).statusCode).toBe(503);
    const other = send({ user: 9, tenant: 9 }, "x".repeat(250_000));
    await vi.waitUntil(() => begun === 2);
    waiting.resolve("done");
    expect([(await one).statusCode, (await other).statusCode]).toEqual([200, 200]);
    await app.close();
  },
);

test("where no route is, no large body is read, however many of them come", async () => {
  const app = Fastify();
  app.setErrorHandler(handleError);
  limitBodyBytes(app, 300_000);
  let read = 0;
  app.addHook("preHandler", async () => void (read += 1));
  const send = (bytes: number) =>
    app.inject({ method: "POST", url: "/nowhere", headers: { "content-type": "text/plain" }, payload: "x".repeat(bytes) });
  expect([(await send(200_000)).statusCode, read]).toEqual([404, 0]);
  expect([(await send(1_000)).statusCode, read]).toEqual([404, 1]);
  await app.close();
});

test("large bodies that are under way keep another one out until they are answered, and small ones never", async () => {
  const app = Fastify();
  app.setErrorHandler(handleError);
  limitBodyBytes(app, 300_000);
  const waiting: (() => void)[] = [];
  app.post("/", ({ body }) => {
    const { length } = String(body);
    return length < 100_000 ? "small" : new Promise((resolve) => waiting.push(() => resolve(String(length))));
  });
  const large = { method: "POST", url: "/", headers: { "content-type": "text/plain" }, payload: "x".repeat(200_000) } as const;
  const first = app.inject(large);
  await vi.waitUntil(() => waiting.length === 1);
  const second = await app.inject(large);
  expect([second.statusCode, second.headers["retry-after"]]).toEqual([503, "1"]);
  expect((await app.inject({ ...large, payload: "x" })).body).toBe("small");
  waiting.pop()?.();
  expect((await first).body).toBe("200000");
  const third = app.inject(large);
  await vi.waitUntil(() => waiting.length === 1);
  waiting.pop()?.();
  expect((await third).statusCode).toBe(200);
  await app.close();
});

test("a large body whose sender hangs up while he is looked at keeps nobody out", async () => {
  const app = Fastify();
  app.setErrorHandler(handleError);
  const looked = Promise.withResolvers<void>();
  const hungUp = Promise.withResolvers<void>();
  const wentOn = Promise.withResolvers<void>();
  app.addHook("onRequest", async ({ url }, reply) => {
    if (url !== "/slow") return;
    reply.raw.once("close", hungUp.resolve);
    looked.resolve();
    await hungUp.promise;
  });
  limitBodyBytes(app, 300_000);
  app.addHook("preParsing", async (_request, _reply, payload) => {
    wentOn.resolve();
    return payload;
  });
  app.post("/*", ({ body }) => String(String(body).length));
  const toPort = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
  const socket = connect(toPort, "127.0.0.1");
  socket.write("POST /slow HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 200000\r\n\r\n");
  await looked.promise;
  socket.destroy();
  await wentOn.promise;
  const other = { method: "POST", url: "/other", headers: { "content-type": "text/plain" }, payload: "x".repeat(200_000) } as const;
  expect((await app.inject(other)).statusCode).toBe(200);
  await app.close();
});
