import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requirePermissions } from "../access/access.ts";
import { handleError } from "../errors/errors.ts";
import { readableUrl, registerConsole } from "./routes.ts";

const pageIn = (environment: string) =>
  `<!doctype html><html data-environment="${environment}"><meta name="build" content="b1" /><title>Crossdock</title></html>`;
const page = pageIn("QA &#34;B&#34; $1");
const script = "console.log('Crossdock');".repeat(100);
let folder: string;
let app: FastifyInstance;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "crossdock-console-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), pageIn("Development"));
  writeFileSync(join(folder, "assets", "main-abc123.js"), script);
  app = Fastify({ exposeHeadRoutes: false, rewriteUrl: readableUrl });
  app.setErrorHandler(handleError);
  requirePermissions(app);
  app.get("/api/v1/things/:id", { config: { permission: "public" } }, () => "thing");
  app.delete("/api/v1/things/:id", { config: { permission: "public" } }, () => "gone");
  registerConsole(app, 'QA "B" $1', folder);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const html = { accept: "text/html,application/xhtml+xml" };

test("every path that a browser navigates to is the console's page with the environment's name, never from an old copy", async () => {
  for (const path of ["/", "/queue/details/17?tab=attempts", "/subtenant/%E0%A4%A/dashboard", "/%ff"]) {
    const answer = await app.inject({ url: path, headers: html });
    expect(answer.body).toBe(page);
    expect(answer.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" });
  }
});

test("files with a hash in their name are kept for good, and sent compressed to those who can read it", async () => {
  const answer = await app.inject({ url: "/assets/main-abc123.js", headers: { "accept-encoding": "gzip, br" } });
  expect(answer.headers).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "gzip",
    vary: "accept-encoding",
  });
  expect(gunzipSync(answer.rawPayload).toString()).toBe(script);
  expect((await app.inject("/assets/main-abc123.js")).body).toBe(script);
});

test("an unchanged file is not sent again", async () => {
  const { etag } = (await app.inject({ url: "/", headers: html })).headers;
  const again = await app.inject({ url: "/", headers: { ...html, "if-none-match": String(etag) } });
  expect(again.statusCode).toBe(304);
  expect(again.body).toBe("");
});

test("the root is the page whatever is asked for", async () => {
  const answer = await app.inject({ url: "/?mode=dark", headers: { accept: "*/*" } });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
});

test.each(["/assets/gone.js", "/api/v1/nothing", "/../package.json", "/%2e%2e/package.json"])(
  "%s is a problem, not a page",
  async (url) => {
    expect((await app.inject({ url, headers: { accept: "*/*" } })).json()).toMatchObject({ status: 404, code: "not-found" });
  },
);

test("answers name the build, so that a console of an earlier one can tell", async () => {
  for (const url of ["/", "/assets/main-abc123.js", "/api/v1/nothing"])
    expect((await app.inject({ url, headers: html })).headers["x-console-build"]).toBe("b1");
});

test("only reading is answered with files", async () => {
  expect((await app.inject({ method: "POST", url: "/", headers: html })).statusCode).toBe(404);
});

test("a file that is not there is not the page, whoever asks", async () => {
  expect((await app.inject({ url: "/assets/main-abc123.js~", headers: { accept: "text/html" } })).statusCode).toBe(404);
});

test("a path that answers other methods names them", async () => {
  for (const method of ["PUT", "HEAD", "OPTIONS"] as const) {
    const answer = await app.inject({ method, url: "/api/v1/things/a%20b?x=1", headers: { accept: "*/*" } });
    expect(answer).toMatchObject({
      statusCode: 405,
      headers: { allow: "DELETE, GET", "content-type": expect.stringContaining("problem+json") },
    });
  }
  for (const url of ["/api/v1/things", "/api/v1/things/1/", "/api/v1/things/1/2"])
    expect((await app.inject({ method: "PUT", url })).json()).toMatchObject({ code: "not-found" });
});

test("a broken percent code is a problem for whoever asks for no page", async () => {
  expect((await app.inject({ url: "/subtenant/%E0%A4%A/dashboard", headers: { accept: "*/*" } })).statusCode).toBe(400);
  expect((await app.inject({ url: "/api/v1/things/%C3%A9?name=%ff", headers: html })).body).toBe("thing");
});
