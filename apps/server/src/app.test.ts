import { afterAll, beforeAll, expect, test } from "vitest";
import type { FastifyInstance } from "fastify";
import { createApp } from "./app.ts";
import { testDeps } from "./testing.ts";

let app: FastifyInstance;
let close: (app?: FastifyInstance) => Promise<void>;

beforeAll(async () => {
  const made = await testDeps();
  close = made.close;
  app = await createApp(made.deps);
  await app.ready();
});
afterAll(() => close(app));

test("a process whose database answers is ready", async () => {
  const answer = await app.inject("/readyz");
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ status: "ready", environment: "Development" });
});

test("the OpenAPI document is version 3.1 and says problem+json for errors", async () => {
  const document = (await app.inject("/openapi.json")).json();
  expect(document.openapi).toBe("3.1.0");
  expect(document.components.schemas.Problem).toBeDefined();
});

test("a route without a permission stops the start", async () => {
  expect(() => app.get("/nobody-asked", () => "open")).toThrow();
});
