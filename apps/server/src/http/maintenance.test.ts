import { afterAll, beforeAll, expect, test } from "vitest";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { startAppParts, type AppParts } from "../app-parts.ts";
import { createApp } from "../app.ts";
import type { FastifyInstance } from "fastify";

let made: TestDeps;
let parts: AppParts;
let app: FastifyInstance;
beforeAll(async () => {
  made = await testDeps({ CROSSDOCK_MAINTENANCE: "1" });
  parts = await startAppParts(made.deps);
  app = await createApp(made.deps, parts);
});
afterAll(async () => {
  await app.close();
  await parts.stop();
  await made.close();
});

test.each([
  ["POST", "/api/v1/session"],
  ["POST", "/api/v1/session/refresh"],
  ["GET", "/api/v1/tenants"],
  ["GET", "/auth"],
  ["GET", "/gateway/v1/admin/refresh?refresh=x"],
] as const)("under maintenance %s %s is refused, whoever asks", async (method, url) => {
  const answer = await app.inject({ method, url });
  expect(answer.json()).toMatchObject({ status: 503, code: "maintenance" });
  expect(answer.headers).toMatchObject({ "content-type": expect.stringContaining("application/problem+json"), "retry-after": "60" });
});

test("under maintenance every route of the API is refused, and no other", async () => {
  for (const { method, path, permission } of app.registeredRoutes) {
    const answer = await app.inject({ method: method as "GET", url: path.replaceAll(/:\w+/g, "1") });
    const isOpen = permission === "gateway" || path.startsWith("/hooks/") || ["/healthz", "/readyz", "/openapi.json"].includes(path);
    expect(answer.statusCode === 503, `${method} ${path}`).toBe(!isOpen);
  }
});

test("readiness tells of the maintenance, and the process stays in service for what comes in", async () => {
  const answer = await app.inject("/readyz");
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ status: "ready", isUnderMaintenance: true });
});
